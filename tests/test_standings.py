"""What a tournament comes to in a table: Elo, and intervals that are open where no game bounds them."""

import json

import pytest
from rich.console import Console

from dotzero.play.match_result import GameRecord, summary
from dotzero.play.standings import standings, standings_table

_SCORE = {1: (5, 4), 0: (4, 4), 2: (4, 5)}


def match(first, second, points):
    """A match from the points of its first player, who begins every other game: 1 won, 0.5 drawn, 0 lost."""
    records = []
    for number, point in enumerate(points):
        seats = (first, second) if number % 2 == 0 else (second, first)
        own = 1 + number % 2
        result = {1: own, 0.5: 0, 0: 3 - own}[point]
        records.append(
            GameRecord(
                players=seats,
                opening=number // 2,
                opening_plies=0,
                moves=("A1T",),
                movers=(1,),
                score=_SCORE[result],
                margin=_SCORE[result][0] - _SCORE[result][1],
                result=result,
            )
        )
    return summary(first, second, records)


def table_of(names, matches, anchor):
    """Elo and interval of every player as the table shows them, and all of it."""
    rows = standings(names, [None] * len(names), matches, anchor)
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(standings_table("boxes", rows))
    text = console.export_text()
    shown = {}
    for name in names:
        (line,) = (line for line in text.splitlines() if line.split() and line.split()[0] == name)
        elo, *interval = line.split()[5:-3]
        shown[name] = (elo, " ".join(interval))
    return rows, shown, text


def test_a_winner_of_everything_has_no_upper_bound():
    """Two games of two are won: at least -234 Elo, as one pair can tell, and nothing against any more."""
    rows, shown, text = table_of(["strong", "weak"], [match("strong", "weak", [1, 1])], 1)
    assert shown == {"strong": ("+inf", "-234 .. +inf"), "weak": ("0", "anchor")}
    assert rows[0].interval == (pytest.approx(-234, abs=1), None)
    assert (rows[0].elo_bounded, rows[1].elo_bounded) == (True, False)
    assert "inf: where all games are won, or all lost" in text
    data = json.loads(json.dumps(rows[0].to_json(), allow_nan=False))
    assert data["interval"][1] is None
    long = table_of(["strong", "weak"], [match("strong", "weak", [1] * 200)], 1)[1]
    assert long["strong"][1].startswith("+")  # so many wins leave no doubt who is stronger


def test_a_loser_of_everything_has_no_lower_bound():
    rows, shown, _ = table_of(["weak", "strong"], [match("weak", "strong", [0, 0])], 1)
    assert shown == {"weak": ("-inf", "-inf .. +234"), "strong": ("0", "anchor")}
    assert rows[0].interval[0] is None


def test_what_games_bound_on_both_sides_is_told_as_ever():
    rows, shown, text = table_of(["one", "two"], [match("one", "two", [1, 0.5, 0, 1, 0.5, 0])], 1)
    assert shown["one"][0] == "+0"
    assert not rows[0].elo_bounded
    assert "inf" not in text


def test_among_several_the_anchor_counts_too():
    """Compared with one who lost everything one may be any stronger; with one who won all, any weaker."""
    matches = [match("a", "b", [1, 0]), match("a", "c", [1, 1]), match("b", "c", [1, 1])]
    names = ["a", "b", "c"]
    lost = table_of(names, matches, 2)[1]
    assert [lost[name][0] for name in names] == ["+inf", "+inf", "0"]
    assert all(lost[name][1].endswith(" .. +inf") for name in "ab")
    level = table_of(names, matches, 1)[1]
    assert level["c"][0] == "-inf"
    assert level["c"][1].startswith("-inf .. ")
    assert "inf" not in level["a"][0]
    matches = [match("a", "b", [1, 1]), match("a", "c", [1, 1]), match("b", "c", [1, 0])]
    won = table_of(names, matches, 0)[1]
    assert [won[name][0] for name in names] == ["0", "-inf", "-inf"]


def test_two_who_lost_everything_cannot_be_compared():
    """A gauntlet against a third one, who beat both: the one's Elo to the other is not known at all."""
    matches = [match("a", "b", [1, 1]), match("a", "c", [1, 1])]
    rows, shown, _ = table_of(["a", "b", "c"], matches, 2)
    assert shown["b"] == ("?", "-inf .. +inf")
    assert rows[1].interval == (None, None)
    assert shown["a"][0] == "+inf"
