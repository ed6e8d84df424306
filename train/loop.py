"""The training loop: self-play and learning, iteration by iteration, every step of it resumable.

Synchronous: an iteration learns from all shards up to its own. The next games are played after it with the
new weights, or (`overlap`) during it with those that stood when it began; the two halves share nothing while
they run. Either way the same configuration gives the same weights to the bit on a CPU, in one go or in
pieces. After each half the run's state is committed (`dotzero.train.run_folder`): a killed process loses the
half it was in and nothing else. With several boards one network learns them all.
"""

import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from dotzero.envs.registry import describe_game
from dotzero.models.checkpoint import save_checkpoint
from dotzero.models.encoding import known_encoding
from dotzero.models.files import read_tensors, write_tensors
from dotzero.models.network import Network
from dotzero.train.calibration import fitted_evaluator, learned_positions
from dotzero.train.footprint import folder_mib, rss_mib
from dotzero.train.generators import generator_from_array, generator_to_array
from dotzero.train.learner import Learner, NonFiniteLossError
from dotzero.train.metrics import Metrics
from dotzero.train.replay import Boards, Replay, num_positions
from dotzero.train.run_folder import RunFolder, changed_settings
from dotzero.train.selfplay import SelfPlay
from dotzero.train.start_weights import start_network
from dotzero.train.train_config import LoopConfig, TrainConfig
from dotzero.train.watch import Watch, is_due
from dotzero.train.watchdog import dump_batch

__all__ = ["LoopConfig", "TrainConfig", "Training"]

_STATE_KEYS = (
    "settings", "iteration", "files", "num_evaluations", "seconds", "step", "random", "shards",
    "total_positions", "ready", "ahead",
)  # fmt: skip


class _Shard(NamedTuple):
    """Positions of one iteration's self-play, on disk and not yet in the window."""

    name: str
    values: dict[str, float]
    boards: Boards


