"""Rules of Kropki: presets, start positions and what is refused."""

import json
from dataclasses import asdict, fields

import numpy as np
import pytest

from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import HouseCloses, KropkiRules, ScoreRule, Start, StopRule

MIDDLES = {
    "empty": "........ ........ ........ ........ ........ ........",
    "single": "........ ........ ...X.... ........ ........ ........",
    "cross": "........ ........ ...XO... ...OX... ........ ........",
    "double_cross": "........ ........ ..XOOX.. ..OXXO.. ........ ........",
    "four_crosses": "........ .XO..OX. .OX..XO. .OX..XO. .XO..OX. ........",
}


def random_crosses(width, height, num, seed):
    start = Start.RANDOM_CROSSES
    return KropkiRules(width=width, height=height, start=start, num_crosses=num, start_seed=seed)


def drawn(dots):
    return " ".join("".join(".XO"[dot] for dot in row) for row in dots)


def crosses(dots):
    """The top left points of all crosses of a board, every dot belonging to exactly one."""
    left, corners = dots.copy(), []
    for y, x in np.argwhere(dots):
        if left[y, x]:
            block = left[y : y + 2, x : x + 2]
            assert block.tolist() in ([[1, 2], [2, 1]], [[2, 1], [1, 2]]), drawn(dots)
            block[:] = 0
            corners.append((int(y), int(x)))
    return corners


def test_the_official_rules_are_the_default():
    """R133: the rule set of the servers, on the tournament's board."""
    assert KropkiRules.preset("official") == KropkiRules()
    assert asdict(KropkiRules()) == {
        "width": 39, "height": 32, "start": "cross", "num_crosses": 4, "start_seed": 0, "opening_zone": None,
        "house_closes": "at_once", "add_turn": False, "stop": "grounding", "solo_moves": None, "holes": False,
        "punish": False, "last_safe": False, "capture_empty": False, "score": "dots", "instant_win": None,
        "komi": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("house", {"width": 20, "height": 20, "add_turn": True, "stop": "off"}),
        ("tournament", {"start": "empty", "opening_zone": (15, 8)}),
        ("territory", {"score": "territory"}),
    ],
)
def test_presets_change_what_they_name(name, changed):
    """R134, R007 (house: two dots each in the centre, another move after a capture); R008; R041."""
    official = asdict(KropkiRules())
    given = asdict(KropkiRules.preset(name))
    assert {key: value for key, value in given.items() if value != official[key]} == changed


def test_presets_take_changes():
    rules = KropkiRules.preset("house", width=30, height=25, komi=0.5)
    assert (rules.width, rules.height, rules.add_turn, rules.komi) == (30, 25, True, 0.5)


def test_rules_are_plain_values():
    """What a JSON file holds gives the same rules again; YAML's bare `off` is read too."""
    rules = KropkiRules(
        start=Start.EMPTY, opening_zone=(15, 8), house_closes=HouseCloses.OWNER_TURN, stop=StopRule.SOLO,
        solo_moves=3, score=ScoreRule.TERRITORY, komi=-2.5,
    )  # fmt: skip
    plain = json.loads(json.dumps(asdict(rules)))
    assert KropkiRules(**plain) == rules
    assert hash(KropkiRules(**plain)) == hash(rules)
    assert KropkiRules(stop=False).stop is StopRule.OFF
    assert isinstance(KropkiRules(komi=3).komi, float)


@pytest.mark.parametrize("start", MIDDLES)
def test_start_positions_of_8x6(start):
    """R007, R009, R010: where each fixed start stands, the colours alternating round every cross."""
    dots = KropkiRules(width=8, height=6, start=start).start_dots()
    assert dots.dtype == np.uint8
    assert drawn(dots) == MIDDLES[start]


@pytest.mark.parametrize(
    ("size", "corner"),
    [((39, 32), (20, 16)), ((2, 3), (1, 1)), ((3, 3), (2, 1)), ((5, 4), (3, 2)), ((52, 51), (26, 25))],
)
def test_the_place_of_the_cross(size, corner):
    """R007, R009: top left at column (width + 1) // 2, row height // 2, player 1 from there downwards."""
    dots = KropkiRules(width=size[0], height=size[1]).start_dots()
    column, row = corner
    assert crosses(dots) == [(row - 1, column - 1)]
    assert dots[row - 1, column - 1] == 1


def test_starts_of_the_tournament_board():
    """R010: as the servers set them up; counted from 1: column, row."""
    double = KropkiRules(start="double_cross").start_dots()
    first = [(19, 16), (20, 17), (22, 16), (21, 17)]
    assert sorted((x + 1, y + 1) for y, x in np.argwhere(double == 1)) == sorted(first)
    assert sorted((x + 1, y + 1) for y, x in np.argwhere(double == 2)) == sorted(
        [(20, 16), (19, 17), (21, 16), (22, 17)]
    )
    four = KropkiRules(start="four_crosses").start_dots()
    assert [(x + 1, y + 1) for y, x in crosses(four)] == [(12, 11), (27, 11), (12, 21), (27, 21)]
    assert (four == four[::-1]).all()
    assert (four == four[:, ::-1]).all()
    assert four[10, 11] == 1
    assert np.argwhere(KropkiRules(start="single").start_dots()).tolist() == [[15, 19]]
    assert np.argwhere(KropkiRules(start="single", width=5, height=7).start_dots()).tolist() == [[3, 2]]


