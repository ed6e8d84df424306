"""Why a move is refused, told apart by key."""

from played_sessions import boxes, kropki, play

from dotzero.play.terminal_refusals import refusal

RING = ["cb", "cc", "bb", "aa", "db", "ea", "bc", "eb", "dc", "ec", "bd", "ed", "cd", "ae", "dd"]


def key_of(session, name):
    return refusal(session, session.notation.parse(name))


def test_every_reason_has_its_own_text():
    """R053, R014, R015, R008."""
    session = boxes()
    play(session, ["A1T"])
    assert key_of(session, "A2B") == ("illegal boxes", {"move": "A1T"})
    session = kropki()
    play(session, RING)
    assert key_of(session, "cb") == ("occupied", {"move": "cb"})
    assert key_of(session, "cc") == ("closed", {"move": "cc"})
    session = kropki(9, 7, rules={"opening_zone": (5, 3)})
    assert key_of(session, "aa") == ("zone", {"move": "aa", "zone": "5x3"})
    assert key_of(kropki(rules={"stop": "off"}), "stop") == ("no_stop", {})
