"""A game in the terminal, driven by typed text: moves, commands, both games."""

import re

import pytest
from played_sessions import EXAMPLE, Time, boxes, kropki
from typed_games import Cast, Scripted, screen_of, typed_game

from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.envs.game_records import Ending
from dotzero.envs.records import read_records, replay
from dotzero.play.terminal import Terminal
from dotzero.play.terminal_texts import TEXTS
from dotzero.play.timers import TimeControl

RING = ["cb", "cc", "bc", "aa", "dc", "ba", "cd"]
"""On 5x5: player 1 closes a ring round the dot of player 2 at cc."""


# ---- Dots and Boxes ----


def test_two_people_play_the_classic_game():
    """R071, R112, R115, R144, R154: score while playing; boxes, size, lines and who began at the end."""
    session = boxes()
    text = typed_game(session, EXAMPLE)
    assert session.finished
    assert session.score == (3, 1)
    assert text.endswith("Player 1 won 3:1.\nBoard 2x2 boxes, 12 lines drawn; Player 1 began.\n")
    assert "Player 1 (P1) 0 : 1 Player 2 (P2), Player 2 to move" in text


def test_names_and_marks_of_two_people():
    """R147, R108: first letters of the names stand in the boxes; equal ones get numbers."""
    text = typed_game(boxes(names=("Anna", "Boris")), EXAMPLE)
    assert "1 # A | A |" in text
    assert "2 | B | A |" in text
    assert "Anna: A2T" in text  # the prompt names who types
    assert "Anna won 3:1." in text
    assert "1 #A1 |A1 |" in typed_game(boxes(names=("Anna", "Andrey")), EXAMPLE)


@pytest.mark.parametrize(("language", "again"), [("en", "BOX! MOVE AGAIN"), ("ru", "КВАДРАТ! ХОДИТЕ ЕЩЁ")])
def test_the_extra_move_is_announced_while_lines_remain(language, again):
    """R109, R149: four boxes are closed, the last one by the last line, which goes straight to the result."""
    text = typed_game(boxes(), EXAMPLE, language)
    assert text.count(again) == 3
    assert again not in text.split("A1L")[-1]


def test_both_names_in_any_case():
    """R070: inner lines have two names."""
    session = boxes()
    typed_game(session, ["a2b", "B2l", "quit"])
    notation = BoxesNotation(session.game.rules)
    assert session.state.lines[0].nonzero()[0].tolist() == [notation.parse("A1T"), notation.parse("A2R")]


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("typed", ["A9T", "hello", "", "A1", "{0}", "%s", "[red]", "A1T", "stop"])
def test_bad_input_gets_one_line_and_another_question(typed, language):
    """R053: also a line that is drawn already; the position stays, and the game goes on."""
    session = boxes(seats=(None, "script"))
    text = typed_game(
        session, ["A1T", typed, "A1B", "quit"], language, players=Cast(script=Scripted("B2T B2R"))
    )
    assert session.num_moves == 4
    answers = text.split(TEXTS["prompt boxes"][0 if language == "en" else 1])
    assert len(answers) == 5
    echo, answer, rest = answers[2].split("\n", 2)
    assert echo == typed
    assert answer
    assert not rest


def test_the_computer_draws_one_line_at_a_time():
    """R111: each of its lines has its own announcement and board."""
    session = boxes(1, 3, seats=(None, "script"))
    players = Cast(script=Scripted("A1T C1B A1R B1R C1R B1B"))
    text = typed_game(session, ["A1L", "A1B", "C1T", "B1T", "quit"], players=players)
    lines = [line for line in text.splitlines() if re.match(r"script: [A-C]\d", line)]
    assert lines[:3] == ["script: A1T", "script: C1B", "script: B1L, takes 1 box"]
    assert text.count("    A   B   C") == 1 + 4 + len(lines)
    assert players.asked[-1] == "closed"


