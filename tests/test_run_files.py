"""Files of a run that are read again: the version of the state, the metrics, the events of TensorBoard."""

import json

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from dotzero.train.metrics import Metrics
from dotzero.train.run_folder import STATE_VERSION, RunFolder


def test_a_state_of_another_version_is_refused_by_name(tmp_path):
    with RunFolder(tmp_path) as folder:
        assert folder.read_state() is None
        folder.commit({"iteration": 3})
        assert folder.read_state() == {"state_version": STATE_VERSION, "iteration": 3}
        for state, got in (({"state_version": 1}, "1"), ({"state_version": 99}, "99"), ({}, "None")):
            folder.write_json("state.json", state)
            with pytest.raises(ValueError, match=rf"must have state_version {STATE_VERSION} .*, got {got}$"):
                folder.read_state()


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_state_is_one_line(tmp_path, content):
    with RunFolder(tmp_path) as folder:
        (tmp_path / "state.json").write_bytes(content)
        with pytest.raises(ValueError, match=r"state\.json is damaged: [^\n]*$"):
            folder.read_state()


@pytest.mark.parametrize("line", [b"{", b"", b"[1]", b"3", b"{}", b'{"iteration": "x"}', b"\xff\xfe"])
def test_a_damaged_line_of_the_metrics_is_named(tmp_path, line):
    path = tmp_path / "metrics.jsonl"
    content = b'{"iteration": 1, "a": 1.0}\n' + line + b'\n{"iteration": 2, "a": 1.0}\n'
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=r"metrics\.jsonl is damaged: line 2 is no JSON object with an iteration$"
    ):
        Metrics(tmp_path, 2)
    assert path.read_bytes() == content


def test_p15_a_resumed_run_shows_every_step_once(tmp_path):
    """P15: what was written after the last commit is replaced, in the lines and in TensorBoard."""
    for begin, last, value in ((0, 4, 10.0), (2, 5, 20.0), (5, 6, 30.0)):
        metrics = Metrics(tmp_path, begin)
        for iteration in range(begin + 1, last + 1):
            metrics.write(iteration, {"learner/loss": value + iteration, "time/seconds": 1.0})
        metrics.close()
    expected = [(1, 11.0), (2, 12.0), (3, 23.0), (4, 24.0), (5, 25.0), (6, 36.0)]
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [(line["iteration"], line["learner/loss"]) for line in lines] == expected
    events = EventAccumulator(str(tmp_path / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    assert sorted(events.Tags()["scalars"]) == ["learner/loss", "time/seconds"]
    assert [(event.step, event.value) for event in events.Scalars("learner/loss")] == expected
    assert [event.step for event in events.Scalars("time/seconds")] == [1, 2, 3, 4, 5, 6]
