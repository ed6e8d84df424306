"""Check a GPU against the processor, measure it, and train 3x3 boxes on it for two minutes.

Examples:
    dotzero bench gpu
    dotzero bench gpu out=gpu.json train_seconds=60

`make gpu-check` builds everything first. Where there is no CUDA device it says so and succeeds; where an
answer is wrong or the training does not learn, the exit code is 1.
"""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dotzero.scripts.command import Report, help_wanted, run_job

if TYPE_CHECKING:
    from dotzero.configs.bench import GpuJob

TRAINING = ("preset=boxes_3x3", "backend.kind=torch", "measure.opponent=null")
"""What is trained."""
INTERRUPTIBLE = """
import signal, sys
from dotzero.__main__ import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
"""The command, which can be interrupted even where a shell has started this process in the background."""
WAIT = 60.0
"""Time that an interrupted training gets to end, in seconds."""


def gpu_main(argv: list[str]) -> int:
    """Run `dotzero bench gpu`; `argv` are the words after it."""
    if help_wanted(argv, __doc__):
        return 0
    from dotzero.configs.bench import GpuJob

    return run_job(GpuJob, argv, check_gpu)


def check_gpu(job: "GpuJob") -> Report:
    """Everything, in the order in which it would fail."""
    import torch

    from dotzero.scripts.gpu_figures import answer_figures, speed_figures
    from dotzero.whole_files import write_text

    if job.missing:
        note = f"no device {job.device} here (torch {torch.__version__}): nothing to check"
        return Report(data={"machine": None, "note": note}, shown=[note])
    begun = time.perf_counter()
    torch.set_num_threads(1)
    data: dict[str, Any] = {"machine": _machine(job.device)}
    for name, work in (("answers", answer_figures), ("speed", speed_figures), ("training", training_figures)):
        print(f"gpu check: {name}, {time.perf_counter() - begun:.0f} s so far", file=sys.stderr)
        data[name] = work(job)
    data["seconds"] = time.perf_counter() - begun
    data["passed"] = all(row["passed"] for row in data["answers"].values()) and data["training"]["passed"]
    if job.out is not None:
        write_text(job.out, json.dumps(data, indent=2) + "\n")
    return Report(data=data, shown=[_table(data)], exit_code=0 if data["passed"] else 1)


def _machine(device: str) -> dict[str, Any]:
    import torch

    from dotzero.cores import num_cores

    on_cpu = torch.device(device).type == "cpu"
    return {
        "gpu": "none" if on_cpu else torch.cuda.get_device_name(device),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "cores": num_cores(),
    }


def training_figures(job: "GpuJob") -> dict[str, Any]:
    """Train by the ordinary command, stopped as Ctrl-C stops it."""
    if job.train_seconds == 0:
        return {"passed": True, "iterations": 0}
    with tempfile.TemporaryDirectory() as folder:
        precision = f"backend.bfloat16={str(job.device != 'cpu').lower()}"
        words = ["train", *TRAINING, "run=gpu", f"runs={folder}", f"backend.device={job.device}", precision]
        begun = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-c", INTERRUPTIBLE, *words], stdout=sys.stderr)
        try:
            process.wait(job.train_seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        finally:
            code = _end(process)
        timing = {"exit_code": code, "seconds": time.perf_counter() - begun}
        return timing | learning(Path(folder) / "gpu" / "metrics.jsonl", code)


def _end(process: "subprocess.Popen[bytes]") -> int:
    try:
        return process.wait(WAIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def learning(metrics: Path, exit_code: int) -> dict[str, Any]:
    """What a training's `metrics.jsonl` says of it; it passed if it ended well and its losses fell."""
    lines = metrics.read_text(encoding="utf-8").splitlines() if metrics.exists() else []
    rows = [json.loads(line) for line in lines]
    if len(rows) < 2:
        return {"passed": False, "iterations": len(rows)}
    first, last = rows[0], rows[-1]
    parts = ("policy", "value", "margin")
    losses = {name: (first[f"learner/{name}"], last[f"learner/{name}"]) for name in parts}
    judged = {name: value for row in rows for name, value in row.items() if name.startswith("judge/")}
    return {
        "passed": exit_code in (0, 130) and all(end < begin for begin, end in losses.values()),
        "iterations": len(rows),
        "positions": last["replay/total"],
        "evaluations": last["selfplay/total_evaluations"],
        "evaluations_per_second": max(row["selfplay/evaluations_per_second"] for row in rows),
        "losses": losses,
        "judge": judged,
    }


def _table(data: dict[str, Any]) -> Any:
    from rich.table import Table

    machine = data["machine"]
    verdict = "passed" if data["passed"] else "FAILED"
    table = Table(title=f"{machine['gpu']}, torch {machine['torch']}: {verdict} in {data['seconds']:.0f} s")
    table.add_column("figure")
    table.add_column("result", justify="right")
    for name, row in data["answers"].items():
        text = f"policy KL {row['policy_kl']:.1e}, value {row['value']:.1e}, best move {row['best_move']:.0%}"
        table.add_row(f"{name} against the processor: {'right' if row['passed'] else 'WRONG'}", text)
    for name, row in data["speed"].items():
        table.add_row(f"evaluations a second, {name}, batch {row['batch']}", f"{row['bare']:,.0f}")
        if "bare_without_graphs" in row:
            table.add_row("  without CUDA graphs", f"{row['bare_without_graphs']:,.0f}")
        shares = ", ".join(f"{part} {share:.0%}" for part, share in row["shares"].items())
        label = (
            f"  in self-play, {row['efficiency']:.0%} of it ({shares}; mean batch {row['mean_batch']:.0f})"
        )
        table.add_row(label, f"{row['selfplay']:,.0f}")
    training = data["training"]
    verdict = "learns" if training["passed"] else "FAILED"
    losses = [
        f"{name} {first:.3f} to {last:.3f}" for name, (first, last) in training.get("losses", {}).items()
    ]
    label = f"training 3x3 boxes, {training['iterations']} iterations: {verdict}"
    table.add_row(label, ", ".join(losses))
    return table
