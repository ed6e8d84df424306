"""Rules of Kropki in an SGF record: its property RU, to and from `KropkiRules`.

Servers write `russian`, or a list such as `Punish=0,Holes=1,AddTurn=0,MustSurr=1,MinArea=1,Pass=0,Stop=1,
LastSafe=0,ScoreTerr=0,InstantWin=0` (eidokropki.reaktywni.pl, "format of RU field", 2010); one engine writes
names and digits in a row, `dotsCaptureEmptyBase0sui1`. What such a rule asks for that is not played here is
refused by its name, for a record under it would come out wrong.

Written is the list, and after it, where they are not as usual, rules that it has no tags for:

    CaptureEmpty=1   a region without enemy dots closes too     ZoneWidth, ZoneHeight   the opening zone
    OwnerTurn=1      a house closes in its owner's turn         Crosses, Seed           random crosses
    Solo=1           after STOP the opponent goes on alone,     SoloMoves=n             at most so long
"""

import re
from typing import Any

from dotzero.envs.game_records import shown
from dotzero.envs.kropki_rules import HouseCloses, KropkiRules, ScoreRule, StopRule
from dotzero.envs.kropki_starts import Start

_FLAGS = {
    "Punish": "punish",
    "Holes": "holes",
    "AddTurn": "add_turn",
    "LastSafe": "last_safe",
    "CaptureEmpty": "capture_empty",
}
"""Tags whose 0 or 1 is a field of the rules."""
_FIXED = {
    "MustSurr": (1, "closing cannot be left to the mover"),
    "MinArea": (1, "the smallest enclosure is always the one that closes"),
    "Pass": (0, "there is no passing"),
    "Border": (0, "the edge of the board closes nothing"),
}
"""Tags that must have one value here, and why."""
_IDLE = ("Suicide", "sui", "StartIsRandom", "startPosIsRandom", "InitPosGenType", "InitPosType")
"""Tags that change nothing in the replay of a record: the start dots stand in it, and moves that other rules
would not allow do not occur."""
_COUNTS = ("InstantWin", "SoloMoves", "ZoneWidth", "ZoneHeight", "Crosses", "Seed")
_SWITCHES = ("Stop", "ScoreTerr", "OwnerTurn", "Solo")
_BASE_MODES = {0: False, 1: True}
"""The tag BaseMode: what a closed region must hold; 2, nothing but enemy dots, is not played."""
_NAMES = {tag.lower(): tag for tag in (*_FLAGS, *_FIXED, *_IDLE, *_COUNTS, *_SWITCHES, "BaseMode")} | {
    "dotscaptureemptybase": "CaptureEmpty"
}
_IN_A_ROW = re.compile(r"(?:(?:dotsCaptureEmptyBase|startPosIsRandom|sui)[01])+")
_ITEM = re.compile(r"([A-Za-z]+)\s*(?:=\s*([0-9]{1,4000}))?")


def rules_of_tags(text: str) -> dict[str, Any]:
    """The fields of `KropkiRules` that a value of RU decides; a tag that is absent leaves the usual rule.

    The start is an empty board unless the tags of random crosses are there: a record has its dots itself.

    Raises:
        ValueError: The text is not of this kind, or names a rule that is not played here.
    """
    text = text.strip()
    if text.lower() in ("", "russian"):
        return _fields({})
    if _IN_A_ROW.fullmatch(text):
        text = re.sub(r"([01])(?=[a-z])", r"\1,", re.sub(r"([01])", r"=\1", text))
    values: dict[str, int] = {}
    for item in filter(None, map(str.strip, text.split(","))):
        match = _ITEM.fullmatch(item)
        if match is None or match[1].lower() not in _NAMES:
            raise ValueError(f"RU must be russian or known rules such as Punish=0,Holes=1, got {shown(item)}")
        tag = _NAMES[match[1].lower()]
        if tag in values:
            raise ValueError(f"RU must name a rule once, got {tag} twice")
        values[tag] = 1 if match[2] is None else int(match[2])
    return _fields(values)


def _fields(values: dict[str, int]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for tag, value in values.items():
        if (tag in _FLAGS or tag in _SWITCHES or tag in _FIXED) and value not in (0, 1):
            raise ValueError(f"RU must have 0 or 1 for {tag}, got {shown(value)}")
        if tag in _FLAGS:
            fields[_FLAGS[tag]] = value == 1
        elif tag in _FIXED and value != _FIXED[tag][0]:
            raise ValueError(f"RU must have {tag}={_FIXED[tag][0]} ({_FIXED[tag][1]}), got {tag}={value}")
    if "BaseMode" in values:
        if values["BaseMode"] not in _BASE_MODES:
            raise ValueError(f"RU must have BaseMode=0 or 1, got BaseMode={shown(values['BaseMode'])}")
        fields["capture_empty"] = _BASE_MODES[values["BaseMode"]]
    if values.get("ScoreTerr"):
        fields["score"] = ScoreRule.TERRITORY
    if values.get("OwnerTurn"):
        fields["house_closes"] = HouseCloses.OWNER_TURN
    if values.get("InstantWin"):
        fields["instant_win"] = values["InstantWin"]
    return fields | _stop_fields(values) | _start_fields(values)


def _stop_fields(values: dict[str, int]) -> dict[str, Any]:
    stops = values.get("Stop", 1)
    fields: dict[str, Any] = {"stop": StopRule.GROUNDING if stops else StopRule.OFF}
    if values.get("Solo"):
        if not stops:
            raise ValueError("RU must have Stop=1 where Solo=1, got Stop=0")
        fields["stop"] = StopRule.SOLO
    if "SoloMoves" in values:
        fields["solo_moves"] = values["SoloMoves"]
    return fields


def _start_fields(values: dict[str, int]) -> dict[str, Any]:
    fields: dict[str, Any] = {"start": Start.EMPTY}
    for one, other in (("ZoneWidth", "ZoneHeight"), ("Crosses", "Seed")):
        if (one in values) != (other in values):
            raise ValueError(f"RU must have {one} and {other} together, got one of them")
    if "ZoneWidth" in values:
        fields["opening_zone"] = (values["ZoneWidth"], values["ZoneHeight"])
    if "Crosses" in values:
        fields["start"] = Start.RANDOM_CROSSES
        fields |= {"num_crosses": values["Crosses"], "start_seed": values["Seed"]}
    return fields


def tags_of_rules(rules: KropkiRules) -> str:
    """The value of RU for rules; their board, komi and start dots have properties of their own."""
    values = {
        "Punish": rules.punish,
        "Holes": rules.holes,
        "AddTurn": rules.add_turn,
        "MustSurr": 1,
        "MinArea": 1,
        "Pass": 0,
        "Stop": rules.stop is not StopRule.OFF,
        "LastSafe": rules.last_safe,
        "ScoreTerr": rules.score is ScoreRule.TERRITORY,
        "InstantWin": rules.instant_win or 0,
    }
    if rules.capture_empty:
        values["CaptureEmpty"] = 1
    if rules.house_closes is HouseCloses.OWNER_TURN:
        values["OwnerTurn"] = 1
    if rules.stop is StopRule.SOLO:
        values["Solo"] = 1
    if rules.solo_moves is not None:
        values["SoloMoves"] = rules.solo_moves
    if rules.opening_zone is not None:
        values["ZoneWidth"], values["ZoneHeight"] = rules.opening_zone
    if rules.start is Start.RANDOM_CROSSES:
        values["Crosses"], values["Seed"] = rules.num_crosses, rules.start_seed
    return ",".join(f"{tag}={int(value)}" for tag, value in values.items())
