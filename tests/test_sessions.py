"""Sessions: turns of persons and computers, taking back, ends of all kinds, time, STOP and solo phases."""

import pytest
from played_sessions import CAPTURE, EXAMPLE, Time, boxes, finish, kropki, play

from dotzero.envs.game_records import Ending
from dotzero.play.agreements import Terms
from dotzero.play.players import make_player
from dotzero.play.timers import LONGEST, TimeControl

CORRIDOR = ["A1T", "A1B", "B1T", "B1B", "C1T", "C1B"]
"""On 1x3: a corridor of three boxes that nobody has opened, player 1 to move."""


def test_two_people_play_the_classic_game():
    """R071, R109, R112, R149: 3:1; every box gives another line, but the last line ends the game."""
    session = boxes()
    moves = play(session, EXAMPLE)
    assert session.score == (3, 1)
    assert (session.result.winner, session.result.reason) == (0, Ending.FULL_BOARD)
    assert [number for number, move in enumerate(moves, 1) if move.again] == [8, 10, 11]
    assert not moves[-1].again
    assert session.last_move == moves[-1]  # R110
    assert session.num_moves == 12  # R115


def test_a_session_begins_paused_and_takes_no_move_before_it_is_resumed():
    session = boxes(resumed=False)
    with pytest.raises(ValueError, match=r"^a move must wait until the pause is over$"):
        session.move(0)
    session.resume()
    assert session.move(0).seat == 0


@pytest.mark.parametrize("action", [-1, 12, 10**6, 3])
def test_a_move_that_is_not_legal_changes_nothing(action):
    """R053: also a line that is drawn already."""
    session = boxes()
    session.move(3)
    revision = session.revision
    with pytest.raises(ValueError, match=r"^move must be legal here: ") as error:
        session.move(action)
    assert "\n" not in str(error.value)
    assert (session.revision, session.num_moves, session.mover) == (revision, 1, 1)


def test_a_computer_takes_its_boxes_one_line_at_a_time():
    """R111: a corridor of three boxes is three moves, each with a position of its own."""
    session = boxes(1, 3, seats=(None, "medium"))
    session.replay([_action(session, name) for name in (*CORRIDOR, "A1L")])
    medium, lines = make_player("medium", session.game), []
    while (question := session.question()) is not None:
        assert question.seat == 1
        lines.append(session.answer(question, question.ask(medium)))
        assert session.num_moves == len(CORRIDOR) + 1 + len(lines)
    assert [move.gained for move in lines] == [(0, 1), (0, 1), (0, 1)]
    assert [move.again for move in lines] == [True, True, False]
    assert session.score == (0, 3)


def test_an_answer_out_of_date_is_dropped():
    """R150: neither after a pause nor after taking back is a pending line drawn."""
    session = boxes(seats=(None, "easy"))
    play(session, ["A1T"])
    question = session.question()
    session.pause()
    assert session.question() is None
    assert session.answer(question, 5) is None
    session.resume()
    assert session.answer(question, 5) is None  # asked anew after every change
    again = session.question()
    session.undo()
    assert session.answer(again, 5) is None
    assert session.num_moves == 0


def test_the_same_seed_gives_the_same_game():
    def moves(seed):
        session = finish(boxes(3, 3, seats=("easy", "easy"), seed=seed))
        return [move.action for move in session.moves]

    assert moves(5) == moves(5)
    assert len({tuple(moves(seed)) for seed in range(4)}) > 1


def test_undo_takes_back_the_computers_moves_and_the_persons_last_turn():
    """P05: the position is what it was."""
    session = boxes(3, 3, seats=(None, "medium"))
    medium = make_player("medium", session.game)
    play(session, ["A1L"])
    question = session.question()
    session.answer(question, question.ask(medium))
    before = session.state.copy()
    free = next(
        name for name in ("C3T", "B2T", "A3L") if session.game.legal(before)[0][_action(session, name)]
    )
    play(session, [free])
    while (question := session.question()) is not None:
        session.answer(question, question.ask(medium))
    taken = session.undo()
    assert taken[0].name == free
    assert (session.state.lines == before.lines).all()
    assert session.mover == 0
    assert session.num_undone == 1
    assert session.undo()[0].name == "A1L"
    assert session.undo() == []
    assert session.num_moves == 0


def test_undo_takes_back_a_whole_turn_of_one_of_two_people():
    """R148: a turn may hold several lines."""
    session = boxes(1, 3)
    play(session, ["A1T", "A1B", "A1L", "B1T", "A1R", "C1T"])
    assert [move.name for move in session.undo()] == ["B1L", "C1T"]
    assert session.score == (0, 0)
    assert (session.num_moves, session.mover) == (4, 0)