def test_the_phase_and_the_majority_are_told_once():
    """R155, R063: when the last safe line is gone; who has more than half of the boxes."""
    text = typed_game(boxes(), EXAMPLE)
    assert text.count("No safe line is left") == 1
    assert text.index("No safe line is left") > text.index("B2T")
    assert "more than half" not in text  # with the last line the result says it
    text = typed_game(boxes(1, 2), ["A1T", "A1B", "A1L", "A1R", "B1T", "B1B", "B1R"])
    assert "more than half" not in text
    text = typed_game(boxes(1, 3), ["A1T", "A1B", "A1L", "A1R", "B1T", "B1B", "B1R", "C1T", "C1B", "C1R"])
    assert text.count("Player 2: more than half of the boxes.") == 1


def test_misere_is_won_by_fewer_boxes():
    """The classic game once more: 3:1 is a loss now; the rule stands at the start and in the help."""
    from dataclasses import replace

    from dotzero.play.sessions import GameSession

    plain = boxes().settings
    session = GameSession(replace(plain, rules=replace(plain.rules, scoring="misere")))
    text = typed_game(session, ["help", *EXAMPLE], "ru")
    assert "Поддавки: побеждает тот, у кого квадратов меньше.\n" in text
    assert text.count("побеждает тот, у кого квадратов меньше") == 2
    assert "Победа: Игрок 2, 1:3.\n" in text


def test_two_levels_can_be_watched_and_a_seed_gives_one_game():
    def watched(seed):
        return typed_game(boxes(seats=("medium", "random"), seed=seed), [])

    assert "Medium: " in watched(5)
    assert watched(5) == watched(5)
    assert len({watched(seed) for seed in range(5)}) > 1
    alike = typed_game(boxes(seats=("medium", "medium"), seed=1), [])
    assert "Medium 1: " in alike
    assert "Medium 2: " in alike


# ---- Kropki ----


def test_a_capture_is_shown_in_words_and_on_the_board():
    """R006, R031, R120, R135, R161: the chain, the captured dot and the score, without colour."""
    text = typed_game(kropki(), [*RING, "q"])
    assert "Player 1: 1 dot captured, chain cd dc cb bc\n" in text
    board = text.split("captured, chain")[1].split("Point")[0]
    assert "b  . . X . .\nc  . X o X .\nd  . .(X). .\n" in board
    assert "Player 1 (X) 1 : 0 Player 2 (O), 18 points left, Player 2 to move" in board
    assert "X is Player 1, O is Player 2; x and o: captured dots" in text


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("cb", "cb is occupied; choose another point"),
        ("ccc", "move must be the letters of a column and a row"),
        ("zz", "move must be in a column from a to e"),
    ],
)
def test_points_that_cannot_be_played(typed, message):
    assert message in typed_game(kropki(), ["cb", typed, "q"])


def test_closed_points_and_the_zone_are_told_apart():
    """R014, R008."""
    around = ["cb", "cc", "bb", "aa", "db", "ea", "bc", "eb", "dc", "ec", "bd", "ed", "cd", "ae", "dd", "cc"]
    assert "cc is closed: it lies inside an enclosure" in typed_game(kropki(), [*around, "q"])
    session = kropki(9, 9, rules={"opening_zone": (3, 3)})
    assert "aa is outside the opening zone of 3x3 in the middle" in typed_game(session, ["aa", "q"])


def test_r037_stop_warns_of_ungrounded_dots():
    """R036, R037: how many, and nothing is lost by a no; then STOP ends the game."""
    session = kropki(seats=(None, "script"))
    players = Cast(script=Scripted("aa ea ab eb"))
    text = typed_game(session, ["cc", "stop", "no", "bb", "stop", "y"], players=players)
    assert "1 of your dots is not grounded: by STOP it goes to script." in text
    assert "The game goes on." in text
    assert "2 of your dots are not grounded" in text
    assert session.result.reason is Ending.STOP
    assert "You lost 0:2. You said STOP.\nBoard 5x5 points, 5 moves made; You began.\n" in text
    safe = typed_game(kropki(), ["aa", "bb", "стоп", "да"], "ru")
    assert "Все ваши точки заземлены" in safe
    assert "there is no STOP" in typed_game(kropki(rules={"stop": "off"}), ["stop", "q"])


