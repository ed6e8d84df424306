"""Kropki in SGF: public records, and every habit of the servers in small ones."""

import io
from pathlib import Path

import numpy as np
import pytest
from referee_kropki import Referee

from dotzero.envs.game_records import Ending
from dotzero.envs.kropki_rules import StopRule
from dotzero.envs.records import RecordError, read_records, replay, write_record

RECORDS = Path(__file__).resolve().parents[2] / "shared" / "cases" / "kropki_sgf"
RING = "B[cb];W[cc];B[bc];W[aa];B[dc];W[ab];B[cd"
"""Player 1 takes the dot at cc with its dot at cd; the value is left open."""
HOUSE = "B[cb];W[fa];B[bc];W[aa];B[dc];W[ab];B[cd];W[cc]"
"""Player 1 builds a house round cc, which player 2 enters."""


def read(text):
    """The one record of a text."""
    (record,) = read_records(io.StringIO(text))
    return record


def tree(moves="", size="6", **properties):
    """A record of 6x6 points: its moves, and properties of the root."""
    root = "".join(f"{name}[{value}]" for name, value in ({"GM": "40", "SZ": size} | properties).items())
    return f"(;{root}{';' * bool(moves)}{moves})"


def names(record):
    """Moves with their players, as in `1cb 2stop`."""
    width = record.rules.width
    letters = "abcdefghijklmnopqrstuvwxyz"
    points = [
        "stop" if action == record.rules.num_points else letters[action % width] + letters[action // width]
        for action in record.moves
    ]
    return " ".join(f"{player + 1}{point}" for player, point in zip(record.movers, points, strict=True))


def refused(text):
    with pytest.raises(RecordError) as caught:
        list(read_records(io.StringIO(text)))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "final", "result", "lead", "reason"),
    [
        ("human_39x32_double_cross", (24, 1), 1, 23.0, Ending.STOP),
        ("selfplay_0", (0, 0), 2, -0.5, Ending.STOP),
        ("selfplay_1", (0, 0), 2, -0.5, Ending.RESIGN),
        ("selfplay_2", (0, 0), 1, 0.5, Ending.STOP),
        ("selfplay_3", (0, 0), 2, -0.5, Ending.STOP),
    ],
)
def test_public_records_replay_to_their_recorded_results(name, final, result, lead, reason):
    """R142: also after they have been written in our words, and as JSON."""
    path = RECORDS / f"{name}.sgf"
    if not path.exists():
        pytest.skip(f"no folder of records {RECORDS}")
    (record,) = read_records(path)
    for again in (record, *(read(write_record(record, form)) for form in ("sgf", "jsonl"))):
        verdict = replay(again)
        assert (verdict.score, verdict.result, verdict.lead, verdict.reason) == (final, result, lead, reason)
        assert verdict.agrees is True
        assert verdict.warnings == ()
        assert again.result == result
        assert again.moves == record.moves
        assert again.comments == record.comments


def test_a_public_record_keeps_all_that_is_said():
    path = RECORDS / "human_39x32_double_cross.sgf"
    if not path.exists():
        pytest.skip(f"no folder of records {RECORDS}")
    (record,) = read_records(path)
    assert record.players == ("Blue", "Red")
    assert record.headers["date"] == "2015-09-19 18:11:55"
    assert record.headers["overtime"] == "20 sec / move"
    assert record.headers["application"] == "Спортивные Точки (playdots.ru)"
    assert record.comments[0].startswith("без территории, с заземлением, двойной скрест")
    assert record.rules.start == "double_cross"
    assert len(record.shown) == 21
    assert record.notes == (
        "the first 8 moves are the start double_cross",
        "the STOP of player 1 is read from the other's dots in a row: 21",
    )


def test_a_record_says_board_rules_start_and_names():
    record = read(
        "(;FF[4]GM[40]CA[utf-8]SZ[12:9]PB[A\\]\\\\]PW[Б]KM[-1.5]RU[Punish=1,Stop=0]EV[Cup]TM[600]BR[1800]"
        "AB[aa][cc]AW[bb:bd]C[one\\\ntwo\r\nthree];W[ll])".replace("ll", "lh")
    )
    assert (record.rules.width, record.rules.height, record.rules.komi) == (12, 9, -1.5)
    assert record.rules.punish
    assert record.rules.stop is StopRule.OFF
    assert record.players == ("A]\\", "Б")
    assert record.headers == {"event": "Cup", "time": "600", "rating_1": "1800"}
    assert record.start == ((0, 26), (13, 25, 37))
    assert record.comments == {0: "onetwo\nthree"}
    assert record.first == 1
    assert names(record) == "2lh"


