"""The loop: N + N iterations equal 2N to the bit, a run survives being killed anywhere, settings stay."""

import json
import shutil
import time

import numpy as np
import pytest
import torch
from run_in_pieces import assert_same_run, content, iterate, kropki_settings, settings
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

from dotzero.configs.compose import compose
from dotzero.configs.schema import TrainJob, plain
from dotzero.models.checkpoint import load_checkpoint
from dotzero.train.loop import Training
from dotzero.train.run_folder import RunFolder, changed_settings


@pytest.mark.parametrize(("kind", "overlap"), [("torch", True), ("onnx", True), ("torch", False)])
def test_n_plus_n_iterations_equal_2n_to_the_bit(tmp_path, kind, overlap):
    config = settings(**{"backend.kind": kind, "loop.overlap": overlap})
    assert iterate(tmp_path / "whole", config, 4) == 4
    assert iterate(tmp_path / "pieces", config, 1) == 1
    assert iterate(tmp_path / "pieces", config, 2) == 3
    assert iterate(tmp_path / "pieces", config, 1) == 4
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")
    state, tensors = content(tmp_path / "whole")
    assert state["iteration"] == 4
    assert state["total_positions"] >= 240
    weights = [value for name, value in tensors.items() if ":average." in name]
    assert any(value.abs().sum() > 0 for value in weights)


def test_the_time_of_a_finished_half_is_kept(tmp_path):
    """A process killed while it learns has played already; that time counts once and only once."""

    def fail(training):
        raise KilledError

    with pytest.raises(KilledError):
        iterate(tmp_path, settings(**{"loop.overlap": False}), 1, after_play=fail)
    state = json.loads((tmp_path / "state.json").read_text())
    assert state["seconds"] >= state["ready"]["values"]["time/selfplay"] > 0


BOARDS = "[{columns: 2}, {columns: 1}, {rows: 2, columns: 1}, {columns: 2}]"


@pytest.mark.parametrize(("kind", "overlap"), [("torch", True), ("onnx", True), ("torch", False)])
def test_several_boards_go_on_to_the_bit(tmp_path, kind, overlap):
    """Stopped and begun again, a run on several boards learns what it had learned in one go."""
    config = settings(
        boards=BOARDS, **{"selfplay.num_groups": 4, "backend.kind": kind, "loop.overlap": overlap}
    )
    iterate(tmp_path / "whole", config, 4)
    for number in (1, 2, 1):
        iterate(tmp_path / "pieces", config, number)
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")
    _, tensors = content(tmp_path / "whole")
    shapes = {
        tuple(value.shape[1:]) for name, value in tensors.items() if "shards" in name and ".points" in name
    }
    assert shapes == {(1, 2, 3), (1, 2, 2), (1, 3, 2)}


def test_kropki_on_several_boards_goes_on_to_the_bit(tmp_path):
    """Drawn starts and komi belong to what is saved."""
    words = ["preset=kropki_smoke", "loop.positions_per_iteration=80", "loop.num_iterations=3"]
    config = compose(TrainJob, words).training()
    assert config.loop.overlap
    iterate(tmp_path / "whole", config, 3)
    for _ in range(3):
        iterate(tmp_path / "pieces", config, 1)
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")


def test_one_board_named_by_boards_is_the_board_of_the_rules(tmp_path):
    iterate(tmp_path / "rules", settings(), 2)
    named = settings(boards="[{rows: 1, columns: 2}]", **{"rules.rows": 3})
    iterate(tmp_path / "boards", named, 2)
    assert_same_run(tmp_path / "rules", tmp_path / "boards")


def test_boards_stay_and_are_told_in_the_card(tmp_path):
    config = settings(boards=BOARDS, **{"selfplay.num_groups": 4})
    iterate(tmp_path, config, 2)
    _, meta = load_checkpoint(tmp_path / "checkpoints" / "000002.safetensors")
    assert [tuple(board.values())[:2] for board in meta.about["boards"]] == [(1, 2), (1, 1), (2, 1), (1, 2)]
    assert meta.about["rules"] == {"rows": 1, "columns": 2, "border": "none", "scoring": "normal"}
    assert meta.encoding.max_margin == 2
    with pytest.raises(ValueError, match=r"boards must stay \[.*\] in a run that has begun, got \[\]"):
        iterate(tmp_path, settings(**{"selfplay.num_groups": 4}), 1)
    with pytest.raises(
        ValueError, match=r"^SelfPlayConfig\.num_groups must be at least the number of boards"
    ):
        iterate(tmp_path / "few", settings(boards=BOARDS), 1)


