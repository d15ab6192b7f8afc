"""Comparisons: same data and budget, honest words, and no process left."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import surefoot as sf
from surefoot.lab.ablate.plan import Budget, Outcome, Plan, plans
from surefoot.lab.ablate.result import Ablation
from surefoot.lab.ablate.training import train
from tests.lab.ablated import make_broken, make_dying, make_loop, make_with_held_out

ROOT = Path(__file__).parents[2]


def outcomes(losses: dict[str, list[float | None]]) -> list[Outcome]:
    given = plans({"optimizer": list(losses)}, range(len(next(iter(losses.values())))))
    return [Outcome(plan, losses[plan.settings["optimizer"]][plan.seed], error=None) for plan in given]


def shown(losses: dict[str, list[float | None]]) -> Ablation:
    return Ablation.of(outcomes(losses), Budget(100, None))


def test_a_clear_difference_is_called_so() -> None:
    found = shown({"SGD": [1.0, 1.1, 1.2], "Adam": [0.5, 0.6, 0.7]})
    assert found.best is not None and found.best.settings == {"optimizer": "Adam"}
    assert found.best.median == 0.6
    assert found.verdict == "optimizer=Adam is lower than all others, whatever the seeds (3), after 100 updates."
    assert "higher in all 3 seeds" in str(found)


def test_differences_within_the_spread_are_called_so() -> None:
    found = shown({"SGD": [1.0, 1.1, 1.2], "Adam": [0.9, 1.05, 1.1], "Lion": [5.0, 5.0, 5.0]})
    assert "1 other is within the spread of the seeds: these trials can't separate them" in found.verdict
    assert [found.against_best(row) for row in found.rows] == ["lowest", "within the spread", "higher in all 3 seeds"]


def test_runs_can_be_seen_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of each setting, of the seed in the middle, the best first."""
    monkeypatch.chdir(tmp_path)
    runs = tmp_path / "my runs"
    logged = [
        dataclasses.replace(one, run=str(runs / f"{one.plan.settings['optimizer']}-{one.plan.seed}"))
        for one in outcomes({"SGD": [1.0, 1.2, 1.1], "Adam": [0.7, 0.6, 0.5], "None": [None, None, None]})
    ]
    found = Ablation.of(logged, Budget(100, None))
    assert found.compare_command == "surefoot dash 'my runs' --compare Adam-1 SGD-2 None-1"
    assert str(found).endswith(f"Side by side: {found.compare_command}")
    assert shown({"SGD": [1.0], "Adam": [0.5]}).compare_command == "", "nothing was logged"


def test_one_seed_tells_nothing_about_chance() -> None:
    assert "tells nothing about chance" in shown({"SGD": [1.0], "Adam": [0.5]}).verdict


def test_settings_that_fail_are_never_the_best() -> None:
    found = shown({"SGD": [1.0, 1.1], "Adam": [0.1, None]})
    assert found.best is not None and found.best.name == "optimizer=SGD"
    assert "1 of 2 failed" in str(found) and "failed: optimizer=Adam, seed 1" in str(found)
    assert "Every setting failed" in shown({"SGD": [None]}).verdict
    assert json.loads(found.json())["rows"][0]["failed"] in (0, 1)


def test_the_same_batches_whatever_the_model_draws() -> None:
    budget = Budget(None, 2)
    trials = [train(make_loop, Plan(i, {"dropout": d}, 1), budget, None) for i, d in enumerate((0.0, 0.5))]
    assert [one.error for one in trials] == [None, None]
    assert trials[0].marks == trials[1].marks and len(set(trials[0].marks)) == 16
    other_seed = train(make_loop, Plan(2, {"dropout": 0.0}, 2), budget, None)
    other_size = train(make_loop, Plan(3, {"batch_size": 16}, 1), budget, None)
    assert other_seed.marks != trials[0].marks
    assert Ablation.of([*trials, other_seed], budget).same_data
    changed = Ablation.of([*trials, other_size], budget)
    assert not changed.same_data and "were not given the same batches" in str(changed)