@pytest.mark.parametrize(
    ("moves", "written"),
    [
        (f"{RING}.cbbccddccb];W[af]", "1cb 2cc 1bc 2aa 1dc 2ab 1cd 2af"),
        (f"{RING}];B[.cbbccddccb];W[af]", "1cb 2cc 1bc 2aa 1dc 2ab 1cd 2af"),
        (f"{RING}.dccdbccbdc];W[af]", "1cb 2cc 1bc 2aa 1dc 2ab 1cd 2af"),
        (f"{RING}.cbbccddc];W[af]", "1cb 2cc 1bc 2aa 1dc 2ab 1cd 2af"),
        (f"{HOUSE};B[ff.cbbccddccb]", "1cb 2fa 1bc 2aa 1dc 2ab 1cd 2cc 1ff"),
        (f"{HOUSE};B[.cbbccddccb]", "1cb 2fa 1bc 2aa 1dc 2ab 1cd 2cc"),
        (f"{HOUSE};B[.cbbccddccb];B[]", "1cb 2fa 1bc 2aa 1dc 2ab 1cd 2cc 1stop"),
    ],
    ids=["with_move", "alone", "turned", "open", "house_next_move", "house_no_move", "house_stop"],
)
def test_chains_stand_in_moves_or_alone_and_are_those_of_the_rules(moves, written):
    record = read(tree(moves))
    assert names(record) == written
    assert replay(record).warnings == ()
    again = read(write_record(record, "sgf"))
    assert {frozenset(chain.points) for chain in again.chains} == {frozenset({8, 13, 15, 20})}
    assert again.chains[0].after == record.chains[0].after


def test_one_move_closes_several_chains():
    """P17 in kind: two rings that share the dot at dc."""
    dots = "AB[cb][bc][cd][eb][fc][ed]AW[cc][ec]"
    record = read(f"(;GM[40]SZ[7]{dots};B[dc.cbbccddccb.ebdcedfceb])")
    verdict = replay(record)
    assert verdict.score == (2, 0)
    assert verdict.warnings == ()
    assert write_record(record, "sgf").count(".") == 2


@pytest.mark.parametrize(
    ("moves", "warnings"),
    [
        (f"{RING}]", []),
        (
            f"{RING}.cbbccdffcb]",
            [
                "move 7: the rules close no chain cb bc cd ff, which the record has",
                "move 7: the rules close the chain cd dc cb bc, which the record lacks",
            ],
        ),
        (
            f"{HOUSE};B[ff];W[fb];B[fe.cbbccddccb]",
            [
                "move 11: the rules close no chain cb bc cd dc, which the record has",
                "move 8: the rules close the chain cd dc cb bc, which the record lacks",
            ],
        ),
    ],
    ids=["none_written", "another", "too_late"],
)
def test_chains_that_are_not_those_of_the_rules_are_told(moves, warnings):
    """With no chain at all in a record there is nothing to compare."""

    def words(text):  # of a chain any point may come first
        return sorted(text.replace(",", "").split())

    found = replay(read(tree(moves))).warnings
    assert [words(text) for text in found] == [words(text) for text in warnings]


STOPPED = "B[cb];W[cc];B[bc];W[aa]"


@pytest.mark.parametrize(
    ("moves", "written", "shown", "noted"),
    [
        (f"{STOPPED};B[]", "1stop", 0, False),
        (f"{STOPPED};B[];W[ff];W[fe]", "1stop", 2, False),
        (f"{STOPPED};B[];W[ff][fe]", "1stop", 2, False),
        (f"{STOPPED};W[ff]", "1stop", 1, True),
        (f"{STOPPED};W[ff];W[fe]", "1stop", 2, True),
        (f"{STOPPED};W[ff][fe]", "1stop", 2, True),
        (f"{STOPPED};B[ff];B[fe];B[fd]", "1ff 2stop", 2, True),
    ],
)
def test_stop_in_all_its_forms(moves, written, shown, noted):
    """R142: an empty move, or a run of extra moves by one side, one property or many."""
    record = read(tree(moves))
    assert names(record) == f"1cb 2cc 1bc 2aa {written}"
    assert len(record.shown) == shown
    assert any("STOP" in note for note in record.notes) == noted
    verdict = replay(record)
    assert verdict.reason is Ending.STOP
    stopper = record.movers[-1]
    assert verdict.score[stopper] == 0
    assert verdict.score[1 - stopper] == (2 if stopper == 0 else 1)
    again = read(write_record(record, "sgf"))
    assert again == record