def test_the_variants_of_boxes_are_learned_together(tmp_path):
    """Borders and misere: each board's positions begin with its own lines and tell its own scoring."""
    boards = "[{border: all, rows: 2}, {border: left_bottom, scoring: misere}]"
    iterate(tmp_path, settings(boards=boards), 1)
    _, tensors = content(tmp_path)
    played = "shards/000001.safetensors:"
    for board, (edge, misere) in enumerate(((8, 0), (3, 1))):
        points, numbers = (tensors[f"{played}{board}.{name}"] for name in ("points", "globals"))
        drawn = (points & 1).count_nonzero((1, 2, 3)) + (points & 2).count_nonzero((1, 2, 3))
        assert drawn.min() >= edge
        assert (numbers[:, 8] == misere).all()


def test_results_do_not_depend_on_workers(tmp_path):
    for workers in (1, 3):
        iterate(tmp_path / str(workers), settings(**{"backend.num_workers": workers}), 2)
    assert_same_run(tmp_path / "1", tmp_path / "3")


def test_threads_are_for_learning_only(tmp_path):
    """The evaluators' rule is one thread an evaluation, however many the learner has."""
    seen = {"play": set(), "learn": set()}
    config = settings(**{"loop.overlap": False, "learner.num_threads": 2})
    with RunFolder(tmp_path) as folder:
        training = Training(config, plain(config), folder)
        play, train_batch = training.selfplay.play, training.learner.train_batch
        training.selfplay.play = lambda *a: seen["play"].add(torch.get_num_threads()) or play(*a)
        training.learner.train_batch = lambda *a: (
            seen["learn"].add(torch.get_num_threads()) or train_batch(*a)
        )
        training.iterate()
        training.iterate()
        training.close()
    torch.set_num_threads(1)
    assert seen == {"play": {1}, "learn": {2}}


class KilledError(BaseException):
    """Stands for kill -9: nothing after it runs."""


@pytest.mark.parametrize("overlap", [True, False])
def test_killed_before_learning_ends_keeps_every_finished_shard(tmp_path, overlap):
    """With overlap two shards are waiting then: the one being learned from and the one played meanwhile."""

    def killed(training):
        while overlap and training._ahead is None:  # the other half goes on until it has committed its shard
            time.sleep(0.01)
        time.sleep(0.2)
        raise KilledError

    config = settings(**{"loop.overlap": overlap})
    iterate(tmp_path / "whole", config, 3)
    iterate(tmp_path / "killed", config, 1)
    with pytest.raises(KilledError):
        iterate(tmp_path / "killed", config, 1, after_play=killed)
    run = tmp_path / "killed"
    state = json.loads((run / "state.json").read_text())
    assert state["iteration"] == 1
    assert state["ready"]["name"] == "000002.safetensors"
    assert (state["ahead"] is not None) == overlap
    finished = ["000002.safetensors", "000003.safetensors"][: 1 + overlap]
    stamps = [(run / "shards" / name).stat().st_mtime_ns for name in finished]
    iterate(run, config, 1)
    assert stamps == [(run / "shards" / name).stat().st_mtime_ns for name in finished]
    iterate(run, config, 1)
    assert_same_run(tmp_path / "whole", run)


def test_an_interrupted_self_play_stops_the_learner_too(tmp_path):
    config = settings(**{"replay.reuse": 4000.0})  # minutes of learning, were it not stopped
    torch.set_num_threads(1)
    with RunFolder(tmp_path) as folder:
        training = Training(config, plain(config), folder)
        play = training._play

        def interrupted(number):
            if number == 1:
                return play(number)
            raise KeyboardInterrupt

        training._play = interrupted
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            training.iterate()
        assert time.monotonic() - begun < 30
        training.close()
    assert json.loads((tmp_path / "state.json").read_text())["iteration"] == 0


