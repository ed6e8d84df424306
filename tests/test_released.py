"""The networks that come along: whole, small, no pickle among them, and each board gets the nearest one."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from dotzero.checkpoints import RELEASED
from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.export import CARD_NAME, CHECKPOINT_NAME, ONNX_NAME
from dotzero.play import released
from dotzero.play.players import make_player
from dotzero.play.released import released_network, released_networks

ROOT = Path(__file__).parent.parent
MOST_BYTES = 10_000_000


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_network_is_a_whole_export_and_small(name):
    files = {path.name: path for path in (ROOT / "checkpoints" / name).iterdir()}
    assert set(files) == {CARD_NAME, CHECKPOINT_NAME, ONNX_NAME}
    assert sum(path.stat().st_size for path in files.values()) < MOST_BYTES


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_network_is_kept_by_git(name):
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    ignored = subprocess.run(
        ["git", "check-ignore", "--no-index", f"checkpoints/{name}/{CARD_NAME}"],
        cwd=ROOT,
        capture_output=True,
    )
    assert ignored.returncode == 1, "named in .gitignore"


def test_each_board_gets_the_network_of_the_nearest_size():
    sizes = {path: card.sizes for path, card in released_networks().items() if card.encoding.game == "boxes"}
    for path, own in sizes.items():
        for rows, columns in own:
            assert released_network(BoxesGame(BoxesRules(rows=rows, columns=columns))) == path
    smallest = min(sizes, key=lambda path: np.prod(sizes[path][0]))
    largest = max(sizes, key=lambda path: np.prod(sizes[path][0]))
    assert released_network(BoxesGame(BoxesRules(rows=1, columns=2))) == smallest
    assert released_network(BoxesGame(BoxesRules(rows=7, columns=7))) == largest


@pytest.mark.parametrize(
    ("text", "rows", "spec"),
    [
        ("zero", 3, "zero@exact_lines=20,root_nodes=200000"),
        ("zero", 7, "zero@backend=torch,exact_lines=20,root_nodes=200000"),
        ("zero@exact_lines=0", 3, "zero@exact_lines=0,root_nodes=200000"),
        ("medium", 3, "medium"),
        ("zero", 9, "zero@backend=torch"),
    ],
)
def test_whoever_somebody_waits_for_answers_soon(text, rows, spec):
    """Without a new export and without leaves that take long; what was said stays."""
    game = BoxesGame(BoxesRules(rows=rows, columns=rows))
    assert released.interactive_spec(text, game) == spec


@pytest.mark.parametrize(
    ("text", "side", "spec"),
    [
        ("zero", 10, "zero@simulations=256"),
        ("zero@simulations=16", 14, "zero@simulations=16"),
        ("zero", 20, "zero@simulations=256"),  # one export serves all boards
        ("insane", 10, "insane"),
    ],
)
def test_in_kropki_somebody_waits_for_a_longer_search(text, side, spec):
    game = KropkiGame(KropkiRules(width=side, height=side))
    assert released.interactive_spec(text, game) == spec


def test_zero_alone_plays_with_it():
    game = BoxesGame(BoxesRules(rows=3, columns=3))
    state = game.start(1)
    with_name = make_player(f"zero:{released_network(game)}", game)
    alone = make_player("zero", game)
    luck = np.zeros(1, np.uint64)
    assert alone.choose(game, state, luck) == with_name.choose(game, state, luck)
    assert alone.name == "zero"
    alone.close()
    with_name.close()


def test_a_game_without_one_needs_a_folder(monkeypatch):
    monkeypatch.setattr(released, "RELEASED", ())
    with pytest.raises(ValueError, match="must name a checkpoint as zero:DIR, none comes along for boxes"):
        make_player("zero", BoxesGame(BoxesRules(rows=3, columns=3)))
