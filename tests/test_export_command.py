"""Where `dotzero export` writes, and what it keeps of an earlier export."""

import json
import shutil
from pathlib import Path

import pytest

from dotzero.checkpoints import released_folder
from dotzero.configs.schema import ExportJob
from dotzero.models.export import CHECKPOINT_NAME, load_card
from dotzero.scripts import export as act

NETWORK = released_folder("boxes_3x3")


@pytest.fixture
def exported(tmp_path, monkeypatch):
    """The arguments of exports, none of which is made: it takes long and is tested elsewhere."""
    monkeypatch.chdir(tmp_path)
    folder = Path("runs", "mine")
    (folder / "checkpoints").mkdir(parents=True)
    for number in (1, 2):
        shutil.copyfile(NETWORK / CHECKPOINT_NAME, folder / "checkpoints" / f"00000{number}.safetensors")
    calls = []

    def export_network(network, about, out, arena=None):
        calls.append((out, arena))
        return load_card(NETWORK)

    monkeypatch.setattr(act, "export_network", export_network)
    return calls


@pytest.mark.parametrize(
    ("settings", "out"),
    [
        ({"run": "mine"}, "runs/mine/export"),
        ({"run": "mine", "out": "a/b"}, "a/b"),
        ({"source": "runs/mine/checkpoints/000001.safetensors"}, "000001"),
        (
            {"source": "runs/mine/checkpoints/000001.safetensors", "out": "checkpoints/early"},
            "checkpoints/early",
        ),
    ],
)
def test_nothing_goes_beside_the_released_networks_unless_told(exported, settings, out):
    act.export(ExportJob(**settings))
    assert exported == [(Path(out), None)]
    assert Path("checkpoints").exists() == out.startswith("checkpoints")


def test_what_was_measured_of_the_same_state_stays_in_the_card(exported):
    out = Path("runs", "mine", "export")
    shutil.copytree(NETWORK, out)
    card = json.loads((out / "card.json").read_text())
    card["arena"] = {"games": 2, "players": []}
    (out / "card.json").write_text(json.dumps(card))
    act.export(ExportJob(run="mine"))
    card["training"] = {"iterations": -1}
    (out / "card.json").write_text(json.dumps(card))
    act.export(ExportJob(run="mine"))
    assert exported == [(out, {"games": 2, "players": []}), (out, None)]
