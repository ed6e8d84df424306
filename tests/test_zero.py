"""Level zero: what it loads, that it plays the search's move, and that only its position decides it."""

import shutil
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch

from dotzero.envs.boxes import BoxesGame, BoxesRules
from dotzero.envs.game import NO_ACTION
from dotzero.envs.kropki import KropkiGame
from dotzero.envs.kropki_rules import KropkiRules
from dotzero.models.backend import Backend
from dotzero.models.checkpoint import load_checkpoint, save_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.models.evaluator import Evaluation
from dotzero.models.network import Network, NetworkConfig
from dotzero.play import zero as zero_module
from dotzero.play.players import Budget, make_player
from dotzero.play.zero import ZeroConfig, ZeroPlayer
from dotzero.scripts.export import export_network
from dotzero.search.endgame import Solver, set_values

SMALL = BoxesGame(BoxesRules(rows=2, columns=2))
LARGE = BoxesGame(BoxesRules(rows=3, columns=4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An exported network with random weights, made for 2x2."""
    torch.set_num_threads(1)
    size = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8)
    network = Network(size, known_encoding("boxes", SMALL.max_margin), torch.Generator().manual_seed(3))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    path = tmp_path_factory.mktemp("zero") / "net"
    about = {"game": "boxes", "rules": {"rows": 2, "columns": 2}, "encoding_version": 2, "training": {}}
    export_network(network, about, path)
    return path


def midgame(game, number, plies, seed=0):
    random = np.random.default_rng(seed)
    state = game.start(number)
    for _ in range(plies):
        legal = game.legal(state)
        state = game.step(state, np.where(legal, random.random(legal.shape), -1).argmax(axis=1))
    return state


def seeds(number, start=0):
    return np.arange(start, start + number, dtype=np.uint64)


def test_plays_legal_moves_on_its_board_and_on_larger_ones(folder, capsys):
    """Of the export anew that the larger one needs a line is written before it, and none otherwise."""
    for game in (SMALL, LARGE):
        for backend in ("onnx", "torch"):
            player = make_player(f"zero:{folder}@simulations=8,backend={backend}", game)
            state = midgame(game, 7, 4)
            actions = player.choose(game, state, seeds(7))
            assert game.legal(state)[np.arange(7), actions].all()
            player.close()
            told = capsys.readouterr().err.splitlines()
            begins = f"zero:{folder}@simulations=8,backend=onnx was exported for smaller boards: "
            assert [line.startswith(begins) for line in told] == [True] * (
                game is LARGE and backend == "onnx"
            )


def test_workers_do_not_repeat_that_a_network_is_exported(folder, capsys, monkeypatch):
    monkeypatch.setattr(zero_module, "make_evaluator", lambda *_: MagicMock())
    for worker, told in ((None, 1), ("the arena's process", 0)):
        monkeypatch.setattr(zero_module, "parent_process", lambda worker=worker: worker)
        ZeroPlayer(folder, LARGE, ZeroConfig()).close()
        assert capsys.readouterr().err.count("\n") == told


def test_the_exported_model_and_the_checkpoint_play_the_same(folder, tmp_path):
    network, meta = load_checkpoint(folder / "model.safetensors")
    save_checkpoint(tmp_path / "one.safetensors", network, meta.about)
    state = midgame(SMALL, 20, 3)
    moves = []
    for path, backend in ((folder, "onnx"), (folder, "torch"), (tmp_path / "one.safetensors", "torch")):
        player = make_player(f"zero:{path}@simulations=0,turned=false,backend={backend}", SMALL)
        moves.append(player.choose(SMALL, state, seeds(20)).tolist())
        player.close()
    assert moves[0] == moves[1] == moves[2]
    points, globals_ = SMALL.observe(state)
    with torch.no_grad():
        logits = network.predict(torch.from_numpy(points), torch.from_numpy(globals_)).policy.numpy()
    expected = np.where(SMALL.legal(state), logits[:, SMALL.policy_slots], -np.inf).argmax(axis=1)
    assert moves[0] == expected.tolist()


def test_p10_luck_decides_nothing_at_temperature_zero(folder):
    state = midgame(SMALL, 12, 3)
    player = make_player(f"zero:{folder}@simulations=20,turned=false", SMALL)
    first, second = (player.choose(SMALL, state, seeds(12, start)) for start in (0, 500))
    assert first.tolist() == second.tolist()
    player.close()
    warm = make_player(f"zero:{folder}@simulations=20,temperature=1", SMALL)
    drawn = {tuple(warm.choose(SMALL, state, seeds(12, start)).tolist()) for start in range(0, 100, 12)}
    assert len(drawn) > 1
    again = [warm.choose(SMALL, state, seeds(12, 7)).tolist() for _ in range(2)]
    assert again[0] == again[1]
    warm.close()


@pytest.mark.parametrize("options", ["simulations=12", "simulations=12,temperature=1", "simulations=0"])
def test_a_move_does_not_depend_on_the_batch(folder, options):
    state, luck = midgame(SMALL, 9, 4), seeds(9)
    player = make_player(f"zero:{folder}@{options}", SMALL)
    together = player.choose(SMALL, state, luck)
    alone = [int(player.choose(SMALL, state[[i]], luck[[i]])[0]) for i in range(9)]
    assert together.tolist() == alone
    player.close()


def test_finished_games_are_left_alone(folder):
    done = midgame(SMALL, 2, 12)
    mixed = midgame(SMALL, 3, 2)
    mixed[[1]] = done[[0]]
    player = make_player(f"zero:{folder}@simulations=4", SMALL)
    actions = player.choose(SMALL, mixed, seeds(3))
    assert (actions == NO_ACTION).tolist() == [False, True, False]
    assert player.choose(SMALL, done, seeds(2)).tolist() == [NO_ACTION] * 2
    player.close()


def test_search_finds_what_the_raw_policy_misses(folder):
    """One box is on offer in the last but one move: a search sees it whatever the network thinks."""
    lines = np.ones((1, SMALL.num_actions), int)
    lines[0, [0, 7]] = 0  # two different boxes, each with one line missing
    state = SMALL.position(lines)
    player = ZeroPlayer(folder, SMALL, ZeroConfig(simulations=30))
    action = int(player.choose(SMALL, state, seeds(1))[0])
    assert SMALL.step(state, [action]).score.sum() > state.score.sum()
    player.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zero:/absent", "does not exist"),
        ("zero:{folder}@depth=3", "zero: an option must be one of .*, got depth"),
        ("zero:{folder}@simulations=many", "zero: simulations must be a whole number, got 'many'"),
        ("zero:{folder}@simulations=-1", "zero: simulations must be at least 0, got -1"),
        (
            "zero:{folder}@simulations=99999999999999999999",
            "simulations must be at most 1000000, got 99999999999999999999",
        ),
        ("zero:{folder}@temperature=nan", "ZeroConfig.temperature must be a finite number, got nan"),
        ("zero:{folder}@margin_weight=inf", "ZeroConfig.margin_weight must be a finite number, got inf"),
        ("zero:{folder}@temperature=-1", "zero: temperature must be at least 0"),
        ("zero:{folder}@turned=yes", "zero: turned must be true or false, got 'yes'"),
        ("zero:{folder}@backend=magic", "zero: backend must be one of torch, onnx, got 'magic'"),
    ],
)
def test_wrong_specifications_are_named(folder, text, message):
    with pytest.raises(ValueError, match=message):
        make_player(text.format(folder=folder), SMALL)


def test_identity_tells_networks_and_settings_apart(folder, tmp_path):
    network, meta = load_checkpoint(folder / "model.safetensors")
    with torch.no_grad():
        network.stem.bias += 1.0
    save_checkpoint(tmp_path / "other.safetensors", network, meta.about)
    texts = [
        f"zero:{folder}",
        f"zero:{folder}@simulations=3",
        f"zero:{tmp_path}/other.safetensors@backend=torch",
    ]
    players = [make_player(text, SMALL) for text in texts]
    assert len({player.identity for player in players}) == 3
    for player in players:
        player.close()


def test_a_failed_evaluation_does_not_spoil_the_next_one(folder):
    player = ZeroPlayer(folder, SMALL, ZeroConfig(simulations=4, exact_lines=0))
    state = midgame(SMALL, 4, 2)
    right = player.choose(SMALL, state, seeds(4)).tolist()
    finish = player._evaluator.finish

    def broken(ticket):
        answer = finish(ticket)
        return Evaluation(answer.policy, np.full_like(answer.value, np.nan), answer.margin)

    player._evaluator.finish = broken
    with pytest.raises(RuntimeError, match="not finite"):
        player.choose(SMALL, state, seeds(4))
    player._evaluator.finish = finish
    assert player.choose(SMALL, state, seeds(4)).tolist() == right
    player.close()


def test_the_two_files_of_an_export_must_hold_the_same_weights(folder, tmp_path):
    mixed = tmp_path / "mixed"
    shutil.copytree(folder, mixed)
    network, meta = load_checkpoint(folder / "model.safetensors")
    with torch.no_grad():
        network.stem.bias[0] += 1e-3
    save_checkpoint(mixed / "model.safetensors", network, meta.about)
    message = r"^onnx model .*model\.onnx must hold the weights of its checkpoint, differs in stem\.bias$"
    with pytest.raises(ValueError, match=message):
        make_player(f"zero:{mixed}", SMALL)
    make_player(f"zero:{mixed}@backend=torch", SMALL).close()


@pytest.mark.parametrize("share", [0.0, 0.5, 0.999])
def test_a_damaged_exported_model_is_named(folder, tmp_path, share):
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    content = (folder / "model.onnx").read_bytes()
    (damaged / "model.onnx").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"^onnx model [^\n]*$"):
        make_player(f"zero:{damaged}", SMALL)


def test_an_exported_model_of_another_encoding_is_refused(folder, tmp_path):
    """Its own description is checked, not only that of the checkpoint beside it."""
    onnx = pytest.importorskip("onnx")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    proto = onnx.load(other / "model.onnx")
    (entry,) = proto.metadata_props
    entry.value = entry.value.replace('"encoding_version": 2', '"encoding_version": 1')
    onnx.save(proto, other / "model.onnx")
    with pytest.raises(
        ValueError, match="was made for encoding version 1 of boxes, this dotzero reads version 2"
    ):
        make_player(f"zero:{other}", SMALL)


@pytest.mark.parametrize("text", ["", "null", "{}", '{"encoding": {"game": "boxes"}, "weights": []}'])
def test_an_exported_model_with_a_strange_description_is_refused(folder, tmp_path, text):
    onnx = pytest.importorskip("onnx")
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    proto = onnx.load(other / "model.onnx")
    proto.metadata_props[0].value = text
    onnx.save(proto, other / "model.onnx")
    with pytest.raises(ValueError, match=r"^onnx model does not fit this version of dotzero: [^\n]*$"):
        make_player(f"zero:{other}", SMALL)


def test_plays_kropki_on_any_board(tmp_path):
    """R126: a network made for 6x6 plays 12x9.

    STOP included: a search that sees the win in it takes it, whatever the network thinks.
    """
    torch.set_num_threads(1)
    rules = {"width": 6, "height": 6, "start": "random_crosses", "num_crosses": 1}
    game = KropkiGame(KropkiRules(**rules))
    size = NetworkConfig(num_blocks=2, num_channels=16, num_pooled_channels=8)
    network = Network(size, known_encoding("kropki", game.max_margin), torch.Generator().manual_seed(3))
    export_network(network, {"game": "kropki", "rules": rules, "training": {}}, tmp_path / "net")
    for own in (game, KropkiGame(KropkiRules(width=12, height=9))):
        for options in ("simulations=8", "simulations=8,temperature=1", "simulations=0,backend=torch"):
            player = make_player(f"zero:{tmp_path}/net@{options}", own)
            state = own.start(6, np.random.default_rng(1))
            for _ in range(4):
                actions = player.choose(own, state, seeds(6))
                going = np.flatnonzero(~state.finished)
                assert own.legal(state)[going, actions[going]].all()
                state = own.step(state, actions)
            player.close()
    won = game.with_komi(game.start(1), np.array([-3.5]))
    assert game.decided(won).tolist() == [0]  # its two dots would be lost
    player = make_player(f"zero:{tmp_path}/net@simulations=200,margin_weight=0", game)
    assert player.choose(game, won, seeds(1)).tolist() == [game.stop]
    player.close()


def test_a_model_with_all_bins_is_not_exported_again(tmp_path, monkeypatch):
    """The bins of Kropki are bounded: boards beyond the bound are served by the exported model too."""
    large = KropkiGame(KropkiRules(width=9, height=9))
    network = Network(
        NetworkConfig(num_blocks=1, num_channels=8, num_pooled_channels=4, num_head_channels=8),
        known_encoding("kropki", large.max_margin),
        torch.Generator().manual_seed(3),
    )
    about = {"game": "kropki", "rules": {"width": 9, "height": 9}, "training": {}}
    export_network(network, about, tmp_path / "net")
    monkeypatch.setattr("dotzero.play.zero.make_evaluator", None)
    for side in (9, 14):
        game = KropkiGame(KropkiRules(width=side, height=side))
        ZeroPlayer(tmp_path / "net", game, ZeroConfig()).close()


def test_r100_the_solver_plays_the_end(folder):
    """With exact_lines an untrained network plays best lines only, alone it does not."""
    state = midgame(LARGE, 60, LARGE.num_actions - 14)
    best = Solver(LARGE).best_lines(state.lines).best
    kept = {}
    for exact in (0, 14):
        player = make_player(f"zero:{folder}@simulations=4,exact_lines={exact},essential_lines=false", LARGE)
        kept[exact] = best[np.arange(60), player.choose(LARGE, state, seeds(60))].sum()
        player.close()
    assert kept[14] == 60 > kept[0] + 5


def test_exact_lines_without_a_solver(folder):
    """The setting is of no effect in misere, and refused by name where it is no number of lines."""
    misere = BoxesGame(BoxesRules(rows=2, columns=2, scoring="misere"))
    state = midgame(misere, 10, 6)
    moves = []
    for exact in (0, 30):
        player = make_player(f"zero:{folder}@simulations=4,exact_lines={exact}", misere)
        moves.append(player.choose(misere, state, seeds(10)).tolist())
        player.close()
    assert moves[0] == moves[1]
    with pytest.raises(ValueError, match=r"^zero: exact_lines must be in 0\.\.255, got 300$"):
        ZeroConfig(exact_lines=300)


def test_r101_the_move_itself_is_solved_beyond_the_reach_of_the_leaves(folder):
    """Up to 12 undrawn lines, leaves solved from 3: only the root's own attempt plays without an error."""
    game = BoxesGame(BoxesRules(rows=2, columns=2))
    values = set_values(game, game.start(1).lines[0])
    state = game.start(40)
    rng = np.random.default_rng(4)
    for ply in range(5):
        keys = np.where(game.legal(state), rng.random((40, 12)), -1)
        moved = np.arange(40) > 6 * ply
        state[moved] = game.step(state[moved], keys[moved].argmax(axis=1))
    luck = seeds(40)

    def lost(**options):
        player = ZeroPlayer(folder, game, ZeroConfig(simulations=1, exact_lines=3, **options))
        actions = player.choose(game, state, luck)
        player.close()
        return sum(cost(game, values, state, row, int(action)) for row, action in enumerate(actions))

    assert lost(root_lines=12) == 0
    assert lost(root_lines=0) > 0
    assert lost(root_lines=12, root_nodes=1) > 0  # the attempt comes to nothing, and the search plays
    assert lost(root_lines=12, temperature=5.0) == 0  # luck chooses among the best lines


def cost(game, values, state, row, action):
    """What a line loses, by the table of all sets of lines."""

    def worth(line):
        after = game.step(state[[row]], [line])
        taken = int(after.score.sum() - state.score[row].sum())
        rest = int(values[sum(1 << int(bit) for bit in np.flatnonzero(after.lines[0] == 0))])
        return taken + (rest if taken else -rest)

    lines = np.flatnonzero(state.lines[row] == 0)
    return max(worth(line) for line in lines) - worth(action)


def test_what_the_solver_takes_is_part_of_the_moves_time(folder, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(zero_module.time, "monotonic", lambda: clock[0])
    whole = ZeroPlayer(folder, SMALL, ZeroConfig(exact_lines=0))
    player = whole.within(Budget(seconds=8.0))

    def in_vain(state):
        clock[0] += 2.0
        return np.zeros((len(state), SMALL.num_actions), np.bool_)

    class AskedError(Exception):
        pass

    def search(game, state, luck, groups, deadline, config):
        raise AskedError(deadline)

    monkeypatch.setattr(player, "_best_lines", in_vain)
    monkeypatch.setattr(player, "_search", search)
    with pytest.raises(AskedError) as asked:
        player.choose(SMALL, SMALL.start(1), seeds(1))
    assert asked.value.args == (108.0,)
    whole.close()


def test_players_of_the_same_network_share_it(folder, tmp_path):
    one, two = (ZeroPlayer(folder, SMALL, ZeroConfig(simulations=n)) for n in (4, 8))
    assert one._evaluator is two._evaluator
    raw = ZeroPlayer(folder, SMALL, ZeroConfig(backend=Backend.TORCH))
    assert raw._evaluator is not one._evaluator
    expected = two.choose(SMALL, SMALL.start(3), seeds(3))
    one.close()
    one.close()  # once is enough, twice does no harm to the other
    np.testing.assert_array_equal(two.choose(SMALL, SMALL.start(3), seeds(3)), expected)
    two.close()
    with pytest.raises(RuntimeError):
        two.choose(SMALL, SMALL.start(1), seeds(1))
    raw.close()
