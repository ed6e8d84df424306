"""The measured ladder: how often each level beats the one below it.

Written down by hand from `dotzero arena`; the commands beside the figures print them again.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One level against the next one below."""

    level: str
    below: str
    score: float
    """Share of the points, draws as a half."""
    games: int
    """Paired games that it was measured in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ladder:
    """The steps of one game."""

    command: str
    """What prints a step, with the two levels in place of FIRST and SECOND."""
    steps: tuple[Step, ...]
    """The weakest first."""

    def step(self, level: str) -> Step | None:
        """The step of a level; None where it was not measured."""
        return next((step for step in self.steps if step.level == level), None)


LADDERS = {
    "boxes": Ladder(
        command="dotzero arena 'players=[FIRST,SECOND]' games=200",
        steps=(
            Step(level="easy", below="random", score=0.93, games=200),
            Step(level="medium", below="easy", score=1.0, games=200),
            Step(level="hard", below="medium", score=0.86, games=200),
            Step(level="insane", below="hard", score=0.985, games=200),
            Step(level="zero", below="insane", score=0.845, games=200),
        ),
    ),
    "kropki": Ladder(
        command="dotzero arena game=kropki 'players=[FIRST,SECOND]' games=50 'rules={width: 15, height: 15, "
        "start: START}', START being empty, cross, and random_crosses with num_crosses: 2 and 4",
        steps=(
            Step(level="easy", below="random", score=0.9625, games=200),
            Step(level="medium", below="easy", score=1.0, games=200),
            Step(level="hard", below="medium", score=1.0, games=200),
            Step(level="insane", below="hard", score=0.908, games=60),
            # zero has 75% of 40 games against hard here, and was not measured against insane.
        ),
    ),
}
"""Of every game: Dots and Boxes on 5x5, Kropki on 15x15 from four starts, a quarter of the games each."""