@pytest.mark.parametrize(
    ("size", "num"), [((39, 32), 4), ((20, 20), 7), ((8, 8), 3), ((3, 5), 2), ((2, 9), 3)]
)
def test_random_crosses_stand_apart(size, num):
    """R010: so many crosses, not touching each other, the same for the same seed and others for another."""
    seen, ways = set(), set()
    for seed in range(30):
        rules = random_crosses(*size, num, seed)
        dots = rules.start_dots()
        assert (dots == rules.start_dots()).all()
        corners = crosses(dots)
        assert len(corners) == num
        for index, (y, x) in enumerate(corners):
            assert all(abs(y - v) > 2 or abs(x - u) > 2 for v, u in corners[:index])
        seen.add(drawn(dots))
        ways |= {int(dots[corner]) for corner in corners}
    assert len(seen) > 5
    assert ways == {1, 2}, "either way round"


@pytest.mark.parametrize("size", [(3, 2), (5, 4), (5, 5), (8, 3)])
def test_as_many_random_crosses_as_there_is_room_for(size):
    width, height = size
    num = ((width + 1) // 3) * ((height + 1) // 3)
    for seed in range(10):
        rules = random_crosses(width, height, num, seed)
        assert np.bincount(rules.start_dots().ravel(), minlength=3)[1:].tolist() == [2 * num, 2 * num]
        assert not (KropkiGame(rules).start(1).cells & 0xF0).any(), "nothing closed, no houses"
    with pytest.raises(ValueError, match="num_crosses must leave its crosses apart"):
        random_crosses(width, height, num + 1, seed=0)


@pytest.mark.parametrize("start", ["cross", "double_cross", "four_crosses"])
def test_no_start_holds_enclosed_dots(start):
    """A fixed start that fits a board is a position in which nothing was captured."""
    for width, height in np.ndindex(10, 10):
        try:
            rules = KropkiRules(width=width + 2, height=height + 2, start=start)
        except ValueError:
            continue
        assert not KropkiGame(rules).start(1).score.any()  # refuses enclosed dots by itself


def test_a_generator_draws_other_crosses():
    rules = KropkiRules(start="random_crosses")
    rng = np.random.default_rng(0)
    boards = {drawn(rules.start_dots(rng)) for _ in range(5)}
    assert len(boards) == 5


@pytest.mark.parametrize(
    ("size", "zone", "corners"),
    [
        ((39, 32), (15, 8), ((12, 12), (26, 19))),
        ((10, 9), (3, 4), ((3, 2), (5, 5))),
        ((6, 6), (6, 6), ((0, 0), (5, 5))),
        ((6, 6), (1, 2), ((2, 2), (2, 3))),
    ],
)
def test_the_opening_zone_is_in_the_middle(size, zone, corners):
    """R008: columns from (width - w) // 2, rows from (height - h) // 2."""
    rules = KropkiRules(width=size[0], height=size[1], start="empty", opening_zone=zone)
    places = np.argwhere(rules.zone())[:, ::-1]
    assert (tuple(places.min(axis=0)), tuple(places.max(axis=0))) == corners
    assert len(places) == zone[0] * zone[1]
    assert KropkiRules().zone().all()


REFUSED = [
    ({"width": 1}, "width must be a whole number from 2 to 52, got 1"),
    ({"height": 53}, "height must be a whole number from 2 to 52, got 53"),
    ({"width": 8.0}, "width must be a whole number from 2 to 52, got 8.0"),
    ({"height": True}, "height must be a whole number from 2 to 52, got True"),
    ({"width": "8"}, "width must be a whole number from 2 to 52, got '8'"),
    (
        {"start": "star"},
        "start must be one of empty, single, cross, double_cross, four_crosses, random_crosses, got 'star'",
    ),
    ({"house_closes": "later"}, "house_closes must be one of at_once, owner_turn, got 'later'"),
    ({"stop": "on"}, "stop must be one of grounding, solo, off, got 'on'"),
    ({"stop": None}, "stop must be one of grounding, solo, off, got None"),
    ({"score": 1}, "score must be one of dots, territory, got 1"),
    ({"add_turn": 1}, "add_turn must be true or false, got 1"),
    ({"holes": "no"}, "holes must be true or false, got 'no'"),
    ({"punish": None}, "punish must be true or false, got None"),
    ({"last_safe": 0}, "last_safe must be true or false, got 0"),
    ({"capture_empty": "yes"}, "capture_empty must be true or false, got 'yes'"),
    (
        {"width": 2, "height": 2},
        "start must leave its crosses apart and a point free on the board of 2x2, got 'cross'",
    ),
    (
        {"width": 3, "start": "double_cross"},
        "start must leave its crosses apart and a point free on the board of 3x32, got 'double_cross'",
    ),
    (
        {"width": 3, "start": "four_crosses"},
        "start must leave its crosses apart and a point free on the board of 3x32, got 'four_crosses'",
    ),
    (
        {"height": 3, "start": "four_crosses"},
        "start must leave its crosses apart and a point free on the board of 39x3, got 'four_crosses'",
    ),
    (
        {"width": 4, "height": 4, "start": "random_crosses", "num_crosses": 4},
        "num_crosses must leave its crosses apart and a point free on the board of 4x4, got 4",
    ),
    (
        {"start": "random_crosses", "num_crosses": 0},
        "num_crosses must be a whole number of at least 1, got 0",
    ),
    ({"num_crosses": 3}, "num_crosses must be left alone unless start is random_crosses, got 3"),
    ({"start_seed": -1}, "start_seed must be a whole number of at least 0, got -1"),
    ({"start_seed": 5}, "start_seed must be left alone unless start is random_crosses, got 5"),
    ({"opening_zone": (15, 8)}, "opening_zone must be none unless start is empty, got (15, 8)"),
    (
        {"start": "empty", "opening_zone": (40, 8)},
        "opening_zone must fit the board of 39x32, got (40, 8)",
    ),
    (
        {"start": "empty", "opening_zone": (15, 33)},
        "opening_zone must fit the board of 39x32, got (15, 33)",
    ),
    ({"start": "empty", "opening_zone": (1, 1)}, "opening_zone must have at least two points, got (1, 1)"),
    (
        {"start": "empty", "opening_zone": (-2, -2)},
        "opening_zone must have at least two points, got (-2, -2)",
    ),
    (
        {"start": "empty", "opening_zone": [5]},
        "opening_zone must be two whole numbers, columns and rows, got [5]",
    ),
    (
        {"start": "empty", "opening_zone": "15x8"},
        "opening_zone must be two whole numbers, columns and rows, got '15x8'",
    ),
    ({"solo_moves": 5}, "solo_moves must be none unless stop is solo, got 5"),
    ({"stop": "off", "solo_moves": 5}, "solo_moves must be none unless stop is solo, got 5"),
    ({"stop": "solo", "solo_moves": 0}, "solo_moves must be a whole number from 1 to 2704, got 0"),
    ({"instant_win": 0}, "instant_win must be a whole number from 1 to 2704, got 0"),
    ({"instant_win": 3, "komi": -3.0}, "instant_win must be above the komi of -3, got 3"),
    ({"instant_win": 3, "komi": 3.5}, "instant_win must be above the komi of 3.5, got 3"),
    ({"komi": 0.25}, "komi must be a multiple of 0.5, got 0.25"),
    ({"komi": float("nan")}, "komi must be a multiple of 0.5, got nan"),
    ({"komi": float("inf")}, "komi must be a multiple of 0.5, got inf"),
    ({"komi": "1"}, "komi must be a multiple of 0.5, got '1'"),
    ({"komi": True}, "komi must be a multiple of 0.5, got True"),
    ({"width": 4, "height": 4, "komi": 17}, "komi must be within 16 points, got 17"),
    ({"width": 4, "height": 4, "komi": 1e308}, "komi must be within 16 points, got 1e+308"),
    ({"width": 4, "height": 4, "komi": 10**400}, f"komi must be within 16 points, got 1{'0' * 400}"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_makes_no_sense_is_refused(values, message):
    """One sentence: field, rule, value."""
    with pytest.raises(ValueError) as error:  # noqa: PT011
        KropkiRules(**values)
    assert str(error.value) == f"KropkiRules.{message}"


def test_unknown_names_are_refused():
    """R033, R042: dots on closed points and longer links are not offered, and so no silent options."""
    sets = "official, house, tournament, territory"
    with pytest.raises(ValueError, match=f"^KropkiRules.preset must be one of {sets}, got 'chess'$"):
        KropkiRules.preset("chess")
    with pytest.raises(ValueError, match=r"\(polish awaits must_surround=no\), got 'polish'$"):
        KropkiRules.preset("polish")
    names = ", ".join(field.name for field in fields(KropkiRules))
    with pytest.raises(ValueError, match=f"^KropkiRules must have the fields {names}, got links$"):
        KropkiRules.preset("official", links=2)
    with pytest.raises(ValueError, match=r"^KropkiRules must have the fields .*, got enter_closed$"):
        KropkiRules.preset("official", enter_closed=True)
    with pytest.raises(ValueError, match=r"must fit the board of 10x10, got \(15, 8\)$"):
        KropkiRules.preset("tournament", width=10, height=10)
