import errno
import os
import resource

import pytest
import safetensors
import safetensors.torch
import torch
from random_networks import BOXES, KROPKI_LIKE, SMALL, random_batch, random_network

from dotzero.models import EncodingSpec, Network, NetworkConfig, files, known_encoding
from dotzero.models.checkpoint import load_checkpoint, save_checkpoint
from dotzero.models.files import read_tensors, write_tensors
from dotzero.models.weights import canonical_names

torch.set_num_threads(1)

ENTRY = "dotzero_checkpoint"
ABOUT = {"game": "boxes", "encoding_version": 2, "rules": {"rows": 3}, "training": {"steps": 12}}


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "a.safetensors"
    save_checkpoint(path, random_network(BOXES), ABOUT)
    return path


@pytest.mark.parametrize("encoding", [BOXES, KROPKI_LIKE], ids=["boxes", "kropki"])
def test_round_trip(tmp_path, encoding):
    network = random_network(encoding)
    save_checkpoint(tmp_path / "a.safetensors", network, {"training": {"steps": 12}})
    loaded, meta = load_checkpoint(tmp_path / "a.safetensors", encoding)
    batch = random_batch(encoding, 3, 4, 5)
    for old, new in zip(network(*batch)[:4], loaded(*batch)[:4], strict=True):
        assert torch.equal(old, new)
    assert meta.network == SMALL
    assert meta.encoding == loaded.encoding == encoding
    assert meta.about == {"training": {"steps": 12}}
    assert not loaded.training


def test_equal_networks_make_equal_files(tmp_path, saved):
    save_checkpoint(tmp_path / "b.safetensors", random_network(BOXES), ABOUT)
    assert saved.read_bytes() == (tmp_path / "b.safetensors").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.safetensors", "b.safetensors"]


def test_larger_boards_get_more_margins(saved):
    network, meta = load_checkpoint(saved, known_encoding("boxes", 25))
    assert (network.encoding.max_margin, meta.encoding.max_margin) == (25, 9)
    network, _ = load_checkpoint(saved, known_encoding("boxes", 4))
    assert network.encoding.max_margin == 9


def test_compiled_network_saves_plain_names(tmp_path):
    """P14: no `_orig_mod.` in the file, and a file is never loaded in part."""
    network = random_network(BOXES)
    compiled = torch.compile(network, backend="eager")
    assert all(name.startswith("_orig_mod.") for name in compiled.state_dict())
    save_checkpoint(tmp_path / "a.safetensors", compiled, ABOUT)
    tensors, _ = read_tensors(tmp_path / "a.safetensors", "checkpoint", ENTRY)
    assert tensors.keys() == network.state_dict().keys()
    loaded, _ = load_checkpoint(tmp_path / "a.safetensors")
    assert torch.equal(loaded.stem.weight, network.stem.weight)


def rewrite(path, change_tensors=None, change_header=None):
    """Change a checkpoint as a foreign program would, with a right checksum."""
    tensors, description = read_tensors(path, "checkpoint", ENTRY)
    if change_tensors:
        change_tensors(tensors)
    if change_header:
        change_header(description)
    write_tensors(path, tensors, description, ENTRY)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def flip_a_bit(path):
    content = bytearray(path.read_bytes())
    content[-50] ^= 1
    path.write_bytes(content)


def foreign(path):
    path.write_bytes(safetensors.torch.save({"a": torch.zeros(2)}))


def newer_fields(path):
    def change(description):
        description["encoding"] |= {"encoding_version": 7, "not_known_today": 1}

    rewrite(path, change_header=change)


def shorten_bias(tensors):
    tensors["stem.bias"] = torch.zeros(3)


