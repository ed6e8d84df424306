"""Openings: within the safe phase in Dots and Boxes, different, and from files."""

import numpy as np
import pytest

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.play.arena import ArenaConfig, play_match
from dotzero.play.openings import draw_openings, read_openings
from dotzero.play.players import RandomPlayer
from dotzero.search.gifts import count_sides

GAME = BoxesGame(BoxesRules(rows=3, columns=3))


def test_f18_openings_of_boxes_give_nothing_away():
    openings = draw_openings(GAME, 200, 8, np.random.default_rng(0))
    assert count_sides(GAME.rules, openings.state.lines).max() == 2
    assert openings.state.lines.sum(axis=1).tolist() == [8] * 200
    # Beyond the safe phase there is no way but to give something.
    late = draw_openings(GAME, 50, 16, np.random.default_rng(0))
    assert count_sides(GAME.rules, late.state.lines).max() >= 3


def test_an_opening_leads_from_its_start_to_its_state():
    for game in (GAME, KropkiGame(KropkiRules(width=8, height=8, start="random_crosses", num_crosses=2))):
        openings = draw_openings(game, 10, 3, np.random.default_rng(4))
        state = openings.start
        for ply in range(3):
            movers = [movers[ply] for movers in openings.movers]
            assert state.to_move.tolist() == movers
            state = game.step(state, [actions[ply] for actions in openings.actions])
        np.testing.assert_array_equal(game.observe(state).points, game.observe(openings.state).points)
        part = openings.part(4, 6)
        assert part.actions == openings.actions[4:6]
        assert len(part.state) == len(part.start) == 2


def test_openings_of_a_file_come_in_its_order_and_again(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# two of them\nA1L B2T   # symmetric\n\nc3r\n")
    openings = read_openings(GAME, path, 5)
    assert [len(actions) for actions in openings.actions] == [2, 1, 2, 1, 2]
    assert openings.actions[0] == openings.actions[2]
    assert openings.state.lines.sum(axis=1).tolist() == [2, 1, 2, 1, 2]
    assert not openings.start.lines.any()
    match = play_match(GAME, RandomPlayer(), RandomPlayer(), ArenaConfig(games=8, openings=str(path)))
    assert [record.moves[: record.opening_plies] for record in match.records[:4]] == [
        ("A1L", "B2T"),
        ("A1L", "B2T"),
        ("C3R",),
        ("C3R",),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A1L A1L", "line 1: moves must be legal, got A1L$"),
        ("\nA1X", "line 2: "),
        ("# nothing\n", "ArenaConfig.openings must hold at least one opening, .* has none$"),
        (None, "ArenaConfig.openings must be a readable text file, got .*No such file"),
    ],
)
def test_files_that_are_none_are_told(tmp_path, text, message):
    path = tmp_path / "openings.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_openings(GAME, path, 2)


def test_an_opening_that_ends_the_game_and_a_start_left_to_chance(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("A1L A1R A1T A1B")
    with pytest.raises(ValueError, match="line 1: an opening must leave something to play"):
        read_openings(BoxesGame(BoxesRules(rows=1, columns=1)), path, 2)
    game = KropkiGame(KropkiRules(width=8, height=8, start="random_crosses"))
    with pytest.raises(ValueError, match="needs rules whose start is not left to chance"):
        read_openings(game, path, 2)