def test_a_win_by_grounding_is_the_stop_of_the_player_to_move():
    record = read(tree(STOPPED, RE="W+G"))
    assert names(record).endswith("2aa 1stop")
    assert replay(record).agrees


def test_stop_with_a_solo_phase():
    solo = "Stop=1,Solo=1,SoloMoves=2"
    record = read(tree(f"{STOPPED};B[];W[ff];W[fe]", RU=solo))
    assert names(record).endswith("1stop 2ff 2fe")
    assert replay(record).state.finished[0]
    assert names(read(tree(f"{STOPPED};W[ff][fe]", RU=solo))) == names(
        read(tree(f"{STOPPED};W[ff];W[fe]", RU=solo))
    )
    stopped_too = read(tree(f"{STOPPED};B[];W[ff];W[]", RU=solo))
    assert replay(stopped_too).reason is Ending.STOP


def test_moves_in_a_row_are_no_stop_where_rules_or_ends_speak_against_it():
    assert names(read(tree(f"{STOPPED};W[ff]", RE="W+R"))).endswith("2aa 2ff")
    assert "out of turn" in replay(read(tree(f"{STOPPED};W[ff]", RE="W+R"))).warnings[0]
    again = read(tree(f"{RING}.cbbccddccb];B[ff];W[fe]", RU="AddTurn=1"))
    assert names(again).endswith("1cd 1ff 2fe")
    assert replay(again).warnings == ()
    assert "stop" not in names(read(tree(f"{STOPPED};W[ff]", RU="Stop=0")))


@pytest.mark.parametrize(
    ("text", "result", "reason", "margin"),
    [
        ("W+R", 2, Ending.RESIGN, None),
        ("b+resign", 1, Ending.RESIGN, None),
        ("W+T", 2, Ending.TIME, None),
        ("B+Time", 1, Ending.TIME, None),
        ("W+F", 2, Ending.FORFEIT, None),
        ("B+", 1, None, None),
        ("B+?", 1, None, None),
        ("0", 0, None, None),
        ("Draw", 0, None, None),
        ("?", None, None, None),
        ("Void", None, None, None),
        ("W+12.5", 2, None, 12.5),
    ],
)
def test_results(text, result, reason, margin):
    record = read(tree(STOPPED, RE=text))
    assert (record.result, record.reason, record.margin) == (result, reason, margin)


def test_a_resignation_may_be_a_move():
    record = read(tree(f"{STOPPED};B[resign]"))
    assert (record.result, record.reason) == (2, Ending.RESIGN)
    assert names(record).endswith("2aa")
    assert "RE must be lost by who resigned" in refused(tree(f"{STOPPED};B[resign]", RE="B+R"))
    assert "must not follow a resignation" in refused(tree(f"{STOPPED};B[resign];W[ff]"))


@pytest.mark.parametrize(
    ("properties", "agrees", "text"),
    [
        ({"RE": "W+2"}, True, None),
        ({"RE": "W+3"}, False, "a margin of 2, the record says 3"),
        ({"RE": "B+2"}, False, "a win of player 2, the record says a win of player 1"),
        ({"RE": "0"}, False, "a win of player 2, the record says a draw"),
        ({"RE": "W+4.5", "KM": "2.5"}, True, None),
        ({"RE": "0", "KM": "-2"}, True, None),
        ({}, None, None),
    ],
)
def test_a_recorded_result_is_compared_with_the_moves(properties, agrees, text):
    """Komi is included in RE."""
    verdict = replay(read(tree(f"{STOPPED};B[]", **properties)))
    assert verdict.agrees is agrees
    assert verdict.contradiction == (f"the moves lead to {text}" if text else None)


def test_comments_and_clocks_stand_at_their_moves():
    record = read(tree("B[cb]BL[59.5]C[good];W[cc]WL[58]OB[3]C[a]C[b];C[late]"))
    assert record.comments == {1: "good", 2: "a\nb\nlate"}
    assert record.clocks == {1: 59.5, 2: 58.0}
    assert record.notes == ("OB is left out",)
    assert read(write_record(record, "sgf")) == record


def test_variations_are_left_out_and_told():
    record = read("(;GM[40]SZ[6];B[cb](;W[cc](;B[dd])(;B[de]))(;W[ff];B[ee]))")
    assert names(record) == "1cb 2cc 1dd"
    assert record.notes == ("2 variations beside the main line are left out",)