def test_a_trial_is_repeatable_and_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUREFOOT_LOG")
    first, second = (train(make_with_held_out, Plan(0, {"lr": 0.05}, 3), Budget(12, None), tmp_path) for _ in range(2))
    assert first.loss == second.loss and first.is_held_out and first.num_updates == 12
    run = sf.open(tmp_path)[Path(str(first.run)).name]
    assert len(run.scalars("loss").values) == 12
    assert len(run.scalars("val/loss").values) == 1


def test_divergence_is_a_result() -> None:
    found = train(make_loop, Plan(0, {"lr": 1e30}, 0), Budget(50, None), None)
    assert found.loss is None and str(found.error).startswith("diverged: update")


def test_processes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = sf.ablate(make_dying, {"lr": [0.05, 0.001, 2.0]}, seeds=[0], updates=16, processes=2, log=tmp_path)
    assert [row.settings["lr"] for row in found.rows] == [0.05, 0.001, 2.0]
    assert found.rows[2].num_failed == 1 and "ended with status 7" in found.failures[0]
    assert found.verdict.startswith("lr=0.05 is lowest, with one seed")
    assert found.same_data
    assert len(list(tmp_path.iterdir())) == 2  # of those that trained
    said = capfd.readouterr().err
    assert len(re.findall(r"surefoot: trial \d of 3: lr=", said)) == 3
    here = train(make_dying, Plan(0, {"lr": 0.05}, 0), Budget(16, None), None)
    assert found.rows[0].losses[0] == here.loss  # whatever process it runs in


def test_a_mistake_of_the_program_is_shown() -> None:
    with pytest.raises(RuntimeError, match="ArithmeticError: no such rate"):
        sf.ablate(make_broken, {"lr": [0.1]}, seeds=1, updates=2, progress=False)


def test_ctrl_c_ends_all_processes(tmp_path: Path) -> None:
    (tmp_path / "compare.py").write_text(
        "import surefoot as sf\nfrom tests.lab.ablated import make_slow\n"
        'if __name__ == "__main__":\n'
        '    sf.ablate(make_slow, {"lr": [0.1, 0.2]}, seeds=2, updates=1000, processes=2, log=None)\n'
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "compare.py"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(children(process.pid)) < 3 and time.monotonic() < deadline:  # two, and multiprocessing's own tracker
        time.sleep(0.2)
    started = children(process.pid)
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0 and b"KeyboardInterrupt" in said
    deadline = time.monotonic() + 30  # multiprocessing's tracker goes last
    while any(is_alive(child) for child in started) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert started and not any(is_alive(child) for child in started)


def test_a_script_without_the_guard_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "unguarded.py").write_text(
        "import surefoot as sf\nfrom tests.lab.ablated import make_loop\n"
        'sf.ablate(make_loop, {"lr": [0.1, 0.2]}, seeds=2, updates=2, processes=1, log=None)\n'
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "unguarded.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "put its call under" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("before it began; what it said is above.")


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if int(line.split()[1]) == pid]


def is_alive(pid: int) -> bool:
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(listed.strip()) and not listed.strip().startswith("Z")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"make_loop": lambda lr: None}, "must be able to import"),
        ({"make_loop": 3}, "a function that makes a loop"),
        ({"grid": {}}, "a dict of lists"),
        ({"grid": {"lr": "0.1"}}, "a list of values"),
        ({"grid": {"lr": [lambda: 1]}}, "must be plain"),
        ({"seeds": 0}, "at least 1"),
        ({"updates": None}, "one budget"),
        ({"epochs": 3}, "one budget"),
        ({"processes": 0}, "processes must be"),
        ({"seeds": 20_000}, "smaller grid"),
    ],
)
def test_settings_that_can_not_be(changed: dict[str, Any], says: str) -> None:
    settings: dict[str, Any] = {"make_loop": make_loop, "grid": {"lr": [0.1]}, "updates": 2, **changed}
    with pytest.raises((ValueError, TypeError), match=says):
        sf.ablate(settings.pop("make_loop"), settings.pop("grid"), **settings)
