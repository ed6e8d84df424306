"""Measure the speed of rules, environments, search, exact play, network and self-play on this machine.

Examples:
    dotzero bench
    dotzero bench game=kropki rules.width=20 rules.height=20
    dotzero bench output=json network.num_blocks=6 network.num_channels=64
    dotzero bench plan preset=boxes_5x5     foretells a training run; see dotzero bench plan --help
    dotzero bench gpu                       checks and measures a GPU; see dotzero bench gpu --help

Each figure is the best of several runs in one process. Machines are noisy: compare ratios, not numbers.
"""

import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job
from dotzero.scripts.rates import rate

if TYPE_CHECKING:
    from dotzero.configs.schema import BenchJob

BOARDS: dict[str, list[dict[str, int]]] = {
    "boxes": [{}],
    "kropki": [{"width": 8, "height": 8}, {"width": 20, "height": 20}, {"width": 39, "height": 32}],
}
"""What is measured where no rules are given."""
NUM_MOVES = 400_000
"""About as many moves of random games between two looks at the clock."""
NUM_COPIES = 20_000
"""Copies of a state between two looks at the clock."""


def main(argv: list[str]) -> int:
    """Run the act."""
    if argv[:1] == ["plan"]:
        from dotzero.scripts.plan import plan_main

        return plan_main(argv[1:])
    if argv[:1] == ["gpu"]:
        from dotzero.scripts.gpu_check import gpu_main

        return gpu_main(argv[1:])
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.schema import BenchJob

    return run_job(BenchJob, argv, bench)


def bench(job: "BenchJob") -> Report:
    """Measure everything of each game; networks on its first board."""
    import torch

    from dotzero.configs.schema import ALL_GAMES
    from dotzero.envs.registry import game_names, make_game
    from dotzero.scripts.env_speed import KROPKI_BOARD, env_figures
    from dotzero.scripts.network_speed import network_figures
    from dotzero.scripts.solver_speed import solver_figures
    from dotzero.search.endgame import has_solver

    torch.set_num_threads(1)
    parts = ("rules", "environments", "search", "network", "solver", "selfplay")
    data: dict[str, Any] = {"machine": _machine(), **{part: {} for part in parts}}
    for name in game_names() if job.game == ALL_GAMES else [job.game]:
        games = [make_game(name, rules) for rules in ([job.rules] if job.rules else BOARDS.get(name, [{}]))]
        for game in games:
            data["rules"][_board(game)] = _rules(job, game)
            data["search"][_board(game)] = _search(job, game)
            if has_solver(game):
                data["solver"][_board(game)] = solver_figures(job, game)
        shown = make_game(name, KROPKI_BOARD) if name == "kropki" and not job.rules else games[0]
        data["environments"][_board(shown)] = env_figures(shown, _best, job)
        network, selfplay = network_figures(job, games[0], _best)
        data["network"] |= network
        data["selfplay"] |= selfplay
    return Report(data=data, shown=[_table(data, f"Best of {job.repeats}; one thread unless it says more")])


def _board(game: Any) -> str:
    """Game and size."""
    from dotzero.envs.registry import size_text

    return f"{game.name}@{size_text(game)}"


def _machine() -> dict[str, Any]:
    """What the figures were measured on."""
    import torch

    from dotzero.cores import num_cores

    return {
        "processor": _processor(),
        "cores": num_cores(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def _table(data: dict[str, Any], title: str) -> Any:
    from rich.table import Table

    from dotzero.scripts import env_speed, network_speed, solver_speed

    table = Table(title=title)
    table.add_column("figure")
    table.add_column("a second", justify="right")
    for board, row in data["rules"].items():
        table.add_row(f"random games, {board}", f"{row['random_games_per_second']:,.0f}")
        if "with_grounding" in row:
            copies = f"a move = {row['move_to_copy']:.2f} state copies, {row['ns_a_move']:.0f} ns"
            table.add_row(f"  with grounding kept; without it {copies}", f"{row['with_grounding']:,.0f}")
    for board, row in data["environments"].items():
        env_speed.add_rows(table, board, row)
    for board, row in data["search"].items():
        cost = f", features {row['feature_ns_a_leaf']:,.0f} ns a leaf" if "feature_ns_a_leaf" in row else ""
        name = f"simulations with a free evaluator, {board}, {row['games']} games{cost}"
        table.add_row(name, f"{row['simulations_per_second']:,.0f}")
    for board, figures in data["solver"].items():
        solver_speed.add_rows(table, board, figures)
    network_speed.add_rows(table, data["network"], data["selfplay"])
    return table


def _best(job: "BenchJob", *works: Callable[[], int]) -> list[float]:
    """The best rate of each `work`; in turn, so that drift meets all of them, after a warm-up."""
    for work in works:
        rate(work, job.seconds / 4)
    rounds = [[rate(work, job.seconds) for work in works] for _ in range(job.repeats)]
    return [max(rates) for rates in zip(*rounds, strict=True)]


def _rules(job: "BenchJob", game: Any) -> dict[str, Any]:
    """Random games a second; in Kropki also with grounding kept, and against plain copies of its states."""
    num_games = max(1, NUM_MOVES // game.num_actions)

    def work(**options: bool) -> int:
        game.play_random_games(num_games, 1, **options)
        return num_games

    if game.name != "kropki":
        return {"random_games_per_second": _best(job, work)[0], "threads": 1}

    def copy() -> int:
        game.copy_states(NUM_COPIES)
        return NUM_COPIES

    plain, grounded, copies = _best(job, work, lambda: work(keep_grounding=True), copy)
    moves = game.play_random_games(num_games, 1).placements / num_games
    return {
        "random_games_per_second": plain,
        "with_grounding": grounded,
        "grounding_cost": plain / grounded,
        "ns_a_move": 1e9 / (plain * moves),
        "ns_a_move_with_grounding": 1e9 / (grounded * moves),
        "ns_a_copy": 1e9 / copies,
        "move_to_copy": copies / (plain * moves),
        "threads": 1,
    }


def _search(job: "BenchJob", game: Any) -> dict[str, Any]:
    """Simulations a second from new games; in Kropki also what the features of one leaf cost."""
    import numpy as np

    from dotzero.models.evaluator import UniformEvaluator
    from dotzero.search.mcts import Search, game_seeds, run

    evaluator = UniformEvaluator(game.num_policy_slots)
    seeds = game_seeds(np.random.SeedSequence(0), job.num_games)
    search = Search(game, job.num_games, job.search, evaluator, seeds)
    slots, start = np.arange(job.num_games, dtype=np.int32), game.start(job.num_games)

    def work() -> int:
        search.begin(slots, start)
        run([search])
        return job.num_games * job.search.num_simulations

    row = {"simulations_per_second": _best(job, work)[0], "threads": 1, "games": job.num_games}
    return row | ({"feature_ns_a_leaf": _feature_cost(job, game)} if game.name == "kropki" else {})


def _feature_cost(job: "BenchJob", game: Any) -> float:
    """Nanoseconds to encode a position from the middle of a game, which fills about a third of the board."""
    import numpy as np

    random, state = np.random.default_rng(0), game.start(32)
    for _ in range(game.rules.num_points // 6):
        lots = np.where(game.opening_actions(state), random.random((32, game.num_actions)), -1.0)
        state = game.step(state, np.where(state.finished, -1, lots.argmax(axis=1)))

    def encode() -> int:
        return len(game.observe(state).globals)

    def read() -> int:  # what the core does before it can encode, and has done already in a search
        return len(game.ungrounded(state))

    encoded, only_read = _best(job, encode, read)
    return 1e9 / encoded - 1e9 / only_read


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
