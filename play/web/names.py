"""How pages name players: nobody who plays in a browser learns where files of this machine lie.

The one idea: a specification such as `zero:/home/anna/runs/mine/export@simulations=64` is told as
`zero:export@simulations=64`, and what a page chooses is turned back. Only networks on offer are turned back,
so a name can never lead to another file.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dotzero.play.game_settings import GameSettings
from dotzero.play.levels import PLAYER_LABELS
from dotzero.play.players import PlayerSpec, spec_text
from dotzero.play.seats import Language, Seat, level_label


class PlayerNames:
    """Names of the networks that a server offers."""

    def __init__(self, checkpoints: Sequence[str] = ()) -> None:
        """Give each folder a name of its own: its last part, with a number where two are alike."""
        self._names: dict[str, str] = {}
        for path in dict.fromkeys(checkpoints):
            base = name = _last_part(path)
            number = 1
            while name in self._names.values():
                number += 1
                name = f"{base}-{number}"
            self._names[path] = name
        self._paths = {name: path for path, name in self._names.items()}

    def told(self, player: str) -> str:
        """A specification as pages see it."""
        spec = PlayerSpec.parse(player)
        if spec.path is None:
            return player
        return spec_text(spec.kind, self._names.get(spec.path) or _shown(spec), spec.options)

    def meant(self, player: str) -> str:
        """The specification that a page means; one without a name of ours stays as it is."""
        spec = PlayerSpec.parse(player)
        path = self._paths.get(spec.path or "") if spec.kind == "zero" else None
        return player if path is None else spec_text(spec.kind, path, spec.options)

    def settings_meant(self, settings: GameSettings) -> GameSettings:
        """The settings that a page means."""
        one, two = (self._seat(seat) for seat in settings.seats)
        return replace(settings, seats=(one, two))

    def _seat(self, seat: Seat) -> Seat:
        return seat if seat.player is None else replace(seat, player=self.meant(seat.player))


def player_label(player: str, language: Language) -> str:
    """What a player is called; a network of one's own by the name of its folder too."""
    spec = PlayerSpec.parse(player)
    label = level_label(player if spec.path is None else spec.kind, language)
    return label if spec.path is None else f"{label} {_shown(spec)}"


def shown_seats(seats: Sequence[Seat], language: Language) -> list[Seat]:
    """Seats as pages show them: levels that a record of an arena names as commands do have their labels.

    A person who plays against a player keeps any name: there it was typed.
    """
    if not all(seat.is_person for seat in seats):
        return list(seats)
    return [replace(seat, name=_label(seat.name, language)) for seat in seats]


def _label(name: str, language: Language) -> str:
    return PLAYER_LABELS[name][language] if name in PLAYER_LABELS else name


def is_player_name(name: str) -> bool:
    """Whether a side of a record is called as only a player is: by its specification, or by its label."""
    try:
        kind = PlayerSpec.parse(name).kind
    except ValueError:
        return False
    labels = {label for labels in PLAYER_LABELS.values() for label in labels.values()}
    return name in labels or kind in (*PLAYER_LABELS, "engine")


def _shown(spec: PlayerSpec) -> str:
    """What may be told of a path; of a command its program."""
    path = spec.path or ""
    return _last_part((path.split() or [path])[0] if spec.kind == "engine" else path)


def _last_part(path: str) -> str:
    return Path(path).resolve().name or "network"
