"""dotzero: AlphaZero-style training, arenas and play for Kropki and Dots and Boxes.

Importing the package loads neither torch nor a game. It makes sure that the processor can run the compiled
core, which is built for x86-64-v3 on x86 machines, and makes the environments known to Gymnasium.
"""

from dotzero import _cpu
from dotzero.envs.registration import register_environments
from dotzero.version import __version__

__all__ = ["__version__"]


def _require_processor() -> None:
    """Raise ImportError where the core would die with an illegal instruction."""
    missing = _cpu.missing_features()
    if missing:
        raise ImportError(
            "dotzero's core is built for x86-64-v3 processors (2013 and later); "
            f"this one lacks {', '.join(missing)}"
        )


_require_processor()
register_environments()