BAD = {
    "missing": (lambda path: path.unlink(), "does not exist"),
    "folder": (lambda path: (path.unlink(), path.mkdir()), "is not a file"),
    "empty": (lambda path: path.write_bytes(b""), "is damaged: Error while deserializing header"),
    "text": (lambda path: path.write_text("hello, this is no network\n" * 9), "is damaged: Error while"),
    "truncated": (cut, "is damaged: Error while deserializing header"),
    "bit flipped": (flip_a_bit, "is damaged: the checksum does not match"),
    "foreign": (foreign, "was not written by dotzero"),
    "encoding version": (
        newer_fields,
        "was made for encoding version 7 of boxes, this dotzero reads version 2",
    ),
    "unknown network": (
        lambda path: rewrite(path, change_header=lambda about: about["network"].update(depth=3)),
        "does not fit this version of dotzero, 0.1.0: ",
    ),
    "weight missing": (
        lambda path: rewrite(path, change_tensors=lambda tensors: tensors.pop("stem.bias")),
        "lacks weight stem.bias",
    ),
    "weight unknown": (
        lambda path: rewrite(path, change_tensors=lambda tensors: tensors.update(head=torch.zeros(1))),
        "has unknown weight head",
    ),
    "weight shape": (
        lambda path: rewrite(
            path, change_tensors=lambda tensors: tensors.update({"stem.bias": torch.zeros(3)})
        ),
        "has weight stem.bias of shape (3,), expected (16,)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_checkpoint_gives_one_line(saved, name):
    spoil, reason = BAD[name]
    spoil(saved)
    with pytest.raises(ValueError, match="checkpoint") as error:
        load_checkpoint(saved)
    assert str(error.value).startswith(f"checkpoint {saved} {reason}")
    assert "\n" not in str(error.value)


def test_checkpoint_of_another_game_is_refused(saved):
    with pytest.raises(ValueError, match=f"^checkpoint {saved} was made for boxes, not for kropki$"):
        load_checkpoint(saved, KROPKI_LIKE)


def test_checkpoint_of_other_inputs_is_refused(saved):
    expected = EncodingSpec(**{**BOXES.to_dict(), "num_globals": 10})
    with pytest.raises(ValueError, match=r"has num_globals = 9 of boxes, this dotzero has 10$"):
        load_checkpoint(saved, expected)


def test_about_of_another_game_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"about.encoding_version must be 2, got 1"):
        save_checkpoint(tmp_path / "a.safetensors", random_network(BOXES), {"encoding_version": 1})


def test_saving_takes_any_memory_layout(tmp_path):
    network = random_network(BOXES).to(memory_format=torch.channels_last)
    save_checkpoint(tmp_path / "a.safetensors", network, ABOUT)
    assert torch.equal(load_checkpoint(tmp_path / "a.safetensors")[0].stem.weight, network.stem.weight)


def full_disk(*args):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_full_disk_leaves_the_older_checkpoint(saved, monkeypatch, call):
    before = saved.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(files.os, call, full_disk)
        with pytest.raises(OSError, match="No space left on device; what was there before is unchanged"):
            save_checkpoint(saved, random_network(BOXES, seed=4), ABOUT)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_write_that_stops_half_way_leaves_the_older_file(saved):
    """The operating system itself refuses to let the file grow."""
    before = saved.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, hard))
    try:
        with pytest.raises(OSError, match="what was there before is unchanged") as error:
            save_checkpoint(saved, random_network(BOXES, seed=4), ABOUT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert error.value.filename == str(saved)
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def test_folder_that_is_not_there_is_named(tmp_path):
    path = tmp_path / "no" / "a.safetensors"
    with pytest.raises(OSError, match="No such file or directory") as error:
        save_checkpoint(path, random_network(BOXES), ABOUT)
    assert error.value.filename == str(path)


def test_tensors_of_many_kinds_survive(tmp_path):
    tensors = {
        "half": torch.arange(6).to(torch.bfloat16).view(2, 3),
        "transposed": torch.arange(6.0).view(2, 3).T,
        "scalar": torch.tensor(3.5),
        "empty": torch.zeros(0, 4),
        "array": torch.arange(5, dtype=torch.int64).numpy(),
        "number": torch.tensor(7).numpy(),
    }
    write_tensors(tmp_path / "t", tensors, {"step": "4"})
    loaded, metadata = read_tensors(tmp_path / "t", "state")
    assert metadata == {"step": "4"}
    assert all(torch.equal(loaded[name], torch.as_tensor(value)) for name, value in tensors.items())
    assert files.checksum(loaded) == files.checksum({name: torch.as_tensor(v) for name, v in tensors.items()})


def test_every_file_of_tensors_has_a_checksum(tmp_path):
    """Bit rot in learner, self-play and shard files is noticed too, and equal content makes equal files."""
    path, tensors = tmp_path / "t", {"a": torch.arange(100.0), "b": torch.ones(3, dtype=torch.int64)}
    for name in ("t", "u", "v"):
        write_tensors(tmp_path / name, tensors, {"one": 1, "two": "2", "three": [3]})
        assert (tmp_path / name).read_bytes() == path.read_bytes()
    content = path.read_bytes()
    flip_a_bit(path)
    with pytest.raises(ValueError, match=rf"^state {path} is damaged: the checksum does not match$"):
        read_tensors(path, "state")
    path.write_bytes(safetensors.torch.save(tensors, {"dotzero": "{}"}))
    with pytest.raises(ValueError, match=rf"^state {path} is damaged: its description is not readable$"):
        read_tensors(path, "state")
    path.write_bytes(safetensors.torch.save(tensors))
    with pytest.raises(ValueError, match=rf"^state {path} was not written by dotzero, or by an"):
        read_tensors(path, "state")
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^checkpoint .* was not written by dotzero"):
        load_checkpoint(path)


def test_only_prefixes_of_names_are_made_plain():
    names = ("module.a", "_orig_mod.b", "module._orig_mod.c", "head.module.d", "head._orig_mod.e", "modulef")
    plain = ["a", "b", "c", "head.module.d", "head._orig_mod.e", "modulef"]
    assert list(canonical_names(dict.fromkeys(names, 0))) == plain
    with pytest.raises(ValueError, match=r"^weight a is given twice, the second time as module\.a$"):
        canonical_names({"a": 0, "module.a": 1})


def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    for name in (".a.safetensors.123.tmp", "kept.tmp", "b.safetensors"):
        (tmp_path / name).touch()
    (tmp_path / ".x.123.tmp").mkdir()
    files.remove_leftovers(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["b.safetensors", "kept.tmp"]


def test_unknown_game_loads_without_expectation(tmp_path):
    """A checkpoint can be looked at even if this version has no such game."""
    save_checkpoint(tmp_path / "a", Network(NetworkConfig(num_blocks=1), KROPKI_LIKE), {})
    assert load_checkpoint(tmp_path / "a")[1].encoding.game == "kropki"
