"""A small training run in as many processes' lives as a test likes, and what it has learned."""

import json

import torch
from safetensors.torch import load_file

from dotzero.configs.compose import compose
from dotzero.configs.schema import TrainJob, plain
from dotzero.train.loop import Training
from dotzero.train.run_folder import RunFolder


def settings(**changes):
    words = ["preset=smoke", "rules.rows=1", "rules.columns=2", "loop.num_iterations=4"]
    words += ["loop.positions_per_iteration=60", "selfplay.random_opening_plies=2"]
    return compose(TrainJob, [*words, *(f"{key}={value}" for key, value in changes.items())]).training()


def kropki_settings(**changes):
    words = ["preset=kropki_smoke", "loop.num_iterations=4", "loop.positions_per_iteration=60"]
    return compose(TrainJob, [*words, *(f"{key}={value}" for key, value in changes.items())]).training()


def iterate(path, config, number, after_play=None):
    """Run some iterations in a process' life: open, go on, close."""
    torch.set_num_threads(1)
    with RunFolder(path) as folder:
        training = Training(config, plain(config), folder)
        try:
            if after_play is not None:
                training._learn = lambda: after_play(training)
            for _ in range(number):
                training.iterate()
            return training.iteration
        finally:
            training.close()


def content(path):
    """All that a run has learned: state without times, and every tensor it names."""
    state = json.loads((path / "state.json").read_text())
    tensors = {}
    for name in [*state["files"].values(), *(f"shards/{shard}" for shard in state["shards"])]:
        tensors |= {f"{name}:{key}": value for key, value in load_file(path / name).items()}
    for key in ("seconds", "settings"):
        del state[key]
    for shard in filter(None, (state["ready"], state["ahead"])):
        shard["values"] = {k: v for k, v in shard["values"].items() if "second" not in k and "time" not in k}
        tensors |= {f"{shard['name']}:{k}": v for k, v in load_file(path / "shards" / shard["name"]).items()}
    return state, tensors


def assert_same_run(one, two):
    state, tensors = content(one)
    other_state, other_tensors = content(two)
    assert state == other_state
    assert tensors.keys() == other_tensors.keys()
    for name, value in tensors.items():
        torch.testing.assert_close(
            other_tensors[name], value, rtol=0, atol=0, equal_nan=True, msg=name
        )  # where nothing was searched there is NaN
