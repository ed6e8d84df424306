"""Folders of runs with made-up numbers, for what only looks at runs."""

import json

STATE = {
    "settings": {"loop": {"num_iterations": 40}},
    "iteration": 12,
    "step": 300,
    "seconds": 130.0,
    "num_evaluations": 5000,
    "total_positions": 900,
}


def make_run(path, state=STATE, iterations=13):
    """A folder with a state and the metrics of `iterations` iterations, of which one is not committed."""
    path.mkdir(parents=True)
    (path / "lock").write_text("1\n")
    (path / "state.json").write_text(json.dumps(state))
    lines = [
        {
            "iteration": n,
            "learner/policy": 2.0 - n / 100,
            "learner/step": 25.0 * n,
            "replay/window": 10.0 * n,
            "selfplay/evaluations_per_second": 100.0 * n,
            "time/seconds": 10.0 * n + 10.0,
            "memory/rss_mib": 500.0 + n,
        }
        | ({"judge/3x3/raw/optimal": n / 20, "judge/3x3/raw/lost": 0.5} if n % 5 == 0 else {})
        for n in range(1, iterations + 1)
    ]
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
