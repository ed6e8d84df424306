"""Networks that are in use: players with the same weights and back-end share one evaluator.

So a match of one network with two budgets holds it once, and the last player that is closed frees it.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from dotzero.models.evaluator import Evaluator


@dataclass(slots=True)
class _Use:
    evaluator: Evaluator
    users: int


_uses: dict[Hashable, _Use] = {}


def take(key: Hashable, make: Callable[[], Evaluator]) -> Evaluator:
    """The evaluator of a key, made if nobody has it; every `take` needs its `give_back`."""
    if key not in _uses:
        _uses[key] = _Use(make(), 0)
    _uses[key].users += 1
    return _uses[key].evaluator


def give_back(key: Hashable) -> None:
    """One user less; the last one closes the evaluator. Giving back what nobody has does nothing."""
    use = _uses.get(key)
    if use is None:
        return
    use.users -= 1
    if use.users == 0:
        del _uses[key]
        use.evaluator.close()
