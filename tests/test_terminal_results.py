"""Results and statistics as texts."""

from dataclasses import replace

import pytest
from played_sessions import CAPTURE, EXAMPLE, boxes, kropki, play
from rich.console import Console

from dotzero.play.agreements import Terms
from dotzero.play.saved_rows import SavedGame
from dotzero.play.seats import Language
from dotzero.play.sessions import GameSession
from dotzero.play.tallies import Table, Tally
from dotzero.play.terminal_results import opponent_label, result_lines, saved_line, tally_grid, tally_line

EN, RU = Language


def test_r115_boxes_size_and_number_of_lines():
    """R115, R148, R154: lines are counted, not turns; who began is told."""
    session = boxes()
    play(session, EXAMPLE)
    assert result_lines(session, EN) == [
        "Player 1 won 3:1.",
        "Board 2x2 boxes, 12 lines drawn; Player 1 began.",
    ]
    assert result_lines(session, RU) == [
        "Победа: Игрок 1, 3:1.",
        "Поле 2x2, проведено 12 линий; первый ход: Игрок 1.",
    ]


@pytest.mark.parametrize(
    ("loser", "first"), [(0, "You lost 0:0. You resigned."), (1, "You won 0:0. Easy resigned.")]
)
def test_r038_a_resignation_says_whose(loser, first):
    session = boxes(seats=(None, "easy"))
    session.resign(loser)
    assert result_lines(session, EN)[0] == first


def test_r154_a_record_may_begin_with_the_other_side():
    settings = replace(kropki().settings, first=1)
    session = GameSession(settings)
    session.resign(0)
    assert result_lines(session, EN)[1] == "Board 5x5 points, 0 moves made; Player 2 began."


def test_r142_the_reason_stands_with_the_result():
    """R035, R036, R049: agreement, STOP, an instant win."""
    session = kropki()
    play(session, CAPTURE)
    session.offer_end(0, Terms.SCORE)
    session.answer_offer(True)
    assert result_lines(session, EN)[0] == "Player 2 won 1:0. By agreement."
    session = kropki(rules={"instant_win": 1})
    play(session, CAPTURE)
    assert result_lines(session, RU)[0] == "Победа: Игрок 2, 1:0. Перевес в 1 очко завершает игру."
    session = kropki()
    play(session, ["aa", "stop"])
    assert result_lines(session, EN)[0] == "A draw, 0:0. Player 2 said STOP."


def test_r116_one_table_in_a_line():
    """R116, R152: a share of wins only where there are games."""
    table = Table("boxes", "5x5", "border=all", "easy@miss=0.3")
    line = tally_line(table, Tally(2, 1, 1, 1, 2), EN)
    assert line == (
        "Against Easy@miss=0.3 on 5x5 (the whole edge drawn): 2 won, 1 lost, 1 drawn; win rate 50%, "
        "streak 1, best streak 2."
    )
    assert "доля побед -, серия побед 0" in tally_line(Table("boxes", "5x5", "usual", "hard"), Tally(), RU)


def test_r153_all_tables_in_a_grid():
    """R153: a row for each board, rules and level, in 80 columns."""
    tallies = {
        Table("boxes", "3x3", "usual", "easy"): Tally(3, 0, 1, 3, 3),
        Table("kropki", "15x15", "start=empty", "greedy"): Tally(0, 2, 0, 0, 0),
    }
    console = Console(width=80)
    for language, words, level in ((EN, "boxes 3x3", "Easy"), (RU, "квадраты 3x3", "Лёгкий")):
        with console.capture() as capture:
            console.print(tally_grid(tallies, language))
        lines = capture.get().splitlines()
        _, first, *second = lines  # long rules go on below
        assert max(map(len, lines)) <= 80
        assert first.startswith(words)
        assert first.split()[2:] == ["-", level, "3", "0", "1", "75%", "3", "3"]
        assert ("empty board" if language is EN else "пустое поле") in second[0]
    assert opponent_label("zero:some/where", EN) == "Neural network"


def test_r114_an_unfinished_game_in_a_line():
    saved = SavedGame("x", "kropki", "9x9", "greedy", 12, (3, 2), 0.0)
    line = saved_line(2, saved, EN)
    assert line.startswith("2  Kropki (Dots) 9x9, against Greedy, 12 moves, 3:2, 19")
    people = saved_line(1, saved._replace(player=None, game="boxes"), RU)
    assert people.startswith("1  Точки и квадраты 9x9, вдвоём, 12 ходов, 3:2, ")
