"""Settings of every act: how they are composed, what a job needs, and the named presets in `preset/`.

The dataclasses themselves stand beside the code that they steer; defaults live only there, and a preset
says only what differs from them.
"""

from importlib.resources import files

__all__ = ["preset_names"]


def preset_names(group: str = "preset") -> list[str]:
    """Names of the presets in a group, in alphabetical order.

    Args:
        group: The folder under `configs/` that holds the preset files.
    """
    names = [entry.name for entry in files(__name__).joinpath(group).iterdir()]
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))