def test_r036_a_solo_phase_with_its_countdown():
    """R036, R121, R139: the other one places dots alone until the time is over; here it is set by hand."""
    now = Time()
    session = kropki(rules={"stop": "solo"}, now=now)
    screen, stdout = screen_of(["aa", "bb", "stop", "y", "cc"])
    read = screen.reader.read

    def slow(seconds=None):
        if session.in_solo_phase and session.num_moves == 3:
            now.pass_by(181)
        return read(seconds)

    screen.reader.read = slow
    Terminal(session=session, screen=screen).play()
    text = stdout.getvalue()
    assert "After STOP Player 2 places dots alone, for 3:00 at most; 0 of your dots are not grounded." in text
    assert "alone now: Player 2, 3:00 left; stop ends the game" in text
    assert session.finished
    assert "A draw, 0:0." in text


# ---- commands ----


def test_undo_takes_back_the_computers_moves_and_your_last_turn():
    """P05, F01: the position is what it was, field by field, and the game goes on from it."""
    players = Cast(script=Scripted("A2T B2T A1B B1B A2L"))
    session, expected = boxes(seats=(None, "script")), boxes(seats=(None, "script"))
    text = typed_game(session, ["A1L", "A1T", "undo", "quit"], players=players)
    typed_game(expected, ["A1L", "quit"], players=players)
    assert "taken back: A1T B2T" in text
    for name in ("lines", "owner", "score", "to_move", "finished"):
        assert (getattr(session.state, name) == getattr(expected.state, name)).all(), name
    assert "there is no move of yours to take back" in typed_game(boxes(), ["undo", "q"])


def test_undo_takes_back_a_whole_turn():
    """A turn may hold several lines (R148); boxes and their owners go back too."""
    session = boxes(1, 3)
    text = typed_game(session, ["A1T", "A1B", "A1L", "B1T", "A1R", "C1T", "undo", "q"])
    assert "taken back: B1L C1T" in text
    assert (session.num_moves, session.score, session.mover) == (4, (0, 0), 0)


def test_a_hint_is_a_move_that_can_be_made():
    players = Cast(wise=Scripted("B2T"))
    text = typed_game(boxes(), ["hint", "подсказка", "q"], players=players, hints="wise")
    assert text.count("Hint by wise: B2T\n") == 2


def test_a_network_is_as_quick_as_somebody_who_waits_needs(monkeypatch):
    """A larger board is not exported for first; the same network as on the web page."""
    from dotzero.play import released

    monkeypatch.setattr(released, "interactive_spec", lambda text, game: f"{text} quick")
    players = Cast(**{"zero quick": Scripted("B2T")})
    terminal = Terminal(session=boxes(seats=(None, "zero")), screen=screen_of([])[0], players=players)
    terminal.prepare()
    assert players.asked == ["zero quick"]


def test_resigning_is_asked_about():
    """R038: the other side wins whatever the score."""
    session = boxes(seats=(None, "easy"))
    text = typed_game(session, ["resign", "n", "resign", "yes"])
    assert "The game goes on." in text
    assert (session.result.reason, session.result.winner) == (Ending.RESIGN, 1)
    assert "You lost 0:0. You resigned." in text


def test_an_offer_to_a_person_is_answered_by_it():
    """R035: end with the score as it is, or a draw."""
    session = kropki()
    text = typed_game(session, [*RING, "offer", "no", "draw", "y"])
    assert "Player 2 offers to end the game with the score as it is. Accept? [y/N] no" in text
    assert "Player 1 declines." in text
    assert session.result.reason is Ending.AGREEMENT
    assert session.result.winner is None
    assert "A draw, 1:0. By agreement." in text


