"""What the terminal keeps of a game: after every move, after interruptions, statistics, records."""

import json

import pytest
from played_sessions import EXAMPLE, boxes, same
from typed_games import Cast, Scripted, typed_game

from dotzero.play.saves import ElsewhereError, Saves


@pytest.fixture
def saves(tmp_path):
    with Saves(tmp_path / "data") as opened:
        yield opened


@pytest.mark.parametrize("typed", [["A1T"], ["A1T", "quit"], ["A1T", "Q"], ["A1T", "выход"]])
def test_leaving_and_the_end_of_input_are_polite(typed, saves):
    session = boxes()
    text = typed_game(session, typed, saves=saves)
    assert not session.finished
    assert text.endswith("The game is left unfinished.\ndotzero play --continue goes on with it.\n")
    assert same(saves.load(session.id), session)
    assert typed_game(boxes(), typed).endswith("The game is left unfinished.\n")


def test_r114_the_game_is_stored_after_every_move(saves, tmp_path):
    """R114, R151: before anything else happens another process would find it, also a computer's line."""
    session, seen = boxes(1, 3, seats=(None, "script")), []

    class Looking(Scripted):
        def choose(self, game, state, seeds):
            with Saves(tmp_path / "data") as other:
                seen.append(other.unfinished()[0].num_moves)
            return super().choose(game, state, seeds)

    players = Cast(script=Looking("A1T C1B A1R B1R C1R B1B"))
    typed_game(session, ["A1L", "A1B", "C1T", "B1T", "quit"], saves=saves, players=players)
    asked_after = [number for number, move in enumerate(session.moves) if move.seat == 1]
    assert seen == asked_after
    assert len(seen) > 3


def test_r151_an_interruption_in_the_middle_of_a_chain_loses_nothing(saves):
    """R150: two of the computer's lines are there; the rest are drawn when the game goes on."""
    session = boxes(1, 3, seats=(None, "script"))
    script, asked = Scripted("A1T C1B A1R B1R C1R B1B"), []

    class Interrupted(Scripted):
        def choose(self, game, state, seeds):
            asked.append(1)
            if len(asked) == 4:
                raise KeyboardInterrupt
            return super().choose(game, state, seeds)

    players = Cast(script=Interrupted(" ".join(script.moves)))
    with pytest.raises(KeyboardInterrupt):
        typed_game(session, ["A1L", "A1B", "C1T"], saves=saves, players=players)
    loaded = saves.load(session.id)
    assert same(loaded, session)
    assert loaded.score == (0, 1)
    text = typed_game(loaded, ["q"], saves=saves, players=Cast(script=script))
    assert "The game goes on after 6 moves." in text
    whole = boxes(1, 3, seats=(None, "script"))
    typed_game(whole, ["A1L", "A1B", "C1T", "q"], players=Cast(script=script))
    assert [move.name for move in loaded.moves] == [move.name for move in whole.moves]


def test_r116_statistics_stand_below_the_result(saves):
    """R116, R117, R152: counted when the game is over; nothing of an unfinished one."""
    typed = ["statistics", "resign", "y"]
    text = typed_game(boxes(seats=(None, "easy")), typed, saves=saves)
    line = "Against Easy on 2x2: {} won, {} lost, {} drawn; win rate {}, streak 0, best streak 0.\n"
    assert line.format(0, 0, 0, "-") in text
    assert text.endswith(line.format(0, 1, 0, "0%"))
    typed_game(boxes(seats=(None, "easy")), ["A1T", "q"], saves=saves)
    assert "0 won, 2 lost" in typed_game(boxes(seats=(None, "easy")), typed, saves=saves)
    assert "No finished games against a level yet." in typed_game(boxes(), ["statistics", "q"], saves=saves)
    assert "Against" not in typed_game(boxes(), EXAMPLE, saves=saves)


def test_a_game_without_moves_is_not_kept(saves):
    text = typed_game(boxes(), ["save", "q"], saves=saves)
    assert "go on with" not in text.split("left unfinished")[1]
    assert saves.unfinished() == []
    assert "There is nothing to save yet: no move has been made." in text
    assert "This game is not kept (--no-save)." in typed_game(boxes(), ["A1T", "save", "q"])
    assert "Saved; it is after every move." in typed_game(boxes(), ["A1T", "save", "q"], saves=saves)


def test_moves_that_are_taken_back_do_not_come_back(saves):
    """Of a game whose every move is taken back no move is stored either, nor is it said to be unkept."""
    text = typed_game(boxes(), ["A1T", "undo", "save", "q"], saves=saves)
    assert "There is nothing to save yet" in text
    assert "--no-save" not in text
    assert [saved.num_moves for saved in saves.unfinished()] == [0]
    session = saves.load(saves.unfinished()[0].id)
    typed_game(session, ["A1B", "q"], saves=saves)
    assert [saved.num_moves for saved in saves.unfinished()] == [1]


def test_a_finished_game_is_kept_as_a_record(saves):
    session = boxes(seats=(None, "script"))
    typed_game(session, ["resign", "y"], saves=saves, players=Cast(script=Scripted("A1T")))
    (game,) = saves.finished()
    assert (game.outcome, game.reason) == (-1, "resign")
    assert json.loads(game.record)["result"] == 2
    assert saves.unfinished() == []


def test_a_game_that_goes_on_elsewhere_is_told_in_the_language_of_the_screen(saves, tmp_path):
    """R114, R160: nothing is written over; the command ends with code 2."""
    session = boxes()
    typed_game(session, ["A1T", "q"], saves=saves)
    with Saves(tmp_path / "data") as other:
        other.load(session.id)
    with pytest.raises(ElsewhereError):
        typed_game(session, ["A1B", "q"], "ru", saves=saves)
    assert saves.unfinished()[0].num_moves == 1