def test_undo_ends_with_the_game():
    session = boxes()
    play(session, EXAMPLE)
    with pytest.raises(ValueError, match=r"^undo must come before the end of the game$"):
        session.undo()


def test_a_resignation_gives_the_game_to_the_other_side_whatever_the_score():
    """R038, R142."""
    session = boxes()
    play(session, EXAMPLE[:-1])
    assert session.score[0] > session.score[1]
    result = session.resign(0)
    assert (result.winner, result.reason) == (1, Ending.RESIGN)
    with pytest.raises(ValueError, match=r"^a move must come before the end of the game$"):
        session.move(0)
    with pytest.raises(ValueError, match="before the end"):
        session.resign()


def test_two_people_end_by_agreement():
    """R035: offered, declined, offered as a draw, accepted."""
    session = kropki()
    play(session, CAPTURE)
    assert session.offer_end(1) is None
    assert session.offer == (1, Terms.SCORE)
    with pytest.raises(ValueError, match=r"^an offer must wait"):
        session.offer_end(0)
    assert session.answer_offer(False) is None
    assert session.offer is None
    with pytest.raises(ValueError, match=r"^an answer must have an offer"):
        session.answer_offer(True)
    session.offer_end(0, Terms.DRAW)
    result = session.answer_offer(True)
    assert (result.winner, result.reason) == (None, Ending.AGREEMENT)


def test_the_score_as_it_stands_decides_an_agreed_end():
    session = kropki()
    play(session, CAPTURE)
    session.offer_end(0)
    assert session.answer_offer(True).winner == 1
    level = kropki()
    level.offer_end(0)
    assert level.answer_offer(True).winner is None  # R039


def test_an_offer_lapses_with_the_next_move():
    session = kropki()
    session.offer_end(0)
    play(session, ["cc"])
    assert session.offer is None


def test_a_computer_answers_an_offer_at_once():
    session = kropki(20, 20, seats=(None, "random"))
    assert session.offer_end(0) is False
    assert session.offer is None
    assert not session.finished
    session = boxes(seats=("easy", None))  # 2x2 is won by the first player
    assert session.offer_end(1, Terms.DRAW) is False
    assert session.offer_end(1, Terms.SCORE) is False
    session = boxes(seats=(None, "easy"))
    assert session.offer_end(0) is True
    assert session.result.reason is Ending.AGREEMENT


def test_a_capture_is_told_with_its_chain():
    """R031, R135: the border is the four dots, the score counts the prisoner."""
    session = kropki()
    move = play(session, CAPTURE)[-1]
    assert move.gained == (0, 1)
    (capture,) = move.captures
    assert {session.notation.name(point) for point in capture.chain} == {"cb", "bc", "dc", "cd"}
    assert [session.notation.name(point) for point in capture.interior] == ["cc"]
    assert session.score == (0, 1)


def test_stop_warns_of_dots_that_are_not_grounded_and_ends_the_game():
    """R037, R140: the captor's four dots reach no edge; the score turns round."""
    session = kropki()
    play(session, [*CAPTURE, "ee"])
    assert session.can_stop
    assert session.num_ungrounded(1) >= 4
    assert session.num_ungrounded(0) == 0
    play(session, ["stop"])
    assert (session.result.winner, session.result.reason) == (0, Ending.STOP)
    assert not session.can_stop
    assert session.solo_seconds_left is None


def test_after_a_solo_stop_the_other_goes_on_alone_for_three_minutes():
    """R036, R139: several dots in a row, then the time ends it."""
    time = Time()
    session = kropki(7, 7, rules={"stop": "solo"}, now=time)
    play(session, ["dd", "aa", "stop"])
    assert session.in_solo_phase
    assert session.mover == 1
    assert session.solo_seconds_left == 180
    time.pass_by(100)
    first, second = play(session, ["dc", "cd"])
    assert first.again
    assert second.seat == 1
    assert session.seconds_to_deadline == 80
    time.pass_by(80)
    assert session.check_time().reason is Ending.STOP
    assert session.moves[-1].name == "stop"
    assert session.result.winner is None


def test_a_solo_phase_can_be_taken_back():
    time = Time()
    session = kropki(7, 7, rules={"stop": "solo"}, now=time)
    play(session, ["dd", "aa", "stop"])
    time.pass_by(10)
    play(session, ["dc"])
    session.undo()
    assert session.in_solo_phase
    assert session.solo_seconds_left == 170
    session.undo()
    assert not session.in_solo_phase
    assert session.solo_seconds_left is None
    assert session.seconds_to_deadline is None


def test_a_computer_alone_stops_once_there_is_nothing_to_take():
    session = kropki(7, 7, seats=(None, "random"), rules={"stop": "solo"})
    random = make_player("random", session.game)
    for name in ("ad", "stop"):
        if (question := session.question()) is not None:
            session.answer(question, question.ask(random))
        session.move(_action(session, name))
    question = session.question()
    assert question.ask(random) == session.game.stop  # the dot at the edge is grounded
    session.answer(question, question.ask(random))
    assert session.result.reason is Ending.STOP


