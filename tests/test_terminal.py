"""The plain terminal, driven by typed text."""

import io

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.boxes_notation import BoxesNotation
from dotzero.play.players import Player, make_player
from dotzero.play.terminal import _TEXTS, run

GAME = BoxesGame(BoxesRules(rows=2, columns=2))
EXAMPLE = ["A2T", "B1B", "A1B", "A2L", "B1R", "B2T", "A1T", "A2R", "B1T", "B2R", "A1R", "A1L"]


class Scripted(Player):
    """Draws the first of its lines that is still free."""

    name = "script"

    def __init__(self, moves):
        self.moves = moves.split()

    def choose(self, game, state, seeds):
        notation = BoxesNotation(game.rules)
        lines = [notation.parse(move) for move in self.moves]
        return np.array([next(line for line in lines if game.legal(state)[0, line])], np.int32)


def play(typed, players=(None, None), game=GAME, **options):
    stdout = io.StringIO()
    state = run(game, players, io.StringIO("".join(f"{line}\n" for line in typed)), stdout, **options)
    return state, stdout.getvalue()


def test_two_humans_play_the_classic_game():
    """R071, R112, R115: 3:1 on 2x2; score while playing; boxes, size and number of lines at the end."""
    state, text = play(EXAMPLE)
    assert state.finished[0]
    assert state.score[0].tolist() == [3, 1]
    assert "player 1 won 3:1.\nBoard 2x2 boxes, 12 lines drawn.\n" in text
    assert "player 1 (1) 0 : 1 player 2 (2), player 2 to move" in text


@pytest.mark.parametrize(
    ("language", "rule", "win", "lose"),
    [
        ("en", "Misere: fewer boxes win.\n", "You won 1:3.\n", "You lost 3:1.\n"),
        (
            "ru",
            "Поддавки: выигрывает тот, у кого квадратов меньше.\n",
            "Вы выиграли 1:3.\n",
            "Вы проиграли 3:1.\n",
        ),
    ],
)
def test_misere_is_won_by_fewer_boxes(language, rule, win, lose):
    """The classic game once more: 3:1 is a loss now; the rule stands at the start and in the help."""
    game = BoxesGame(BoxesRules(rows=2, columns=2, scoring="misere"))
    other = Scripted(" ".join(EXAMPLE))
    _, text = play(EXAMPLE, game=game)
    assert "player 2 won 1:3.\n" in text
    halves = [[], []]
    state = game.start(1)
    for move in EXAMPLE:
        halves[state.to_move[0]].append(move)
        state = game.step(state, [BoxesNotation(game.rules).parse(move)])
    for seats, mine, result in (((None, other), halves[0], lose), ((other, None), halves[1], win)):
        _, text = play(["help", *mine], seats, game, language=language)
        assert rule in text
        assert text.count(rule.split(": ")[1].rstrip(".\n")) == 2
        assert result in text
    assert "Misere" not in play(["q"])[1]


def test_an_example_is_a_line_that_can_be_drawn():
    """On a board with its whole edge drawn the first line is not there to type; the drawn edge is shown."""
    _, text = play(["A2T", "q"], game=BoxesGame(BoxesRules(rows=2, columns=2, border="all")))
    assert "for example A1T;" in text
    assert "  +---+---+\n2 |       |\n  +   +   +\n1 |       |\n  +---+---+\n" in text
    assert "A2T is drawn already" in text


@pytest.mark.parametrize(("language", "again"), [("en", "BOX! MOVE AGAIN"), ("ru", "КВАДРАТ! ХОДИТЕ ЕЩЁ")])
def test_the_extra_move_is_announced_while_lines_remain(language, again):
    """R109, R149: four boxes are closed, the last one by the last line, which goes straight to the result."""
    _, text = play(EXAMPLE, language=language)
    assert text.count(again) == 3
    assert again not in text.split("A1L")[-1]


def test_both_names_in_any_case():
    """R070: inner lines have two names."""
    state, _ = play(["a2b", "B2l", "quit"])
    notation = BoxesNotation(GAME.rules)
    assert state.lines[0].nonzero()[0].tolist() == [notation.parse("A1T"), notation.parse("A2R")]


