"""Let players compete in paired games and rate them.

Examples:
    dotzero arena 'players=[zero:runs/boxes_3x3/export,medium]' rules.rows=3 rules.columns=3
    dotzero arena 'players=[insane,hard,medium,easy@miss=0.3,random]' games=200 out=results/ladder
    dotzero arena 'players=[hard,insane,medium,easy]' mode=gauntlet anchor=medium
    dotzero arena 'players=[zero:new,zero:old]' games=2000 'sprt=[0,30]'
    dotzero arena 'players=[engine:dotzero engine@level=hard,medium]' games=20
    dotzero arena game=kropki 'players=[hard,medium]' 'rules={width: 8, height: 8, start: random_crosses}'

Players: random; the levels easy, medium, hard, insane; greedy (Kropki); zero, the released network
that suits the board; zero:DIR, any other network; engine:COMMAND, a program that speaks the protocol of
`dotzero engine`, or with protocol=ccgc that of the Chinese championship. Their options follow an @:
easy@miss=0.3,blunder=0.1 insane@rollouts=2000 zero:DIR@simulations=256,temperature=0.5.

A program that ends, falls silent or makes an illegal move forfeits that game and is started anew for the next
one; below the table stands how many games a player has forfeited and why the first one, in results.json as
forfeits and first_forfeit. If no game of such a player went on to its end, as where its program cannot be
started, the results are written and shown all the same, and the command ends with an error and exit code 2.
With out=DIR forfeited games are kept as played: name another folder, or delete DIR, once it is mended.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.schema import ArenaJob
    from dotzero.play.players import Budget, Player


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import ArenaJob

    return run_job(ArenaJob, argv, arena)


def arena(job: "ArenaJob") -> Report:
    """Play the round robin."""
    from contextlib import ExitStack
    from functools import partial

    from dotzero.cores import num_cores
    from dotzero.envs.registry import make_game
    from dotzero.play.chunks import Entrant, Setting, play_in_workers
    from dotzero.play.tournament import play_tournament
    from dotzero.scripts.progress import match_progress

    game = make_game(job.game, job.rules)
    entrants = tuple(Entrant(text=text, budget=job.budget()) for text in job.competitors)
    workers = job.workers or num_cores()
    with ExitStack() as stack:
        players = []
        for entrant in entrants:
            players.append(entrant.make(game))  # whatever is wrong with one is told before the workers start
            stack.callback(players[-1].close)
        _require_use(job.budget(), players)
        progress = stack.enter_context(match_progress("arena"))
        setting = Setting(game=game, entrants=entrants, config=job.arena())
        result = play_tournament(
            game,
            players,
            job.arena(),
            job.plan(),
            folder=Path(job.out) if job.out else None,
            progress=progress,
            play_chunks=partial(play_in_workers, setting, workers) if workers > 1 else None,
        )
    error = result.failure
    if error is not None and job.out:
        error += f"; {job.out} keeps these games, so name another out= once that is mended"
    return Report(data=result.to_json(), shown=result.tables(), error=error)


def _require_use(budget: "Budget | None", players: "Sequence[Player]") -> None:
    """Refuse what every move may cost where no player can keep to it."""
    if budget is None or any(budget.kind in player.budgets for player in players):
        return
    names = ", ".join(player.name for player in players)
    raise ValueError(
        f"{budget.kind} must be left out where no player can use it, as none of {names} can, "
        f"got {getattr(budget, budget.kind)}"
    )
