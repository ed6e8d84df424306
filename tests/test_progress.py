"""Progress lines: rate and estimate, not more often than asked for, and the last one always."""

from dotzero.scripts import progress
from dotzero.scripts.progress import Lines, Remarks, match_progress


def test_plain_lines_where_there_is_no_terminal(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with Lines("train x", 100) as lines:
        lines.start(40)
        for done in range(41, 101):
            now[0] += 2.0
            lines.step(done, f"loss {done}")
    shown = capsys.readouterr()
    assert shown.out == ""
    printed = shown.err.splitlines()
    # Steps before the start say nothing about the rate: 2 s a step from here on.
    assert printed[0] == "train x 41/100 loss 41 about 118 s left"
    assert printed[1] == "train x 46/100 loss 46 about 108 s left"
    assert printed[-1] == "train x 100/100 loss 100 about 0 s left"
    assert len(printed) == 13


def test_every_match_has_its_own_lines(capsys):
    with match_progress("arena") as tell:
        tell("a", "b", 0, 4)
        tell("a", "b", 4, 4)
        tell("a", "c", 4, 4)
    printed = capsys.readouterr().err.splitlines()
    assert printed[-1].startswith("arena a - c 4/4")
    assert any(line.startswith("arena a - b 4/4") for line in printed)


def test_remarks_now_and_then(capsys, monkeypatch):
    """Work of unknown length: what is told between two lines is left out."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with Remarks("solve") as remarks:
        for step in range(8):
            now[0] += 4.0
            remarks.tell(f"value {step}")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == ["solve value 2", "solve value 5"]
