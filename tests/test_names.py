"""Names of players for pages: paths and commands of this machine stay here."""

import asyncio
import json
from pathlib import Path

import pytest
from open_pages import Page, open_site
from played_sessions import boxes, play

from dotzero.play.seats import Language
from dotzero.play.session_files import to_record
from dotzero.play.web.names import PlayerNames, player_label
from dotzero.play.web.views import describe

NETWORK = str(Path(__file__).parent.parent / "checkpoints" / "boxes_3x3")


@pytest.mark.parametrize(
    ("player", "told"),
    [
        ("easy@miss=0.3", "easy@miss=0.3"),
        ("zero", "zero"),
        ("zero:/a/mine@simulations=8,temperature=1", "zero:mine@simulations=8,temperature=1"),
        ("zero:/b/mine", "zero:mine-2"),
        ("zero:/secret/elsewhere", "zero:elsewhere"),
        ("engine:/secret/program --password hidden", "engine:program"),
    ],
)
def test_no_path_is_told(player, told):
    names = PlayerNames(("/a/mine", "/b/mine"))
    assert names.told(player) == told
    assert "secret" not in player_label(player, Language.EN)
    if "secret" not in player:
        assert names.meant(told) == player


def test_only_names_on_offer_lead_to_files():
    names = PlayerNames(("/a/mine",))
    for player in ("zero:elsewhere", "zero:/etc", "engine:mine", "easy"):
        assert names.meant(player) == player


def test_a_network_of_ones_own_is_called_by_its_folder():
    assert player_label("zero:runs/mine/", Language.EN) == "Neural network mine"
    assert player_label("zero", Language.EN) == "Neural network"


@pytest.mark.parametrize(
    ("names", "english", "russian"),
    [
        (("easy", "random"), ["Easy", "Random"], ["Лёгкий", "Случайный"]),
        (("zero", "greedy"), ["Neural network", "Greedy"], ["Нейросеть", "Жадный"]),
        (("insane", "insane"), ["Insane 1", "Insane 2"], ["Безумный 1", "Безумный 2"]),
        (("Easy", "medium@miss=0.3"), ["Easy", "medium@miss=0.3"], ["Easy", "medium@miss=0.3"]),
        (("Ян", "hard "), ["Ян", "Hard"], ["Ян", "Сложный"]),
    ],
)
def test_levels_of_a_record_are_called_as_everywhere_on_the_page(names, english, russian):
    """R091, R160: an arena writes them as commands name them."""
    session = boxes(names=names)
    for language, told in ((Language.EN, english), (Language.RU, russian)):
        seats = describe(session, language)["seats"]
        assert [seat["name"] for seat in seats] == told
        assert seats[0]["mark"][:1] == told[0][:1]
        assert to_record(session, language).players[0].startswith(names[0])  # nothing of it is written


def test_a_person_against_a_level_may_be_called_as_a_level():
    seats = describe(boxes(seats=(None, "easy"), names=("random", "")), Language.RU)["seats"]
    assert [seat["name"] for seat in seats] == ["random", "Лёгкий"]


def test_a_page_plays_a_network_without_learning_where_it_lies(tmp_path):
    """R104: from the offer through the game and the saved one to the statistics."""

    async def check():
        async with open_site(tmp_path, checkpoints=(NETWORK,)) as site:
            page, heard = Page(site), []
            session = boxes(seats=(None, "engine:/secret/program --password hidden"))
            play(session, ["A1T"])
            site.saves.put(session)
            other = boxes(seats=(None, "zero:/secret/mine"))
            other.resign(0)
            site.saves.put(other)
            heard.append(await page.hello())
            rules = {"rows": 3, "columns": 3}
            heard.append(await page.ask("check", "checked", settings={"game": "boxes", "rules": rules}))
            assert "zero:boxes_3x3" in [offer["player"] for offer in heard[-1]["offer"]]
            begin = await page.begin(rules, ({}, {"player": "zero:boxes_3x3"}))
            assert begin["game"]["seats"][1]["player"] == "zero:boxes_3x3"
            assert page.connection.game().settings.opponent == f"zero:{NETWORK}"
            await page.persons_turn(await page.move("A1T"))
            heard += [begin, await page.ask("resign", "game"), await page.hear("tally")]
            settings = begin["game"]["settings"] | {"seed": 1}
            heard.append(await page.ask("new", "begin", settings=settings))
            heard.append(await page.ask("statistics", "statistics"))
            heard.append(await page.ask("continue", "error", id=session.id))
            text = json.dumps(heard)
            assert "boxes_3x3" in text
            assert NETWORK not in text
            assert "secret" not in text
            assert "hidden" not in text

    asyncio.run(asyncio.wait_for(check(), 120))
