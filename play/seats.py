"""Who sits at a board: a person or a player, what they are called, and the mark that they put.

The one idea: a seat keeps only what was chosen. What was not chosen (a name, a mark) is found when it is
shown, in the language of whoever looks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dotzero.play.levels import PLAYER_LABELS
from dotzero.play.players import PlayerSpec

LONGEST_NAME = 40
LONGEST_MARK = 3
LONGEST_SPEC = 300
"""Characters of a player's specification."""


class Language(StrEnum):
    """Languages of the play screens."""

    EN = "en"
    RU = "ru"


class Colour(StrEnum):
    """Colours of the two sides; never the only thing that tells them apart."""

    BLUE = "blue"
    RED = "red"


_YOU = {Language.EN: "You", Language.RU: "Вы"}
_PERSON = {Language.EN: "Player {number}", Language.RU: "Игрок {number}"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """One side of a game."""

    player: str | None = None
    """The specification of a player, as for `make_player`; None: a person."""
    name: str = ""
    """A name that was chosen; "" for the usual one."""
    mark: str = ""
    """Up to 3 characters that stand in this side's boxes; "" for the first letter of the name (R147)."""

    def __post_init__(self) -> None:
        for field, most in (("name", LONGEST_NAME), ("mark", LONGEST_MARK)):
            value = getattr(self, field)
            if not isinstance(value, str) or len(value) > most or not value.isprintable():
                raise ValueError(
                    f"seat.{field} must be a text of at most {most} printable characters, got {value!r:.60}"
                )
            object.__setattr__(self, field, " ".join(value.split()))
        if self.player is not None:
            if not isinstance(self.player, str) or len(self.player) > LONGEST_SPEC:
                raise ValueError(f"seat.player must be a player or null, got {self.player!r:.60}")
            PlayerSpec.parse(self.player)

    @property
    def is_person(self) -> bool:
        """Whether a person sits here."""
        return self.player is None

    @classmethod
    def from_json(cls, data: Any) -> "Seat":
        """Read what `to_json` has written; what is absent is not chosen.

        Raises:
            ValueError: It has another form.
        """
        names = ("player", "name", "mark")
        if not isinstance(data, Mapping) or not set(data) <= set(names):
            raise ValueError(f"seat must have the fields {', '.join(names)}, got {data!r:.60}")
        return cls(**data)

    def to_json(self) -> dict[str, str | None]:
        """Plain values."""
        return {"player": self.player, "name": self.name, "mark": self.mark}


def printable_name(name: str) -> str:
    """A name from elsewhere as a seat may have it: cut, and without what cannot be seen.

    Joiners and soft hyphens are such characters; other programs write them into the names of records.
    """
    seen = "".join(letter for letter in " ".join(name.split()) if letter.isprintable())
    return " ".join(seen.split())[:LONGEST_NAME].strip()


def level_label(player: str, language: Language) -> str:
    """What a player is called: a level by its label, whatever its options, others by their specification."""
    kind = PlayerSpec.parse(player).kind
    return PLAYER_LABELS[kind][language] if kind in PLAYER_LABELS else player


def seat_names(seats: Sequence[Seat], language: Language) -> tuple[str, str]:
    """How both sides are called: by their chosen names, else "You", "Player 1" or the label of a level.

    Two that would be called alike get their numbers: "Medium 1" and "Medium 2".
    """
    alone = sum(seat.is_person for seat in seats) == 1
    names = []
    for number, seat in enumerate(seats, 1):
        if seat.name:
            names.append(seat.name)
        elif seat.player is not None:
            names.append(level_label(seat.player, language))
        else:
            names.append(_YOU[language] if alone else _PERSON[language].format(number=number))
    if names[0] == names[1]:
        names = [f"{name} {number}" for number, name in enumerate(names, 1)]
    return names[0], names[1]


def seat_marks(seats: Sequence[Seat], language: Language) -> tuple[str, str]:
    """What both sides put into their boxes: the chosen marks, else the first letters of their names.

    Marks that would be the same, in capitals or not, get the numbers 1 and 2 (R147).
    """
    names = seat_names(seats, language)
    marks = [seat.mark or name[:1].upper() for seat, name in zip(seats, names, strict=True)]
    if marks[0].casefold() == marks[1].casefold():
        marks = [f"{mark[: LONGEST_MARK - 1]}{number}" for number, mark in enumerate(marks, 1)]
    return marks[0], marks[1]


def seat_colours(seats: Sequence[Seat]) -> tuple[Colour, Colour]:
    """Blue for the person who plays against a player, red for the player (R105); else blue begins."""
    blue = 1 if seats[1].is_person and not seats[0].is_person else 0
    return (Colour.RED, Colour.BLUE) if blue else (Colour.BLUE, Colour.RED)
