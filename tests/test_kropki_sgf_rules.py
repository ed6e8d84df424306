"""The property RU: to and from our options, and refusal of what is not played."""

import numpy as np
import pytest
from record_generators import kropki_rules

from dotzero.envs.kropki_rules import KropkiRules
from dotzero.envs.kropki_sgf_rules import rules_of_tags, tags_of_rules

USUAL = "Punish=0,Holes=1,AddTurn=0,MustSurr=1,MinArea=1,Pass=0,Stop=1,LastSafe=0,ScoreTerr=0,InstantWin=0"


def changed(text, **size):
    """What the tags change of the usual rules, on an empty board."""
    rules, usual = KropkiRules(**size, **rules_of_tags(text)), KropkiRules(**size, start="empty")
    names = KropkiRules.__dataclass_fields__
    return {name: getattr(rules, name) for name in names if getattr(rules, name) != getattr(usual, name)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("russian", {}),
        ("Russian ", {}),
        (USUAL, {"holes": True}),
        ("Punish=1, addturn=1,LASTSAFE=1", {"punish": True, "add_turn": True, "last_safe": True}),
        ("Stop=0", {"stop": "off"}),
        ("ScoreTerr=1,InstantWin=5", {"score": "territory", "instant_win": 5}),
        ("dotsCaptureEmptyBase0startPosIsRandom1sui1", {}),
        ("dotsCaptureEmptyBase0sui1", {}),
        ("dotsCaptureEmptyBase1sui0", {"capture_empty": True}),
        ("dotsCaptureEmptyBase=1,sui=0", {"capture_empty": True}),
        ("BaseMode=1", {"capture_empty": True}),
        ("Solo=1,SoloMoves=7", {"stop": "solo", "solo_moves": 7}),
        ("OwnerTurn=1", {"house_closes": "owner_turn"}),
        ("ZoneWidth=15,ZoneHeight=8", {"opening_zone": (15, 8)}),
    ],
)
def test_tags_become_options(text, expected):
    assert changed(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("MustSurr=0", "MustSurr=1 (closing cannot be left to the mover), got MustSurr=0"),
        ("MinArea=0", "MinArea=1 (the smallest enclosure is always the one that closes), got MinArea=0"),
        ("Pass=1", "Pass=0 (there is no passing), got Pass=1"),
        ("Border=1", "Border=0"),
        ("BaseMode=2", "BaseMode=0 or 1, got BaseMode=2"),
        ("Punish=2", "0 or 1 for Punish, got 2"),
        ("Links=2", "known rules such as Punish=0,Holes=1, got 'Links=2'"),
        ("polish", "known rules such as Punish=0,Holes=1, got 'polish'"),
        ("Punish=0,punish=1", "a rule once, got Punish twice"),
        ("Stop=0,Solo=1", "Stop=1 where Solo=1, got Stop=0"),
        ("ZoneWidth=3", "ZoneWidth and ZoneHeight together"),
        ("Punish=" + "9" * 5000, "known rules"),
        ("InstantWin=" + "9" * 3000, "whole number from 1 to 2704"),
        ("Punish=\u0661", "known rules"),
    ],
)
def test_rules_that_are_not_played_are_refused_by_name(text, reason):
    with pytest.raises(ValueError, match="must") as caught:
        changed(text)
    message = str(caught.value)
    assert reason in message
    assert "\n" not in message


def test_all_options_survive():
    """But for the start dots, board and komi, which have properties of their own."""
    rng, seen = np.random.default_rng(1), set()
    for _ in range(500):
        rules = kropki_rules(rng)
        if rules.start not in ("empty", "random_crosses"):
            continue
        text = tags_of_rules(rules)
        size = {"width": rules.width, "height": rules.height, "komi": rules.komi}
        assert KropkiRules(**size, **rules_of_tags(text)) == rules
        seen.add(text)
    assert len(seen) > 50


def test_usual_rules_are_written_as_the_servers_do():
    assert tags_of_rules(KropkiRules(holes=True)) == USUAL