def test_points_of_the_largest_board():
    record = read(tree("B[ZZ];W[aA];B[Ab]", size="52"))
    assert record.moves == (52 * 51 + 51, 52 * 26, 52 + 26)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1]SZ[6];B[aa])", "line 1, node 1: GM must be 40, the number of Kropki, got '1'"),
        ("(;SZ[6];B[aa])", "line 1, node 1: GM must be 40, the number of Kropki, got none"),
        ("(;GM[40];B[aa])", "line 1, node 1: SZ must be a size such as 20 or 39:32, got none"),
        (tree("B[aa]", FF="3"), "FF must be 4, got '3'"),
        (tree("B[aa]", CA="KOI8-R", PB="Б"), "CA must be UTF-8, got 'KOI8-R'"),
        (tree("B[aa]", size="60"), "KropkiRules.width must be a whole number from 2 to 52, got 60"),
        (tree("B[aa];W[ag]"), "node 3: W must be a point of the board of 6x6, such as aa, got 'ag'"),
        (tree("B[aa]\n;W[abc]"), "line 2, node 3: W must be a point"),
        (tree("B[aa.]"), "node 2: B must have points in a chain, got ''"),
        (tree("B[aa.abx]"), "node 2: B must be a point of the board of 6x6, such as aa, got 'x'"),
        (tree("B[aa]W[bb]"), "W must be the only move of a node"),
        (tree("B[aa];AB[bb]"), "node 3: AB must stand before the first move"),
        (tree("B[aa];AE[aa]"), "node 3: AE must not take dots away"),
        (tree("B[aa]", KM="x"), "KM must be a number, got 'x'"),
        (tree("B[aa]", KM="0.3"), "KropkiRules.komi must be a multiple of 0.5"),
        (tree("B[aa]", RE="W+X"), "RE must be such as B+12, W+R, W+T or 0, got 'W+X'"),
        (tree("B[aa]SZ[7]"), "node 2: SZ must be given once"),
        (tree("B[aa]", AB="bb", AW="bb"), "Record.start must be different points of the board"),
        (tree("B[aa]", RU="MustSurr=0"), "RU must have MustSurr=1 (closing cannot be left to the mover)"),
        ("(;GM[40]SZ[6];B[aa];W)", "line 1, node 3: W must have a value"),
        ("(;GM[40]SZ[6];B[aa]!;W[bb])", "line 1, node 2: there must be no '!' between properties"),
    ],
)
def test_a_damaged_record_names_line_node_and_reason(text, reason):
    assert reason in refused(text)


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("B[aa];W[aa]", "line 1, move 2 (aa): this point is occupied"),
        (f"{RING}];W[cc]", "line 1, move 8 (cc): this point is closed"),
        ("B[aa];W[];W[bb];B[cc]", "line 1, move 3 (bb): the game is finished"),
    ],
)
def test_a_move_that_is_not_possible_is_named(moves, reason):
    record = read(tree(moves))
    with pytest.raises(RecordError) as caught:
        replay(record)
    assert str(caught.value) == reason


def test_start_dots_that_should_have_been_taken_are_refused():
    record = read("(;GM[40]SZ[6]AB[cb][bc][dc][cd]AW[cc];W[aa])")
    with pytest.raises(RecordError, match=r"line 1, start: .* at cc"):
        replay(record)


@pytest.mark.parametrize("form", ["sgf", "jsonl"])
def test_files_of_fuzz_games_replay_as_the_referee_scores_them(form):
    """Moves out of turn, houses and rings in rings; each chain that is written is one of the referee's."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        referee = Referee(8, 7)
        moves, scores, chains = [], [], []
        while not referee.finished and len(moves) < 50:
            point = int(rng.choice([p for p in referee.points if referee.playable(p)]))
            referee.play(point)
            moves.append(f"{'WB'[referee.to_move]}[{'abcdefgh'[point % 8]}{'abcdefgh'[point // 8]}]")
            scores.append(referee.score())
            chains += [frozenset(capture.chain) for capture in referee.captures]
        record = read(f"(;GM[40]SZ[8:7];{';'.join(moves)})")
        again = read(write_record(record, form))
        assert replay(again).scores.tolist() == scores
        if form == "sgf":
            assert {frozenset(chain.points) for chain in again.chains} == set(chains)
            assert replay(again).warnings == ()
