"""Kropki for PettingZoo: `kropki_v0.env(width=8, height=8)`.

Rules, observations and actions are those of `KropkiEnv` in `gym_env.py`.
"""

from typing import Any

from dotzero.envs.aec import BoardAEC, metadata_of, wrapped


class raw_env(BoardAEC):  # noqa: N801  (PettingZoo's own name)
    """The environment without wrappers; arguments as for `BoardAEC`."""

    game_name = "kropki"
    metadata = metadata_of("kropki_v0")


def env(**arguments: Any) -> Any:
    """The environment with PettingZoo's usual wrappers; arguments as for `BoardAEC`."""
    return wrapped(raw_env(**arguments))
