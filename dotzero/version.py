"""The version of the package: setup.py and checkpoints read it from here."""

__version__ = "0.1.0"
