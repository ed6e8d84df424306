"""The loop with everything that the large presets switch on, and with matches on the way."""

import json

import pytest
from run_in_pieces import assert_same_run, content, iterate, kropki_settings, settings
from safetensors.torch import load_file

RECIPE = {
    "rules.rows": 2,
    "search.interior": "GUMBEL",
    "search.cache_mib": 1,
    "search.exact_lines": 5,
    "selfplay.strays": 2,
    "selfplay.solved_fraction": 0.3,
    "selfplay.policy_opening_plies": 2,
    "selfplay.full_search_fraction": 0.5,
    "selfplay.result_share": 0.8,
    "selfplay.surprise_share": 0.5,
    "selfplay.repeat_power": 1.0,
    "learner.optimiser": "MUON",
    "network.side_policies": True,
    "learner.soft_policy_weight": 0.5,
    "learner.reply_weight": 0.1,
}
"""What the large presets switch on, and what else there is."""


@pytest.mark.parametrize("backend", [{"kind": "torch"}, {"kind": "onnx", "int8": True}])
def test_the_whole_recipe_goes_on_to_the_bit(tmp_path, backend):
    config = settings(**RECIPE, **{f"backend.{name}": value for name, value in backend.items()})
    iterate(tmp_path / "whole", config, 4)
    iterate(tmp_path / "pieces", config, 1)
    iterate(tmp_path / "pieces", config, 2)
    iterate(tmp_path / "pieces", config, 1)
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")
    _, tensors = content(tmp_path / "whole")
    assert any(name.endswith("momentum") and value.abs().sum() > 0 for name, value in tensors.items())


def test_openings_of_the_network_end_when_they_are_turned_off(tmp_path):
    """The games in play keep their openings; those that begin later have none."""
    words = {"selfplay.policy_opening_plies": 3, "loop.overlap": False, "rules.rows": 2}
    iterate(tmp_path, settings(**words), 1)
    words["selfplay.policy_opening_plies"] = 0
    iterate(tmp_path, settings(**words, **{"loop.positions_per_iteration": 400}), 2)
    name = json.loads((tmp_path / "state.json").read_text())["files"]["selfplay"]
    drawn = [value for key, value in load_file(tmp_path / name).items() if key.endswith(".drawn")]
    assert drawn
    assert not any(value.any() for value in drawn)


def test_matches_on_the_way_are_in_the_metrics(tmp_path):
    changes = {"ladder.every": 2, "ladder.opponents": "[random]", "ladder.games": 2, "ladder.simulations": 2}
    iterate(tmp_path, settings(**changes), 3)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [0 <= line["ladder/random/score"] <= 1 for line in lines if "ladder/random/score" in line] == [
        True
    ]
    assert "ladder/random/elo" in lines[1]
    assert (tmp_path / "checkpoints" / "000002.safetensors").exists()


TAUGHT = {
    "selfplay.num_games": 8,
    "selfplay.teacher_iterations": 2,
    "selfplay.teacher_playouts": 20,
    "selfplay.result_share": 0.8,
    "selfplay.surprise_share": 0.5,
}


def taught(path):
    """What the metrics say of the teacher, iteration by iteration, and whether the network was asked."""
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    return [(line["selfplay/teacher"], line["selfplay/num_evaluations"] > 0) for line in lines]


@pytest.mark.parametrize("overlap", [True, False])
def test_a_run_with_a_teacher_goes_on_to_the_bit_where_the_network_takes_over(tmp_path, overlap):
    """Whose games are played hangs on the iteration that they are for, also where they are played ahead."""
    config = kropki_settings(**TAUGHT, **{"loop.overlap": overlap})
    iterate(tmp_path / "whole", config, 4)
    for _ in range(4):
        iterate(tmp_path / "pieces", config, 1)
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")
    assert taught(tmp_path / "whole") == [(1, False), (1, False), (0, True), (0, True)]


def test_a_run_may_be_taught_longer_or_anew(tmp_path):
    """The teacher's settings may change: the games in play go on with whoever is to play them."""
    for teacher_iterations in (0, 2, 3):
        words = {**TAUGHT, "loop.overlap": False, "selfplay.teacher_iterations": teacher_iterations}
        iterate(tmp_path, kropki_settings(**words), 1)
    assert taught(tmp_path) == [(0, True), (1, False), (1, False)]
