"""Whole commands in processes of their own: the main job from start to play, mistakes, interruptions."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

SMOKE = ["preset=smoke", "loop.num_iterations=3", "measure.games=10"]


def dotzero(*words, cwd, timeout=180, stdin=None, wrap=()):
    command = [*wrap, sys.executable, "-m", "dotzero", *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=timeout, check=False
    )


def start(*words, cwd):
    """A command that a test interrupts, with Ctrl-C as a terminal would send it."""
    return subprocess.Popen(
        [sys.executable, "-m", "dotzero", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(condition, process, seconds=120):
    begun = time.monotonic()
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - begun < seconds, "waited too long"
        time.sleep(0.02)


def state_of(run):
    """The committed state without its times."""
    state = json.loads((run / "state.json").read_text())
    for shard in filter(None, (state["ready"], state["ahead"])):
        shard["values"] = {k: v for k, v in shard["values"].items() if "second" not in k and "time" not in k}
    del state["seconds"]
    return state


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    done = dotzero("train", *SMOKE, "run=first", "output=json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), done


def test_train_measures_exports_and_says_how_to_go_on(trained):
    folder, result, _ = trained
    run = folder / "runs" / "first"
    assert result["finished"]
    assert result["arena"]["games"] == 10
    zero, medium = result["arena"]["players"]
    assert (zero["name"], medium["name"]) == ("zero", "medium")
    assert zero["wins"] + zero["draws"] + zero["losses"] == 10
    for name in ("model.safetensors", "model.onnx", "card.json"):
        assert (run / "export" / name).stat().st_size > 0
    card = json.loads((run / "export" / "card.json").read_text())
    assert card["game"] == "boxes"
    assert card["rules"] == {"rows": 2, "columns": 2, "border": "none", "scoring": "normal"}
    assert card["arena"]["players"][0]["score"] == zero["score"]
    assert max(card["parity"].values()) < 1e-3
    assert len((run / "metrics.jsonl").read_text().splitlines()) == 3
    assert list((run / "tensorboard").glob("events.*"))
    again = dotzero("train", *SMOKE, "run=first", cwd=folder)
    assert again.returncode == 0
    assert "dotzero play --level zero:runs/first/export --size 2x2" in again.stdout
    assert f"{zero['score']:.1%}" in again.stdout


def test_a_finished_run_that_goes_on_is_measured_and_exported_again(trained, tmp_path):
    shutil.copytree(trained[0] / "runs", tmp_path / "runs")
    before = json.loads((tmp_path / "runs/first/finished.json").read_text())
    words = [*SMOKE, "run=first", "output=json", "loop.num_iterations=4"]
    done = dotzero("train", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout)
    assert (before["card"]["training"]["iterations"], after["card"]["training"]["iterations"]) == (3, 4)
    card = json.loads((tmp_path / "runs/first/export/card.json").read_text())
    assert card["training"]["iterations"] == 4
    # Until then the old result does not stand beside the new state.
    partly = dotzero("train", *words[:-1], "loop.num_iterations=6", "loop.stop_after=1", cwd=tmp_path)
    assert partly.returncode == 0, partly.stderr
    assert not (tmp_path / "runs/first/finished.json").exists()


def test_exported_network_plays_and_is_rated(trained):
    folder, _, _ = trained
    done = dotzero("export", "run=first", "out=checkpoints/mine", "output=json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["source"] == "runs/first/checkpoints/000003.safetensors"
    words = ["players=[zero:checkpoints/mine@simulations=4,random,medium]", "rules.rows=2", "rules.columns=2"]
    done = dotzero("arena", *words, "games=20", "out=results", "output=json", cwd=folder)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["games"] == 60
    assert [player["name"] for player in result["players"]][1:] == ["random", "medium"]
    assert json.loads((folder / "results" / "results.json").read_text())["players"] == result["players"]
    again = dotzero("arena", *words, "games=20", "out=results", "output=json", cwd=folder)
    assert json.loads(again.stdout) == result
    lines = "\n".join(
        ["A1T", "nonsense", *(f"{box}{side}" for box in ("A1", "B1", "A2", "B2") for side in "TBLR")]
    )
    play = ["play", "--level", "zero:checkpoints/mine", "--size", "2x2", "--delay", "0"]
    done = dotzero(*play, cwd=folder, stdin=lines + "\n")
    assert done.returncode == 0, done.stderr
    assert "nonsense" in done.stdout
    assert "12" in done.stdout.splitlines()[-1] + done.stdout.splitlines()[-2]


def test_kropki_is_trained_measured_and_rated(tmp_path):
    """Two sizes, drawn starts and komi in one run; what it prints next is a command that works."""
    words = ["train", "preset=kropki_smoke", "loop.num_iterations=2", "measure.games=4", "run=dots"]
    done = dotzero(*words, "output=json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [player["name"] for player in result["arena"]["players"]] == ["zero", "medium"]
    assert result["arena"]["rules"]["start"] == "random_crosses"
    card = json.loads((tmp_path / "runs" / "dots" / "export" / "card.json").read_text())
    assert (card["game"], card["sizes"]) == ("kropki", [[6, 6], [5, 6]])
    shown = dotzero(*words, cwd=tmp_path).stdout
    (line,) = (line for line in shown.splitlines() if "dotzero play" in line)
    assert line.split()[:4] == ["dotzero", "play", "--level", "zero:runs/dots/export"]
    done = dotzero(*shlex.split(line)[1:], cwd=tmp_path, stdin="aa\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "random crosses" in done.stdout
    (line,) = (line for line in shown.splitlines() if "dotzero arena" in line)
    done = dotzero(*shlex.split(line)[1:], "games=2", "output=json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rules"] == result["arena"]["rules"]
    done = dotzero("export", "run=dots", "out=again", "output=json", cwd=tmp_path)
    assert json.loads(done.stdout)["card"]["sizes"] == card["sizes"]
    (tmp_path / "p.json").write_text('[{"rows": 1, "cols": 1, "dbn": "1110", "best": ["A1R"]}]')
    done = dotzero("evaluate", "checkpoint=again", "positions=p.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "was made for kropki, not for boxes" in done.stderr
    assert done.stderr.count("\n") == 1


def test_evaluate_counts_best_lines(trained):
    folder, _, _ = trained
    best = [
        {"rows": 1, "cols": 1, "dbn": "1110", "best": ["A1R"]},
        {"rows": 1, "cols": 1, "dbn": "1100", "best": []},
    ]
    (folder / "positions.json").write_text(json.dumps(best))
    words = ["checkpoint=runs/first/export", "positions=positions.json", "simulations=[0,4]", "output=json"]
    done = dotzero("evaluate", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["results"]
    assert [(row["simulations"], row["best"], row["positions"]) for row in rows] == [(0, 1, 2), (4, 1, 2)]


def test_an_export_to_a_path_without_a_name_is_one_line(trained, tmp_path):
    run = trained[0] / "runs" / "first" / "checkpoints" / "000003.safetensors"
    done = dotzero("export", f"from={run}", "out=.", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "got ." in done.stderr
    assert not list(tmp_path.iterdir())


MISTAKES = {
    "range": (
        ["train", "search.num_simulations=0"],
        "SearchConfig.num_simulations must be at least 1, got 0",
    ),
    "preset": (["train", "preset=absent"], "preset must be one of"),
    "type": (["train", "learner.learning_rate=fast"], "learner.learning_rate must be a number, got 'fast'"),
    "name": (["train", "learner.rate=1"], "learner.rate is not a setting"),
    "rules": (["train", "preset=smoke", "rules.rows=two"], "BoxesRules.rows must be"),
    "border": (["play", "--border", "swedish"], "BoxesRules.border must be one of none, left_bottom, all"),
    "scoring": (["play", "--level", "human", "--scoring", "low"], "BoxesRules.scoring must be one of"),
    "rule name": (["train", "preset=smoke", "rules.width=2"], "BoxesRules must have the fields"),
    "game": (["train", "game=go"], "game must be one of boxes, kropki, got go"),
    "folder": (["train", "preset=smoke", "runs=/dev/null/x"], "/dev/null/x"),
    "batch": (
        ["train", *SMOKE, "learner.batch_size=99999999999"],
        "LearnerConfig.batch_size must be at most",
    ),
    "games": (
        ["train", *SMOKE, "selfplay.num_games=999999999999"],
        "SelfPlayConfig.num_games must be at most",
    ),
    "channels": (
        ["train", *SMOKE, "network.num_channels=9999999"],
        "NetworkConfig.num_channels must be at most",
    ),
    "opponent": (["train", *SMOKE, "measure.opponent=best"], "got 'best'"),
    "player": (["arena", "players=[medium,best]"], "got 'best'"),
    "option": (["arena", "players=[medium,zero:x@depth=3]"], "depth"),
    "checkpoint": (["arena", "players=[medium,zero:absent]"], "got absent, which does not exist"),
    "export": (["export", "run=absent"], "absent"),
    "odd": (["arena", "games=3"], "games must be even, got 3"),
    "alpha": (["arena", "alpha=0.1"], "ArenaJob.alpha must go with sprt=[ELO0,ELO1], got 0.1 without it"),
    "beta": (["arena", "beta=0.05"], "ArenaJob.beta must go with sprt=[ELO0,ELO1], got 0.05 without it"),
    "budget": (
        ["arena", "players=[medium,random]", "simulations=64"],
        "simulations must be left out where no player can use it, as none of medium, random can, got 64",
    ),
    "plies": (
        ["arena", "openings=book.txt", "opening_plies=4"],
        "ArenaConfig.opening_plies must be left out with openings=book.txt, whose moves are not followed by "
        "random ones, got 4",
    ),
    "size": (["play", "--size", "3by3"], "--size must be ROWSxCOLUMNS"),
    "points": (["play", "--game", "kropki", "--size", "9"], "--size must be COLUMNSxROWS of points"),
    "boards": (
        ["train", "preset=kropki_smoke", "boards=[{},{},{}]"],
        "SelfPlayConfig.num_groups must be at least the number of boards = 3, got 2",
    ),
    "board": (["train", "preset=kropki_smoke", "boards=[{size: 3}]"], "KropkiRules must have the fields"),
    "no boards": (["train", "preset=smoke", "boards=3"], "boards must be a list such as [a,b], got 3"),
    "komi": (["train", *SMOKE, "selfplay.komi_spread=1"], "komi_spread must be 0 in boxes: no komi there"),
    "much komi": (
        ["train", "preset=kropki_smoke", "rules.instant_win=2", "selfplay.komi_spread=2"],
        "SelfPlayConfig.komi_spread must suit the rules, got 2.0: KropkiRules.instant_win must be above",
    ),
    "kropki level": (
        ["arena", "game=kropki", "players=[strong,random]"],
        "player of kropki must be one of random, greedy, easy, medium, hard, insane, zero, zero:DIR, "
        "engine:COMMAND, got 'strong'",
    ),
    "act": (["trian"], "train"),
    "unknown option": (["play", "--foo"], "unrecognized arguments: --foo (see dotzero play --help)"),
    "choice": (["play", "--language", "xx"], "argument --language: invalid choice: 'xx'"),
    "delay": (["play", "--delay", "nan"], "--delay must be in 0..60 seconds, got nan"),
    "digits": (["play", "--size", "9" * 5000 + "x3"], "--size must be ROWSxCOLUMNS"),
    "infinite": (["train", "replay.reuse=inf"], "ReplayConfig.reuse must be a finite number, got inf"),
    "no number": (["train", "replay.reuse=nan"], "ReplayConfig.reuse must be a finite number, got nan"),
    "simulations": (
        ["train", "search.num_simulations=3000000000"],
        "SearchConfig.num_simulations must be at most 1000000, got 3000000000",
    ),
    "group": (["train", "rules=3"], "rules must be a group of settings such as rules.NAME=..., got 3"),
    "empty": (["train", ""], "a setting must be written key=value, got ''"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_get_one_clear_line_and_code_2(tmp_path, name):
    words, message = MISTAKES[name]
    done = dotzero(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_p14_bad_checkpoints_are_named(trained, tmp_path):
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    folder, _, _ = trained
    path = folder / "runs" / "first" / "export" / "model.safetensors"
    content = path.read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(content[: len(content) // 2])
    other = tmp_path / "other.safetensors"
    with safe_open(path, "pt") as file:
        header = json.loads(file.metadata()["dotzero_checkpoint"])
    header["description"]["encoding"]["encoding_version"] = 99
    save_file(load_file(path), other, {"dotzero_checkpoint": json.dumps(header)})
    for file, message in ((damaged, "is damaged"), (other, "encoding version 99")):
        for words in (
            ["arena", f"players=[medium,zero:{file}]"],
            ["export", f"from={file}", f"out={tmp_path}/out"],
        ):
            done = dotzero(*words, cwd=folder)
            assert done.returncode == 2
            assert message in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_the_last_state_whole(tmp_path):
    """A limit on the size of files stands for the full disk: writing fails in the middle of a file."""
    words = ["train", *SMOKE, "run=full"]
    assert dotzero(*words, "loop.stop_after=1", cwd=tmp_path).returncode == 0
    run = tmp_path / "runs" / "full"
    before = state_of(run)
    limited = ["bash", "-c", 'ulimit -f 24; exec "$@"', "bash"]
    done = dotzero(*words, cwd=tmp_path, wrap=limited)
    assert done.returncode == 2, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert not list(run.glob("**/*.tmp"))
    middle = state_of(run)
    assert (middle["iteration"], before["iteration"]) == (1, 1)
    assert dotzero(*words, cwd=tmp_path).returncode == 0
    assert dotzero("train", *SMOKE, "run=whole", cwd=tmp_path).returncode == 0
    assert state_of(run) == state_of(tmp_path / "runs" / "whole")


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_interrupted_runs_go_on_as_if_nothing_had_happened(tmp_path, trained, how, code):
    words = ["train", *SMOKE, "run=cut"]
    state = tmp_path / "runs" / "cut" / "state.json"
    process = start(*words, cwd=tmp_path)
    wait_for(state.exists, process)
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    done = dotzero(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert state_of(tmp_path / "runs" / "cut") == state_of(trained[0] / "runs" / "first")


def test_a_second_process_on_a_run_is_refused(tmp_path):
    words = ["train", "preset=smoke", "loop.num_iterations=1000", "run=busy"]
    process = start(*words, cwd=tmp_path)
    try:
        wait_for((tmp_path / "runs" / "busy" / "state.json").exists, process)
        done = dotzero(*words, cwd=tmp_path)
        assert done.returncode == 2
        assert f"by process {process.pid}" in done.stderr
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_grid_goes_on_and_names_what_failed(tmp_path):
    words = [
        "-m",
        *SMOKE,
        "loop.num_iterations=2",
        "run=grid",
        "learner.learning_rate=1e-3,1e30",
        "output=json",
    ]
    words.remove("loop.num_iterations=3")
    done = dotzero("train", *words, cwd=tmp_path, timeout=300)
    assert done.returncode == 1, done.stderr
    good, bad = json.loads(done.stdout)["jobs"]
    assert (good["state"], bad["state"]) == ("finished", "failed")
    assert "must be finite" in bad["error"]
    finished = tmp_path / good["folder"] / "finished.json"
    stamp = finished.stat().st_mtime_ns
    again = dotzero("train", *words, cwd=tmp_path, timeout=300)
    assert [job["state"] for job in json.loads(again.stdout)["jobs"]] == ["skipped", "failed"]
    assert finished.stat().st_mtime_ns == stamp


def test_help_of_every_act_has_two_examples(tmp_path):
    acts = [
        line.split()[0] for line in dotzero("--help", cwd=tmp_path).stdout.splitlines() if line[:2] == "  "
    ]
    jobs = [act for act in acts if not act.startswith("--")]
    assert {"train", "export", "arena", "play", "bench", "evaluate"} <= set(jobs)
    for act in jobs:
        done = dotzero(act, "--help", cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.count(f"dotzero {act}") >= 2, done.stdout