def test_files_that_no_state_names_are_swept_away(tmp_path):
    config = settings()
    iterate(tmp_path / "whole", config, 2)
    iterate(tmp_path / "torn", config, 1)
    torn = tmp_path / "torn"
    # What a kill in the middle of the second iteration may leave.
    (torn / "learner-000002.safetensors").write_bytes(b"whole, but never committed")
    (torn / "shards" / ".000002.safetensors.77.tmp").write_bytes(b"half")
    with (torn / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 2, "learner/loss": 1.0}\n{"iteration": 2, "lear')
    iterate(torn, config, 1)
    assert_same_run(tmp_path / "whole", torn)
    assert not list(torn.glob("**/*.tmp"))
    assert sorted(path.name for path in torn.glob("learner-*")) == ["learner-000002.safetensors"]
    lines = [json.loads(line) for line in (torn / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2]
    assert "learner/policy" in lines[1]


def test_snapshots_load_and_tell_where_they_come_from(tmp_path):
    iterate(tmp_path, settings(), 4)
    paths = sorted((tmp_path / "checkpoints").glob("*.safetensors"))
    assert [path.name for path in paths] == ["000002.safetensors", "000004.safetensors"]
    network, meta = load_checkpoint(paths[-1])
    assert meta.about["rules"] == {"rows": 1, "columns": 2, "border": "none", "scoring": "normal"}
    assert meta.about["training"]["iterations"] == 4
    state, tensors = content(tmp_path)
    average = tensors[f"{state['files']['learner']}:average.stem.weight"]
    assert torch.equal(network.stem.weight, average)


def test_a_run_that_has_begun_keeps_what_must_stay(tmp_path):
    iterate(tmp_path, settings(), 1)
    before = (tmp_path / "state.json").read_text()
    with pytest.raises(ValueError, match=r"network\.num_blocks must stay 2 in a run that has begun, got 3"):
        iterate(tmp_path, settings(**{"network.num_blocks": 3}), 1)
    assert (tmp_path / "state.json").read_text() == before
    assert iterate(tmp_path, settings(**{"backend.num_workers": 2}), 1) == 2
    with pytest.raises(ValueError, match=r"^LearnerConfig\.num_threads must be 1 with loop\.overlap, got 2"):
        settings(**{"learner.num_threads": 2})
    assert changed_settings({"a": {"b": 1}}, {"a": {"b": 1}}, "run") == []
    assert changed_settings({"a": {"b": 1, "c": 1}}, {"a": {"b": 2}}, "run") == [
        "a.b 1 -> 2",
        "a.c 1 -> None",
    ]
    with pytest.raises(
        ValueError, match=r"^run x: network\.num_blocks must stay 2 in a run that has begun, got 3"
    ):
        changed_settings({"network": {"num_blocks": 2}}, {"network": {"num_blocks": 3}}, "run x")


def test_a_run_begins_with_the_weights_of_another(tmp_path):
    """R126: of a network that has learned on a smaller board; and gone on with, to the bit, without it."""
    iterate(tmp_path / "small", settings(), 2)
    start = tmp_path / "small" / "checkpoints" / "000002.safetensors"
    learned = load_checkpoint(start)[0].state_dict()
    larger = {"rules.rows": 2, "loop.num_iterations": 2, "loop.overlap": False}
    config = settings(start_from=str(start), **larger)
    begun = []

    def fail(training):
        begun.append((training.learner.average.state_dict(), training.learner.average.encoding.max_margin))
        raise KilledError

    with pytest.raises(KilledError):
        iterate(tmp_path / "pieces", config, 1, after_play=fail)
    weights, max_margin = begun[0]
    assert max_margin == 4
    assert weights.keys() == learned.keys()
    assert all(torch.equal(weights[name], value) for name, value in learned.items())
    iterate(tmp_path / "pieces", config, 1)
    iterate(tmp_path / "whole", config, 2)
    new = settings(**larger)
    iterate(tmp_path / "new", new, 2)
    start.unlink()
    iterate(tmp_path / "pieces", config, 1)
    assert_same_run(tmp_path / "whole", tmp_path / "pieces")
    with pytest.raises(AssertionError):
        assert_same_run(tmp_path / "whole", tmp_path / "new")
    with pytest.raises(ValueError, match=r"start_from must stay .*000002\.safetensors in a run"):
        iterate(tmp_path / "pieces", new, 1)


def test_weights_that_do_not_fit_are_refused_before_anything_is_written(tmp_path):
    iterate(tmp_path / "one", settings(**{"loop.snapshot_every": 1}), 1)
    path = tmp_path / "one" / "checkpoints" / "000001.safetensors"
    for config, message in (
        (settings(start_from=path, **{"network.num_blocks": 3}), r"a network with num_blocks = 3, got 2$"),
        (
            kropki_settings(start_from=path),
            r"^TrainConfig\.start_from: .*000001\.safetensors was made for boxes, not for kropki$",
        ),
        (
            settings(start_from="none.safetensors"),
            r"^TrainConfig\.start_from must be .* which does not exist$",
        ),
        (settings(start_from=tmp_path / "one"), rf", a run's folder .*: its newest checkpoint is {path}$"),
        (settings(start_from="boxes_4x4"), r"a network with num_blocks = 2, got 5$"),  # a released one
    ):
        with pytest.raises(ValueError, match=message):
            iterate(tmp_path / "two", config, 1)
        assert not (tmp_path / "two" / "state.json").exists()


def test_a_second_process_on_the_same_run_is_refused(tmp_path):
    with RunFolder(tmp_path), pytest.raises(ValueError, match=r"must not be in use, it is by process \d+"):
        RunFolder(tmp_path)
    RunFolder(tmp_path).close()


def test_damaged_state_is_named_and_left_alone(tmp_path):
    iterate(tmp_path / "a", settings(), 1)
    for name, damage in {
        "state.json": "is damaged",
        "selfplay-000002.safetensors": "is damaged",
        "shards/000001.safetensors": "is damaged",
    }.items():
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path / "a", copy)
        path = copy / name
        path.write_bytes(path.read_bytes()[:-9])
        cut = path.read_bytes()
        with pytest.raises(ValueError, match=damage):
            iterate(copy, settings(), 1)
        assert path.read_bytes() == cut
        shutil.rmtree(copy)


@pytest.mark.parametrize("name", ["learner", "selfplay", "shards"])
def test_bit_rot_is_noticed(tmp_path, name):
    """One wrong bit in a tensor of any file that the state names."""
    iterate(tmp_path, settings(), 1)
    state = json.loads((tmp_path / "state.json").read_text())
    path = tmp_path / (f"shards/{state['shards'][0]}" if name == "shards" else state["files"][name])
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{path.name} is damaged: the checksum does not match$"):
        iterate(tmp_path, settings(), 1)


def test_p15_tensorboard_shows_what_the_metrics_say_after_a_resume(tmp_path):
    config = settings()
    iterate(tmp_path, config, 1)
    with (tmp_path / "metrics.jsonl").open("a") as file:  # a kill after the line and before the commit
        file.write('{"iteration": 2, "learner/policy": 99.0}\n')
    board = SummaryWriter(str(tmp_path / "tensorboard"))
    board.add_scalar("learner/policy", 99.0, 2)
    board.close()
    iterate(tmp_path, config, 2)
    events = EventAccumulator(str(tmp_path / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3]
    for tag in ("learner/policy", "replay/total", "selfplay/num_games"):
        shown = events.Scalars(tag)
        assert [event.step for event in shown] == [1, 2, 3]
        np.testing.assert_allclose([event.value for event in shown], [line[tag] for line in lines], rtol=1e-6)


def test_training_learns_the_smallest_board(tmp_path):
    """1x1: whoever draws the third line loses the box. Seconds are enough to learn who wins when."""
    words = {
        "rules.rows": 1,
        "rules.columns": 1,
        "loop.num_iterations": 6,
        "loop.positions_per_iteration": 400,
        "learner.learning_rate": 0.01,
        "selfplay.random_opening_plies": 2,
    }
    config = settings(**words)
    torch.set_num_threads(1)
    with RunFolder(tmp_path) as folder:
        training = Training(config, plain(config), folder)
        for _ in range(6):
            training.iterate()
        game = training.games[0]
        state = game.start(1)
        values = []
        for line in (0, 2, 1):
            evaluation = training.evaluator.evaluate(*game.observe(state))
            values.append(float(np.asarray(evaluation.value)[0]))
            state = game.step(state, [line])
        training.close()
    assert values[0] < -0.5  # the second player takes the only box
    assert values[1] > 0.5
    assert values[2] < -0.5
