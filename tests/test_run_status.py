"""The state of a run as its folder tells it: what is committed counts, the lock is not taken."""

import fcntl
import json
import os

import pytest
import torch
from made_runs import STATE, make_run

from dotzero.configs.compose import compose
from dotzero.configs.schema import TrainJob, plain
from dotzero.train.loop import Training
from dotzero.train.run_folder import RunFolder
from dotzero.train.run_status import Stage, owner, read_status, run_folders


def test_a_stopped_run(tmp_path):
    status = read_status(make_run(tmp_path / "a"))
    assert (status.stage, status.process) == (Stage.STOPPED, None)
    assert (status.iteration, status.num_iterations) == (12, 40)
    assert (status.seconds, status.num_evaluations, status.num_positions) == (130.0, 5000, 900)
    assert status.window == 120
    assert status.evaluations_per_second == 1200.0
    assert status.rss_mib == 512.0
    assert status.losses == {"policy": 1.88}
    assert (status.earlier_iteration, status.earlier_losses) == (2, {"policy": 1.98})
    assert status.seconds_left == pytest.approx(280.0)  # 28 iterations of 10 s
    assert (status.judge_iteration, status.judge) == (10, {"3x3/raw/optimal": 0.5, "3x3/raw/lost": 0.5})
    assert status.checkpoint is None
    assert status.export is None
    assert 0 <= status.committed_ago < 600
    assert status.disk_mib == pytest.approx(
        sum(file.stat().st_size for file in (tmp_path / "a").iterdir()) / 2**20
    )


def test_the_first_iteration_has_nothing_before_it(tmp_path):
    status = read_status(make_run(tmp_path / "a", {**STATE, "iteration": 1, "seconds": 20.0}))
    assert status.earlier_iteration is None
    assert status.seconds_left == pytest.approx(39 * 20.0)
    assert status.judge == {}
    assert status.judge_iteration is None


def test_a_run_in_use_is_told_by_its_lock_which_stays_where_it_is(tmp_path):
    path = make_run(tmp_path / "a")
    with RunFolder(path):
        for _ in range(2):
            status = read_status(path)
            assert (status.stage, status.process) == (Stage.RUNNING, os.getpid())
        with pytest.raises(ValueError, match="must not be in use"):
            RunFolder(path)
    with open(path / "lock") as first:  # two who look do not see each other
        fcntl.flock(first, fcntl.LOCK_SH)
        assert owner(path) == (False, None)
    assert read_status(path).stage is Stage.STOPPED
    RunFolder(path).close()


def test_a_run_before_its_first_commit(tmp_path):
    with RunFolder(tmp_path / "new"):
        status = read_status(tmp_path / "new")
        assert (status.stage, status.process) == (Stage.STARTING, os.getpid())
        assert status.num_iterations is None
        assert status.seconds_left is None
    assert read_status(tmp_path / "new").stage is Stage.STOPPED


def test_learned_and_finished_are_two_things(tmp_path):
    path = make_run(tmp_path / "a", {**STATE, "iteration": 40}, 40)
    (path / "checkpoints").mkdir()
    for name in ("000020", "000040"):
        (path / "checkpoints" / f"{name}.safetensors").write_bytes(b"x")
    status = read_status(path)
    assert status.stage is Stage.LEARNED
    assert status.seconds_left == 0
    assert status.checkpoint == str(path / "checkpoints" / "000040.safetensors")
    players = [{"name": "zero", "score": 0.75}, {"name": "medium", "score": 0.25}]
    (path / "finished.json").write_text(json.dumps({"arena": {"players": players}, "export": "here"}))
    status = read_status(path)
    assert status.stage is Stage.FINISHED
    assert (status.score, status.opponent, status.export) == (0.75, "medium", "here")
    (path / "finished.json").write_text(json.dumps({"arena": None, "export": "here"}))
    assert read_status(path).score is None


def test_a_bad_batch_counts_until_the_run_has_passed_it(tmp_path):
    path = make_run(tmp_path / "a")
    for step in (200, 300, 301, 1001):
        (path / f"bad-batch-{step}.safetensors").write_bytes(b"x")
    assert read_status(path).bad_batches == [str(path / f"bad-batch-{n}.safetensors") for n in (301, 1001)]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("state.json", "{", "state.json is damaged"),
        ("state.json", "[1]", "state.json is damaged: not a JSON object"),
        ("state.json", "{}", "state.json is damaged or of another version of dotzero: it has no settings"),
        ("state.json", json.dumps({**STATE, "step": "x"}), "it has no step"),
        ("metrics.jsonl", "[]\n", "metrics.jsonl is damaged: line 1"),
        ("finished.json", '{"arena": {}}', "finished.json is damaged: its arena has no result"),
    ],
)
def test_damage_is_one_line(tmp_path, name, content, message):
    path = make_run(tmp_path / "a")
    (path / name).write_text(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_status(path)
    assert "\n" not in str(caught.value)


def test_what_is_no_run_is_refused_and_runs_are_found(tmp_path):
    (tmp_path / "other").mkdir()
    for path in (tmp_path / "absent", tmp_path / "other"):
        with pytest.raises(ValueError, match=rf"run must be the folder of a run, {path} is none"):
            read_status(path)
    paths = [make_run(tmp_path / name) for name in ("b", "a", "grid/x=1")]
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "lock").write_text("1\n")  # it only begins
    assert run_folders(tmp_path) == sorted([*paths, tmp_path / "new"])


def test_what_the_loop_commits_can_be_read(tmp_path):
    words = ["preset=smoke", "rules.rows=1", "rules.columns=2", "loop.num_iterations=3"]
    words += ["loop.positions_per_iteration=30", "selfplay.random_opening_plies=2"]
    config = compose(TrainJob, words).training()
    torch.set_num_threads(1)
    with RunFolder(tmp_path / "a") as folder:
        training = Training(config, plain(config), folder)
        training.iterate()
        training.iterate()
        status = read_status(tmp_path / "a")
        training.close()
        assert (status.stage, status.process) == (Stage.RUNNING, os.getpid())
        assert (status.iteration, status.num_iterations) == (2, 3)
        assert status.num_evaluations == training.num_evaluations
        assert status.num_positions == training.replay.total
        assert status.window == len(training.replay)
    assert {"policy", "value", "margin", "loss"} <= set(status.losses)
    assert not {"step", "learning_rate", "gradient_norm"} & set(status.losses)
    assert status.losses.keys() == status.earlier_losses.keys()
    assert status.seconds_left > 0
    assert status.checkpoint.endswith("000002.safetensors")
