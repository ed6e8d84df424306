import json
import os
from dataclasses import replace

import numpy as np
import pytest
import torch
from random_networks import BOXES, KROPKI_LIKE, SMALL, random_batch, random_network

from dotzero.models import Network, known_encoding
from dotzero.models import export as export_module
from dotzero.models.checkpoint import load_checkpoint
from dotzero.models.export import check_parity, export_checkpoint, load_card, onnx_bytes
from dotzero.models.onnx_evaluator import OnnxEvaluator, open_session, swap_weights

torch.set_num_threads(1)
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")

ABOUT = {"rules": {"rows": 3, "columns": 3}, "training": {"steps": 5}}


def samples(encoding):
    """A square board and one that is not."""
    return [tuple(part.numpy() for part in random_batch(encoding, 4, *size)) for size in ((4, 4), (7, 5))]


def weight_names(network):
    return sorted(network.state_dict())


@pytest.fixture(scope="module", params=[BOXES, KROPKI_LIKE], ids=["boxes", "kropki"])
def exported(request):
    network = random_network(request.param)
    return network, onnx_bytes(network)


@pytest.fixture(scope="module")
def boxes_model():
    return onnx_bytes(random_network(BOXES))


def test_model_gives_the_networks_answers(exported):
    """At batch 1, 2 and 7, on two sizes, one of them not square."""
    network, model = exported
    parity = check_parity(network, model, samples(network.encoding))
    assert set(parity) == {"policy", "value", "margin", "owner"}
    assert 0 < max(parity.values()) < 1e-4


def test_model_takes_the_smallest_boards(exported):
    network, model = exported
    for size in ((2, 2), (1, 6), (1, 1)):
        check_parity(
            network, model, [tuple(part.numpy() for part in random_batch(network.encoding, 2, *size))]
        )


def test_inputs_and_outputs(exported):
    network, model = exported
    session = open_session(model)
    assert [(item.name, item.type) for item in session.get_inputs()] == [
        ("points", "tensor(uint8)"),
        ("globals", "tensor(float)"),
    ]
    assert [item.name for item in session.get_outputs()] == ["policy", "value", "margin", "owner"]
    points, globals_ = samples(network.encoding)[1]
    policy, value, margin, owner = session.run(None, {"points": points, "globals": globals_})
    assert policy.shape == (4, network.encoding.num_policy_slots(7, 5))
    assert value.shape == margin.shape == (4,)
    assert owner.shape == (4, 7, 5)
    assert ((owner > 0) & (owner < 1)).all()


def test_model_of_another_network_fails_the_comparison(exported):
    network, model = exported
    with pytest.raises(RuntimeError, match=r"model differs from the network: \w+ by .* at batch 1"):
        check_parity(random_network(network.encoding, seed=3), model, samples(network.encoding))


def test_swapped_weights_equal_a_fresh_export(exported):
    network, model = exported
    other = random_network(network.encoding, seed=3)
    export_module._export_shape.cache_clear()
    swapped = onnx.load_from_string(swap_weights(model, weight_names(network), other.state_dict()))
    fresh = onnx.load_from_string(onnx_bytes(other))
    assert swapped.graph == fresh.graph
    assert [entry.value for entry in swapped.metadata_props] == [
        entry.value for entry in fresh.metadata_props
    ]


def test_neutral_network_can_be_exported_and_swapped():
    """Zeros and equal weights are not folded away: the first export of a run is of a new network."""
    fresh = Network(SMALL, BOXES, torch.Generator().manual_seed(1))
    trained = random_network(BOXES, seed=4)
    model = swap_weights(onnx_bytes(fresh), weight_names(fresh), trained.state_dict())
    check_parity(trained, model, samples(BOXES))


def test_evaluator_reads_exported_files(tmp_path, boxes_model):
    path = tmp_path / "model.onnx"
    path.write_bytes(boxes_model)
    points, globals_ = samples(BOXES)[0]
    with OnnxEvaluator(path, expected=known_encoding("boxes", 25)) as evaluator:
        evaluation = evaluator.evaluate(points, globals_)
    expected = random_network(BOXES).predict(torch.from_numpy(points), torch.from_numpy(globals_))
    np.testing.assert_allclose(evaluation.margin, expected.margin, atol=1e-4)


