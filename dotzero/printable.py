"""Text of others, such as what was typed or what a program answered, as a part of one line on a terminal.

Light, and used wherever a message quotes what it was given: a control character there could move the cursor
or change the terminal, and a pasted file could push everything else off the screen.
"""

SHOWN = 60
"""Characters of a quoted text, unless said otherwise."""
_REPLACEMENT = "?"
_CUT = "..."


def printable(text: str, most: int = SHOWN) -> str:
    """A text that is safe to show in a line.

    Cut to `most` characters, the last three then being dots; with a question mark for each character that
    cannot be printed: control characters, line breaks, halves of surrogate pairs, bytes that were no text.
    """
    cut = text if len(text) <= most else text[: most - len(_CUT)] + _CUT
    return "".join(
        char if char.isprintable() and char != "\N{REPLACEMENT CHARACTER}" else _REPLACEMENT for char in cut
    )
