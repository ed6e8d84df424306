"""The acts of the command: `dotzero train` runs `main` of `train.py`, and so on.

A file with `main(argv)` is an act; its docstring is its help. `command.py` and `grid.py` are what the acts
share, `preflight.py` says what a machine lacks. Nothing else in dotzero imports from here.
"""