def test_bad_models_are_refused(tmp_path, boxes_model):
    with pytest.raises(ValueError, match=r"^onnx model .* cannot be read: No such file or directory$"):
        OnnxEvaluator(tmp_path / "none.onnx")
    with pytest.raises(ValueError, match=r"^onnx model is damaged: [^\n]*$"):
        OnnxEvaluator(boxes_model[: len(boxes_model) // 2])
    with pytest.raises(ValueError, match=r"^onnx model was made for boxes, not for kropki$"):
        OnnxEvaluator(boxes_model, expected=KROPKI_LIKE)
    foreign = onnx.load_from_string(boxes_model)
    del foreign.metadata_props[:]
    with pytest.raises(ValueError, match=r"^onnx model was not exported by dotzero$"):
        OnnxEvaluator(foreign.SerializeToString())


def test_export_writes_a_whole_folder(tmp_path):
    network = random_network(BOXES)
    folder = tmp_path / "first"
    card = export_checkpoint(
        network, ABOUT, folder, samples(BOXES), sizes=[(3, 3)], arena={"opponent": "medium", "score": 0.9}
    )
    assert sorted(os.listdir(folder)) == ["card.json", "model.onnx", "model.safetensors"]
    assert os.listdir(tmp_path) == ["first"]
    assert load_card(folder) == card
    assert (card.sizes, card.rules, card.training) == ([[3, 3]], ABOUT["rules"], ABOUT["training"])
    assert card.arena == {"opponent": "medium", "score": 0.9}
    assert 0 < max(card.parity.values()) < 1e-4
    values = json.loads((folder / "card.json").read_text())
    assert (values["game"], values["encoding_version"]) == ("boxes", 2)
    loaded, meta = load_checkpoint(folder / "model.safetensors", BOXES)
    assert meta.about == ABOUT
    assert torch.equal(loaded.stem.weight, network.stem.weight)
    check_parity(loaded, (folder / "model.onnx").read_bytes(), samples(BOXES))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_export_replaces_an_earlier_one(tmp_path):
    folder = tmp_path / "a"
    for seed in (1, 2):
        export_checkpoint(random_network(BOXES, seed=seed), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    loaded, _ = load_checkpoint(folder / "model.safetensors")
    assert torch.equal(loaded.stem.weight, random_network(BOXES, seed=2).stem.weight)
    assert os.listdir(tmp_path) == ["a"]


def wrong_model(network):
    return onnx_bytes(random_network(BOXES, seed=8))


def failing(*args):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("name", "replacement", "error"),
    [
        ("onnx_bytes", wrong_model, RuntimeError),
        ("save_checkpoint", failing, OSError),
        ("write_text", failing, OSError),
        ("replace_folder", failing, OSError),
    ],
)
def test_failed_export_leaves_the_earlier_one(tmp_path, monkeypatch, name, replacement, error):
    folder = tmp_path / "a"
    export_checkpoint(random_network(BOXES), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    before = contents(folder)
    monkeypatch.setattr(export_module, name, replacement)
    with pytest.raises(error):
        export_checkpoint(random_network(BOXES, seed=1), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    assert contents(folder) == before
    assert os.listdir(tmp_path) == ["a"]


def test_failed_rename_leaves_the_earlier_export(tmp_path, monkeypatch):
    folder = tmp_path / "a"
    export_checkpoint(random_network(BOXES), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    before, rename = contents(folder), os.rename

    def refuse_new(source, target):
        if str(source).endswith(".tmp"):
            failing()
        rename(source, target)

    monkeypatch.setattr("dotzero.models.files.os.rename", refuse_new)
    with pytest.raises(OSError, match="No space left"):
        export_checkpoint(random_network(BOXES, seed=1), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    assert contents(folder) == before
    assert os.listdir(tmp_path) == ["a"]


def test_export_after_a_kill_between_the_renames(tmp_path):
    folder = tmp_path / "a"
    export_checkpoint(random_network(BOXES), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    os.rename(folder, tmp_path / ".a.old")
    export_checkpoint(random_network(BOXES, seed=1), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    assert os.listdir(tmp_path) == ["a"]


def test_foreign_folders_are_not_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"must be new or an earlier export, got notes.txt in it"):
        export_checkpoint(random_network(BOXES), ABOUT, tmp_path, samples(BOXES), sizes=[(3, 3)])
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_samples_of_one_size_are_refused(tmp_path):
    with pytest.raises(ValueError, match="samples must have positions of at least two sizes"):
        export_checkpoint(random_network(BOXES), ABOUT, tmp_path / "a", samples(BOXES)[:1], sizes=[(3, 3)])


def test_bad_cards_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"^card .*card.json cannot be read: No such file or directory$"):
        load_card(tmp_path / "none")
    folder = tmp_path / "a"
    export_checkpoint(random_network(BOXES), ABOUT, folder, samples(BOXES), sizes=[(3, 3)])
    text = (folder / "card.json").read_text()
    for broken in (
        text[:-30],
        text.replace('"sizes"', '"seizes"'),
        "[]",
        text.replace('"num_blocks": 2', '"num_blocks": 0'),
    ):
        (folder / "card.json").write_text(broken)
        with pytest.raises(ValueError, match=r"^card .*card.json is damaged: [^\n]*$"):
            load_card(folder)


def test_heads_that_only_training_uses_are_left_out():
    """Such a network exports, and its whole state can be swapped in."""
    config = replace(SMALL, num_blocks=1, side_policies=True)
    network = random_network(BOXES, config)
    model = onnx_bytes(network)
    check_parity(network, model, samples(BOXES))
    names = {item.name for item in onnx.load_from_string(model).graph.initializer}
    assert "point_out.weight" in names
    assert not any(name.startswith("side") for name in names)
    other = random_network(BOXES, config, seed=4)
    with OnnxEvaluator(model) as evaluator:
        evaluator.load_weights(other.state_dict())
        points, globals_ = samples(BOXES)[0]
        expected = other.predict(torch.from_numpy(points), torch.from_numpy(globals_)).policy
        np.testing.assert_allclose(evaluator.evaluate(points, globals_).policy, expected, atol=1e-4)
