"""Why a typed move is not possible, by the key of a text in the language of the screen."""

from dotzero.envs.kropki import KropkiGame, KropkiState
from dotzero.envs.kropki_position import HELD, PLACED
from dotzero.play.sessions import GameSession


def refusal(session: GameSession, action: int) -> tuple[str, dict[str, object]]:
    """The key of a text of `terminal_texts.py` and its values, for an action that is not legal now."""
    values: dict[str, object] = {"move": session.notation.name(action)}
    game, state = session.game, session.state
    if not isinstance(game, KropkiGame) or not isinstance(state, KropkiState):
        return "illegal boxes", values
    if action == game.stop:
        return "no_stop", {}
    cell = int(state.cells[0].flat[action])
    if cell & HELD:
        return "closed", values
    if cell & PLACED:
        return "occupied", values
    columns, rows = game.rules.opening_zone or game.size[::-1]
    return "zone", values | {"zone": f"{columns}x{rows}"}
