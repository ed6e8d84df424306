"""The texts of the page, read from its own table."""

import re

from dotzero.play.web.app import STATIC

_ROW = re.compile(r'^  (\w+): \[\s*"(.+?)",\s+"(.+?)",?\s*\],$', re.M)
_GAP = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")


def read_words():
    """English and Russian by the name of the text; every row of the table must be of that form."""
    table = (STATIC / "words.js").read_text(encoding="utf-8")
    rows = _ROW.findall(table)
    words = {name: (english, russian) for name, english, russian in rows}
    assert len(words) == len(rows) == len(re.findall(r"^  \w+: \[", table, re.M))
    return words


def gaps(text):
    """The gaps of a text: names, with the number of forms of a noun (0: none)."""
    return {name: len(forms.split("|")) if forms else 0 for name, forms in _GAP.findall(text)}
