"""Dots and Boxes for PettingZoo: `dots_and_boxes_v0.env(rows=3, columns=3)`.

Rules, observations and actions are those of `DotsAndBoxesEnv` in `gym_env.py`.
"""

from typing import Any

from dotzero.envs.aec import BoardAEC, metadata_of, wrapped


class raw_env(BoardAEC):  # noqa: N801  (PettingZoo's own name)
    """The environment without wrappers; arguments as for `BoardAEC`."""

    game_name = "boxes"
    metadata = metadata_of("dots_and_boxes_v0")


def env(**arguments: Any) -> Any:
    """The environment with PettingZoo's usual wrappers; arguments as for `BoardAEC`."""
    return wrapped(raw_env(**arguments))
