"""Labels with texts beside them, as every analysis for people ends in: a list in 80 columns."""

import textwrap
from collections.abc import Iterable

LABEL = 14
"""Characters before the texts."""
WIDTH = 80
KEEP = "\N{NO-BREAK SPACE}"
"""Stands for a space at which no row ends."""


def rows_text(rows: Iterable[tuple[str, str]]) -> str:
    """Labels and texts, long texts on several rows."""
    return "\n".join(
        textwrap.fill(
            text,
            WIDTH,
            initial_indent=f"{label:<{LABEL}}",
            subsequent_indent=" " * LABEL,
            break_on_hyphens=False,
        ).replace(KEEP, " ")
        for label, text in rows
    )
