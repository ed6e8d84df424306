"""Let players compete in paired games and rate them.

Examples:
    dotzero arena 'players=[zero:runs/boxes_3x3/export,medium]' rules.rows=3 rules.columns=3
    dotzero arena 'players=[insane,hard,medium,easy@miss=0.3,random]' games=200 out=results/ladder
    dotzero arena game=kropki 'players=[hard,medium]' 'rules={width: 8, height: 8, start: random_crosses}'

Players: random; the levels easy, medium, hard, insane; greedy (Kropki); zero, the released network
that suits the board; zero:DIR, any other network. Their options follow an @: easy@miss=0.3,blunder=0.1
insane@rollouts=2000 zero:DIR@simulations=256,temperature=0.5. The last player anchors the ratings.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.schema import ArenaJob


def main(argv: list[str]) -> int:
    """Run the act."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import ArenaJob

    return run_job(ArenaJob, argv, arena)


def arena(job: "ArenaJob") -> Report:
    """Play the round robin."""
    from contextlib import ExitStack

    from dotzero.envs.registry import make_game
    from dotzero.play.players import make_player
    from dotzero.play.tournament import play_round_robin
    from dotzero.scripts.progress import match_progress

    game = make_game(job.game, job.rules)
    with ExitStack() as stack:
        players = []
        for text in job.competitors:
            players.append(make_player(text, game))
            stack.callback(players[-1].close)
        progress = stack.enter_context(match_progress("arena"))
        out = Path(job.out) if job.out else None
        result = play_round_robin(game, players, job.arena(), out, progress)
    return Report(data=result.to_json(), shown=[result.table()])