def test_an_offer_to_a_computer():
    """The second player wins 3x3, so it does not take a draw; it takes a win that is given to it."""
    session = boxes(3, 3, seats=(None, "easy"))
    assert "Easy declines." in typed_game(session, ["offer", "q"])
    assert not session.finished
    lost = kropki(seats=("script", None))
    players = Cast(script=Scripted(" ".join(RING[::2])))
    text = typed_game(lost, [*RING[1::2], "offer"], players=players)
    assert "script accepts." in text
    assert "You lost 0:1. By agreement." in text


def test_a_pause_stops_the_clocks():
    """R113, R122: nobody's time passes."""
    now = Time()
    session = boxes(clock=TimeControl(seconds=60), now=now)
    screen, stdout = screen_of(["A1T", "pause", "", "A1B", "q"])
    read = screen.reader.read

    def slow(seconds=None):
        now.pass_by(500 if session.paused else 10)
        return read(seconds)

    screen.reader.read = slow
    Terminal(session=session, screen=screen).play()
    assert "Paused, the clocks stand." in stdout.getvalue()
    assert session.num_moves == 2
    assert "clock 0:50 : 1:00" in stdout.getvalue()
    assert session.seconds_left == (40, 40)


def test_r043_a_clock_that_runs_out_ends_the_game():
    """On a pipe it is seen with the next line; the line does not count any more."""
    now = Time()
    session = boxes(clock=TimeControl(seconds=60), now=now, seats=(None, "easy"))
    screen, stdout = screen_of(["A1T"])
    read = screen.reader.read
    screen.reader.read = lambda seconds=None: now.pass_by(61) or read(seconds)
    Terminal(session=session, screen=screen).play()
    assert (session.num_moves, session.result.reason) == (0, Ending.TIME)
    assert "You lost 0:0. On time." in stdout.getvalue()


def test_a_clock_that_runs_out_while_nothing_is_typed():
    now = Time()
    session = boxes(clock=TimeControl(seconds=60), now=now)
    screen, stdout = screen_of([])
    waited = []

    def read(seconds=None):
        waited.append(seconds)
        now.pass_by(seconds)
        raise TimeoutError

    screen.reader.read = read
    Terminal(session=session, screen=screen).play()
    assert waited == [60]
    assert "Player 2 won 0:0. On time." in stdout.getvalue()


def test_a_game_is_written_to_a_file(tmp_path):
    """F25: SGF of Kropki, text of Boxes, JSON lines of both; nothing is written over."""
    session = kropki()
    sgf, lines = tmp_path / "game.sgf", tmp_path / "game.jsonl"
    typed = [
        "aa",
        "bb",
        f"save {sgf}",
        f"save {lines}",
        f"save {sgf}",
        "save game.xyz",
        "save /absent/g.sgf",
        "q",
    ]
    text = typed_game(session, typed)
    assert f"The game is written to {sgf}." in text
    assert f"not written: there is a file {sgf} already; choose another name" in text
    assert "not written: the name of the file must end in one of .sgf, .jsonl, got game.xyz" in text
    assert "not written: there is no such folder" in text
    for path in (sgf, lines):
        (record,) = read_records(path)
        assert record.moves == tuple(move.action for move in session.moves)
        assert replay(record).reason is Ending.UNFINISHED
    path = tmp_path / "game.txt"
    typed_game(boxes(), [*EXAMPLE[:4], f"сохранить {path}", "q"], "ru")
    (record,) = read_records(path)
    assert len(record.moves) == 4


def test_help_in_both_languages():
    assert "column letter, row number from the bottom" in typed_game(boxes(), ["help", "q"])
    assert "номер ряда снизу" in typed_game(boxes(), ["помощь", "выход"], "ru")
    assert "it is grounded" in typed_game(kropki(), ["?", "q"])
