"""What stands beside the board: scores, clocks, turns, what moves did, warnings before a STOP."""

from played_sessions import CAPTURE, Time, boxes, kropki, play

from dotzero.play.seats import Language
from dotzero.play.terminal_status import move_lines, status_line, stop_warning
from dotzero.play.timers import TimeControl

EN, RU = Language


def test_r112_score_and_turn():
    """R112: boxes of both sides and whose turn it is; "you" where one person plays."""
    assert status_line(boxes(seats=(None, "easy")), EN) == "You (Y) 0 : 0 Easy (E), your move"
    assert status_line(boxes(seats=("easy", None)), RU) == "Лёгкий (Л) 0 : 0 Вы (В), ходит Лёгкий"
    named = boxes(seats=(None, "easy"), names=("Anna", ""))
    assert status_line(named, EN) == "Anna (A) 0 : 0 Easy (E), Anna to move"


def test_r135_kropki_tells_points_left_and_komi():
    """R135, R143, R045."""
    session = kropki(rules={"komi": 0.5})
    play(session, CAPTURE)
    text = status_line(session, EN)
    assert text == "Player 1 (X) 0 : 1 Player 2 (O), komi 0.5 for Player 2, 17 points left, Player 1 to move"


def test_r122_clocks_and_the_solo_phase():
    """R122, R036: what both have left; in a solo phase the countdown and the moves."""
    now = Time()
    session = boxes(clock=TimeControl(seconds=90, increment=2), now=now)
    now.pass_by(31)
    assert "clock 0:59 : 1:30" in status_line(session, EN)
    session = kropki(rules={"stop": "solo", "solo_moves": 7}, now=now)
    play(session, ["aa", "stop"])
    now.pass_by(5)
    text = status_line(session, EN)
    assert text.endswith("alone now: Player 1, 2:55 left; stop ends the game, 7 moves left")


def test_what_a_move_did():
    """A computer's move is always told, a person's capture or box only where it did something."""
    session = boxes(1, 3, seats=(None, "easy"))
    (move,) = play(session, ["A1T"])
    assert move_lines(session, move, EN) == []
    (move,) = play(session, ["B1T"])
    assert move_lines(session, move, EN) == ["Easy: B1T"]
    play(session, ["A1B", "B1B"])
    (move,) = play(session, ["A1L"])
    assert move_lines(session, move, EN) == []
    (move,) = play(session, ["A1R"])
    assert move_lines(session, move, EN)[0] == "Easy: B1L, takes 1 box"


def test_r021_a_house_captures_for_its_owner():
    """The one who steps in is captured by the other: the text names who."""
    session = kropki()
    play(session, ["cb", "aa", "bc", "ea", "dc", "ab", "cd", "eb"])
    (move,) = play(session, ["ee"])
    assert move_lines(session, move, EN) == []
    (move,) = play(session, ["cc"])
    (line,) = move_lines(session, move, EN)
    assert line.startswith("Player 1: 1 dot captured, chain ")
    assert set(line.split()[-4:]) == {"cb", "bc", "dc", "cd"}


def test_add_turn_announces_the_next_move():
    session = kropki(rules={"add_turn": True})
    play(session, CAPTURE[:-1])
    (move,) = play(session, CAPTURE[-1:])
    assert move_lines(session, move, EN)[-1] == "CAPTURE! MOVE AGAIN"
    assert move_lines(session, move, RU)[-1] == "ОКРУЖЕНИЕ! ХОДИТЕ ЕЩЁ"


def test_r037_warnings_before_a_stop():
    """R037, R036: what it costs by each rule."""
    session = kropki()
    play(session, ["cc", "aa"])
    assert stop_warning(session, EN) == "1 of your dots is not grounded: by STOP it goes to Player 2."
    play(session, ["cb"])
    assert stop_warning(session, EN).startswith("All your dots are grounded")
    ring = ["cb", "cc", "bc", "aa", "dc", "ba", "cd", "ca"]
    session = kropki()
    play(session, ring)
    assert stop_warning(session, EN) == (
        "4 of your dots are not grounded: by STOP they go to Player 2. "
        "1 of the dots that you hold is not grounded: by STOP it is free again."
    )
    play(session, ["stop"])
    assert session.score == (0, 4)  # just so
    session = kropki(rules={"stop": "solo"})
    play(session, ring)
    assert "1 of the dots that you hold is not grounded." in stop_warning(session, EN)
    assert "Из окружённых вами не заземлена 1 точка." in stop_warning(session, RU)
    session = kropki(rules={"stop": "solo"})
    play(session, ["cc", "aa"])
    assert "Player 2 places dots alone, for 3:00 at most; 1 of your dots" in stop_warning(session, EN)
    play(session, ["stop"])
    assert stop_warning(session, EN) == "STOP ends the game now."