def test_a_clock_runs_for_the_side_to_move_and_loses_the_game():
    """R043, R122."""
    time = Time()
    session = boxes(3, 3, now=time, clock=TimeControl(seconds=60, increment=5))
    time.pass_by(10)
    play(session, ["A1T"])
    assert session.seconds_left == (55, 60)
    time.pass_by(20)
    play(session, ["A1L"])
    assert session.seconds_left == (55, 45)
    session.pause()
    time.pass_by(1000)
    assert session.check_time() is None
    session.resume()
    assert session.seconds_to_deadline == 55
    time.pass_by(55)
    with pytest.raises(ValueError, match="before the end of the game"):
        play(session, ["B3T"])
    assert (session.result.winner, session.result.reason) == (1, Ending.TIME)
    assert session.seconds_to_deadline is None


def test_a_turn_of_many_lines_gets_one_increment():
    time = Time()
    session = boxes(1, 2, now=time, clock=TimeControl(seconds=60, increment=5))
    play(session, ["A1T", "A1B", "A1L", "B1T", "A1R"])
    assert session.seconds_left == (70, 70)
    assert session.moves[-1].again
    assert session.mover == 0


def test_undo_puts_increments_back_but_not_the_time_that_was_used():
    time = Time()
    session = boxes(3, 3, now=time, clock=TimeControl(seconds=60))
    time.pass_by(10)
    play(session, ["A1T"])
    time.pass_by(7)
    session.undo()
    assert session.seconds_left == (50, 53)
    time.pass_by(1)
    assert session.seconds_left == (49, 53)


def test_undo_gives_no_time_back():
    """R043: who thinks, takes back and thinks again has used both times; the increment goes with its turn."""
    time = Time()
    session = boxes(3, 3, now=time, clock=TimeControl(seconds=60, increment=5))
    time.pass_by(10)
    play(session, ["A1T"])
    session.undo()
    assert session.seconds_left == (50, 60)
    for name in ("A1T", "B2T"):
        time.pass_by(20)
        play(session, [name])
    time.pass_by(30)
    session.undo()
    assert session.seconds_left == (5, 40)
    time.pass_by(40)
    with pytest.raises(ValueError, match=r"^undo must come before the end of the game$"):
        session.undo()
    assert (session.result.winner, session.result.reason) == (0, Ending.TIME)


def test_undo_takes_back_one_dot_of_a_solo_phase_and_no_time():
    """R036: of the three minutes as much is left as before."""
    time = Time()
    session = kropki(7, 7, rules={"stop": "solo"}, now=time)
    play(session, ["dd", "aa", "stop"])
    for name in ("dc", "cd", "ed"):
        time.pass_by(50)
        play(session, [name])
    assert [move.name for move in session.undo()] == ["ed"]
    assert session.solo_seconds_left == 30
    assert [move.name for move in session.undo()] == ["cd"]
    assert session.seconds_to_deadline == 30


def test_the_longest_clock_takes_no_increment():
    """A clock above it could not be loaded again."""
    session = boxes(clock=TimeControl(seconds=LONGEST, increment=60))
    play(session, ["A1T"])
    assert session.seconds_left[0] == LONGEST


def test_a_hint_is_asked_for_on_a_persons_turn_only():
    session = boxes(3, 3, seats=(None, "easy"))
    question = session.hint_question("insane")
    assert session.game.legal(session.state)[0, question.ask(make_player("medium", session.game))]
    assert session.num_moves == 0
    play(session, ["A1T"])
    with pytest.raises(ValueError, match=r"^a hint must be asked for on a person's turn"):
        session.hint_question("insane")


def test_earlier_positions_can_be_seen():
    session = boxes()
    play(session, EXAMPLE[:3])
    assert session.state_at(0).lines.sum() == 0
    assert session.state_at(2).lines.sum() == 2
    assert session.state_at(3) is session.state
    with pytest.raises(ValueError, match=r"^move must be in 0..3, got 4$"):
        session.state_at(4)


def test_an_instant_win_and_an_extra_turn():
    """R013, R049, R142."""
    session = kropki(rules={"instant_win": 1, "stop": "off"})
    play(session, CAPTURE)
    assert (session.result.winner, session.result.reason) == (1, Ending.INSTANT_WIN)
    session = kropki(rules={"add_turn": True})
    assert play(session, CAPTURE)[-1].again


def test_a_full_board_ends_by_count():
    session = finish(kropki(4, 4))
    assert session.result.reason is Ending.FULL_BOARD  # R034


def _action(session, name):
    return session.notation.parse(name)