class Training:
    """One run, from where its folder says it stands."""

    def __init__(self, config: TrainConfig, settings: Mapping[str, Any], folder: RunFolder) -> None:
        """Prepare or resume.

        Args:
            config: The run's configuration.
            settings: The same as plain values, kept in the folder and compared on resuming.
            folder: The run's open folder.

        Raises:
            ValueError: A setting that must stay differs from the folder's run, or that is damaged.
        """
        self.config = config
        self.settings = dict(settings)
        self.folder = folder
        self.iteration = 0
        self.num_evaluations = 0
        self.seconds = 0.0
        self._counted = time.perf_counter()
        self._files = {"learner": "", "selfplay": ""}
        self._ready: _Shard | None = None  # played, not learned from yet
        self._ahead: _Shard | None = None  # the one after it
        self._stop_learning = threading.Event()
        self.changed: list[str] = []  # settings that differ from those of the last process, as phrases
        self._broken = False  # an iteration did not come to its end, and left halves behind
        saved = folder.read_state()
        if saved is not None:
            missing = [key for key in _STATE_KEYS if key not in saved]
            if missing:
                raise ValueError(f"{folder.path / 'state.json'} is damaged: it has no {missing[0]}")
            self.changed = changed_settings(saved["settings"], self.settings, f"run {folder.path}")
        self._build(learned=saved is not None and bool(saved["files"]["learner"]))
        if saved is not None:
            self._restore(saved)
        self.metrics = Metrics(folder.path, self.iteration)
        self.metrics.describe(self.settings, self.watch.headlines)

    def _build(self, learned: bool) -> None:
        """Make all parts anew; `learned` says that there are weights of the run's own to be loaded next."""
        config = self.config
        self.games = config.make_games()
        encoding = known_encoding(config.game, max(game.max_margin for game in self.games))
        weights, play, sample = np.random.SeedSequence(config.seed).spawn(3)
        generator = torch.Generator().manual_seed(int(weights.generate_state(1)[0]))
        network = Network(config.network, encoding, generator)
        if config.start_from is not None and not learned:
            start_network(network, config.start_from)
        # Refuses missing devices.
        self.evaluator = fitted_evaluator(network, config.backend, self.games, config.seed)
        self.learner = Learner(self.games, network, config.learner, torch.device(config.backend.device))
        self.selfplay = SelfPlay(self.games, config.selfplay, config.search, self.evaluator, play)
        descriptions = [describe_game(game) for game in self.games]
        self.replay = Replay(self.folder.path / "shards", config.replay, descriptions)
        self._random = np.random.Generator(np.random.PCG64(sample))
        self.watch = Watch(config, self.games)
        self._learned = self._what_is_learned()

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self.iteration, self._files = saved["iteration"], saved["files"]
        self.num_evaluations, self.seconds = saved["num_evaluations"], saved["seconds"]
        self._random = generator_from_array(np.array(saved["random"], np.uint64))
        path = self.folder.path
        if self._files["learner"]:
            tensors, _ = read_tensors(path / self._files["learner"], "learner state")
            self.learner.load_tensors(tensors, saved["step"])
        arrays, _ = read_tensors(path / self._files["selfplay"], "self-play state")
        self.selfplay.load_arrays({name: tensor.numpy() for name, tensor in arrays.items()})
        self.replay.load(saved["shards"], saved["total_positions"])
        if self._files["learner"]:
            self._swap_weights()
        self._learned = self._what_is_learned()
        self._ready, self._ahead = (self._restore_shard(saved[key]) for key in ("ready", "ahead"))

    def _restore_shard(self, saved: Mapping[str, Any] | None) -> _Shard | None:
        if saved is None:
            return None
        return _Shard(saved["name"], saved["values"], self.replay.read(saved["name"]))

    @property
    def finished(self) -> bool:
        """Whether all iterations are done."""
        return self.iteration >= self.config.loop.num_iterations

    @property
    def progress(self) -> float:
        """How far the run has come, 0..1."""
        return self.iteration / self.config.loop.num_iterations

    def iterate(self) -> dict[str, float]:
        """One iteration, or the rest of one; returns its numbers.

        Raises:
            ValueError: A loss was not finite; the run stays at its last commit.
        """
        if self._broken:
            raise RuntimeError("an iteration has failed: go on with a new Training of the same folder")
        self._broken = True
        self._counted = time.perf_counter()
        if self._ready is None:
            self._ready = self._play(self.iteration + 1)
            self._commit()
        values = self._ready.values | self._learn_and_play_on()
        self.iteration += 1
        self._count_time()
        values |= {
            "time/seconds": self.seconds,
            "selfplay/total_evaluations": float(self.num_evaluations),
            **self._look(),
        }
        self.metrics.write(self.iteration, values)
        self._counted = time.perf_counter()  # what was only looked at does not count
        self._ready, self._ahead = self._ahead, None
        self._commit()
        self.replay.prune(kept=[] if self._ready is None else [self._ready.name])
        self._broken = False
        return values

    def _look(self) -> dict[str, float]:
        """What is measured besides: judge, ladder, pictures, memory and disk; and the checkpoints kept."""
        values: dict[str, float] = {}
        if self.watch.judges_at(self.iteration, self.finished):
            start = time.perf_counter()
            values = self.watch.judge(self.evaluator)
            self.metrics.images(self.iteration, self.watch.pictures(self.learner.average))
            values["time/judge"] = time.perf_counter() - start
        climbs = self.watch.climbs_at(self.iteration, self.finished)
        if climbs or is_due(self.config.loop.snapshot_every, self.iteration, self.finished):
            snapshot = self.save_snapshot()
        if climbs:
            start = time.perf_counter()
            values |= self.watch.climb(snapshot)
            values["time/ladder"] = time.perf_counter() - start
        return values | {"memory/rss_mib": rss_mib(), "memory/run_mib": folder_mib(self.folder.path)}

    def _play(self, number: int) -> _Shard:
        """Play until the shard of iteration `number` is full, and write it."""
        torch.set_num_threads(1)  # every evaluation has one thread; several run at a time
        start = time.perf_counter()
        progress = (number - 1) / self.config.loop.num_iterations
        teaching = number <= self.config.selfplay.teacher_iterations
        boards, report = self.selfplay.play(self.config.loop.positions_per_iteration, progress, teaching)
        seconds = time.perf_counter() - start
        self.num_evaluations += report.num_evaluations
        name = f"{number:06d}.safetensors"
        self.replay.write(name, boards)
        write_tensors(self.folder.path / f"selfplay-{name}", self.selfplay.arrays())
        self._files["selfplay"] = f"selfplay-{name}"
        values = {f"selfplay/{key}": float(value) for key, value in report._asdict().items()} | {
            "selfplay/evaluations_per_second": report.num_evaluations / seconds,
            "time/selfplay": seconds,
        }
        return _Shard(name, values, boards)

    def _learn_and_play_on(self) -> dict[str, float]:
        """Learn from the window with the ready shard; with `overlap`, play the next shard meanwhile."""
        assert self._ready is not None
        self.replay.add(self._ready.name, self._ready.boards)
        if not self.config.loop.overlap or self.iteration + 1 >= self.config.loop.num_iterations:
            values = self._learn()
        else:
            with ThreadPoolExecutor(1, thread_name_prefix="learner") as pool:
                learning = pool.submit(self._learn)
                try:
                    if self._ahead is None:
                        self._ahead = self._play(self.iteration + 2)
                        self._commit()
                    values = learning.result()
                except BaseException:
                    self._stop_learning.set()
                    raise
        self._learned = self._what_is_learned()
        values |= {f"int8/{name}": value for name, value in self._swap_weights().items()}
        self._files["learner"] = f"learner-{self.iteration + 1:06d}.safetensors"
        write_tensors(self.folder.path / self._files["learner"], self.learner.tensors())
        return values

    def _swap_weights(self) -> Mapping[str, float]:
        """Give the weight average to self-play; what a quantised evaluator says of its parity."""
        if self.config.backend.int8:
            newest = zip(self.games, self.replay.newest, strict=True)
            self.evaluator.calibrate([learned_positions(game, own) for game, own in newest if len(own)])
        self.evaluator.load_weights(self.learner.average.state_dict())
        return self.evaluator.parity

    def _learn(self) -> dict[str, float]:
        """All optimiser steps of one iteration; the mean of their numbers."""
        assert self._ready is not None
        torch.set_num_threads(self.config.learner.num_threads)  # 1 too where self-play runs beside it
        start = time.perf_counter()
        size = self.config.learner.batch_size
        num_steps = self.config.replay.num_steps(num_positions(self._ready.boards), size)
        sums: dict[str, float] = {}
        for _ in range(num_steps):
            if self._stop_learning.is_set():
                break  # another thread failed or was interrupted; nothing of this is kept
            board, batch = self.replay.sample(size, self._random)
            symmetry = self._random.integers(0, len(self.games[board].symmetries), size)
            try:
                losses = self.learner.train_batch(batch, symmetry, self.progress, board)
            except NonFiniteLossError as error:
                step = self.learner.step + 1
                dump = dump_batch(self.folder.path, step, board, batch, symmetry, str(error))
                raise NonFiniteLossError(f"{error}; the batch is in {dump}") from None
            for name, value in losses.items():
                sums[name] = sums.get(name, 0.0) + value
        values = {f"learner/{name}": value / num_steps for name, value in sums.items()}
        return values | {
            "learner/step": float(self.learner.step),
            "replay/window": float(len(self.replay)),
            "replay/total": float(self.replay.total),
            "time/learner": time.perf_counter() - start,
        }

    def _what_is_learned(self) -> dict[str, Any]:
        """What the learner has moved on when it is done; committed only then."""
        return {
            "step": self.learner.step,
            "random": [int(word) for word in generator_to_array(self._random)],
            "shards": self.replay.manifest,
            "total_positions": self.replay.total,
        }

    def _count_time(self) -> None:
        """Add the time since the last count."""
        now = time.perf_counter()
        self.seconds += now - self._counted
        self._counted = now

    def _commit(self) -> None:
        self._count_time()  # in the middle of an iteration too: what is committed is not done again
        waiting = {
            key: shard and {"name": shard.name, "values": shard.values}
            for key, shard in (("ready", self._ready), ("ahead", self._ahead))
        }
        self.folder.commit(
            {
                "iteration": self.iteration,
                "files": self._files,
                "num_evaluations": self.num_evaluations,
                "seconds": self.seconds,
                "settings": self.settings,
                **self._learned,
                **waiting,
            }
        )
        self.folder.sweep("learner-*.safetensors", self._files["learner"])
        self.folder.sweep("selfplay-*.safetensors", self._files["selfplay"])

    def save_snapshot(self) -> Path:
        """Keep the weight average of this iteration as a checkpoint; returns its path."""
        folder = self.folder.path / "checkpoints"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.iteration:06d}.safetensors"
        save_checkpoint(path, self.learner.average, self.card())
        return path

    def card(self) -> dict[str, Any]:
        """What the weights are and where they come from, for a checkpoint's metadata."""
        return {
            **describe_game(self.games[0]),
            "boards": [describe_game(game)["rules"] for game in self.games],
            "training": {
                "iterations": self.iteration,
                "steps": self.learner.step,
                "positions": self.replay.total,
                "evaluations": self.num_evaluations,
                "seconds": round(self.seconds, 1),
                "settings": self.settings,
            },
        }

    def close(self) -> None:
        """Release the evaluator and the metrics files."""
        self.evaluator.close()
        self.metrics.close()