def test_the_board_is_labelled_and_marks_the_last_line():
    """R146, R110."""
    _, text = play(["A1R", "q"])
    assert "    A   B" in text
    assert "2\n" in text
    assert "1     #\n" in text


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("typed", ["A9T", "hello", "", "A1", "{0}", "%s", "A1T"])
def test_bad_input_gets_one_line_and_another_question(typed, language):
    """R053: also a line that is drawn already; the position stays, and the game goes on."""
    state, text = play(["A1T", typed, "A1B", "quit"], language=language)
    assert state.lines.sum() == 2
    prompt = _TEXTS["prompt"][0 if language == "en" else 1]
    answers = text.split(prompt)
    assert len(answers) == 5
    echo, answer, rest = answers[2].split("\n", 2)
    assert echo == typed
    assert answer
    assert not rest


def test_the_computer_draws_one_line_at_a_time():
    """R111: each of its lines has its own announcement and board."""
    game = BoxesGame(BoxesRules(rows=1, columns=3))
    computer = Scripted("A1T C1B A1R B1R C1R B1B")
    typed = ["A1L", "A1B", "C1T", "B1T"]
    _, text = play([*typed, "quit"], (None, computer), game)
    lines = [line for line in text.splitlines() if line.startswith("script: ")]
    assert lines[:3] == ["script: A1T", "script: C1B", "script: B1L, takes 1"]
    assert text.count("    A   B   C") == 1 + 4 + sum(
        line.startswith("script: ") for line in text.splitlines()
    )


def test_a_game_against_a_level_ends_with_a_result():
    """Human second, the computer begins; its moves do not wait for input."""
    free = [name for line in range(12) for name in [BoxesNotation(GAME.rules).name(line)]]
    state, text = play(free * 12, (make_player("medium", GAME), None), seed=3)
    assert state.finished[0]
    assert "You won" in text or "You lost" in text or "A draw" in text
    assert "your move" in text


def test_two_players_can_be_watched():
    state, text = play([], (make_player("medium", GAME), make_player("medium", GAME)))
    assert state.finished[0]
    assert "Medium 1: " in text
    assert "Medium 2: " in text


def test_the_same_seed_gives_the_same_game():
    players = (make_player("medium", GAME), make_player("random", GAME))
    assert play([], players, seed=5)[1] == play([], players, seed=5)[1]
    assert len({play([], players, seed=seed)[1] for seed in range(5)}) > 1


def test_undo_takes_back_the_computers_moves_and_your_last_turn():
    """P05: the position is what it was, field by field, and the game goes on from it."""
    computer = Scripted("A2T B2T A1B B1B A2L")
    state, text = play(["A1L", "A1T", "undo", "quit"], (None, computer))
    expected, _ = play(["A1L", "quit"], (None, computer))
    assert "taken back: A1T B2T" in text
    for name in ("lines", "owner", "score", "to_move", "finished"):
        assert (getattr(state, name) == getattr(expected, name)).all(), name
    state, _ = play(["A1L", "A1T", "undo", "undo", "quit"], (None, computer))
    assert state.lines.sum() == 0


def test_undo_takes_back_a_whole_turn():
    """A turn may hold several lines (R148); boxes and their owners go back too."""
    game = BoxesGame(BoxesRules(rows=1, columns=3))
    state, text = play(["A1T", "A1B", "A1L", "B1T", "A1R", "C1T", "undo", "q"], game=game)
    assert "taken back: B1L C1T" in text
    assert state.lines.sum() == 4
    assert state.score.sum() == 0
    assert (state.owner == -1).all()
    assert state.to_move[0] == 0


def test_undo_needs_a_move_of_yours():
    computer = Scripted("A2T B2T")
    state, text = play(["undo", "q"], (computer, None))
    assert "there is no move of yours to take back" in text
    assert state.lines.sum() == 1
    assert "there is no move" in play(["undo", "q"])[1]


@pytest.mark.parametrize("typed", [["A1T"], ["A1T", "quit"], ["A1T", "Q"], ["A1T", "выход"]])
def test_leaving_and_the_end_of_input_are_polite(typed):
    state, text = play(typed)
    assert not state.finished[0]
    assert text.endswith("The game is left unfinished.\n")


def test_help_in_both_languages():
    assert "column letter, row number from the bottom" in play(["help", "q"])[1]
    assert "номер ряда снизу" in play(["помощь", "выход"], language="ru")[1]
    for english, russian in _TEXTS.values():
        assert english
        assert russian


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        ((None,), {}, "players must be two, got 1"),
        ((None, None), {"language": "de"}, "language must be one of en, ru, got 'de'"),
        ((None, None), {"delay": -1.0}, "delay must be at least 0 seconds, got -1.0"),
    ],
)
def test_wrong_arguments_are_refused(players, options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        play([], players, **options)
