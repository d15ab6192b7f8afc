"""Rates before training are those of torch when it really steps."""

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch.optim import SGD, Adam, lr_scheduler

import surefoot as sf
from surefoot.cli.main import main

Maker = Callable[[torch.optim.Optimizer], Any]


def sequential(o: torch.optim.Optimizer) -> Any:
    parts = [lr_scheduler.LinearLR(o, 0.1, total_iters=10), lr_scheduler.CosineAnnealingLR(o, 40)]
    return lr_scheduler.SequentialLR(o, parts, milestones=[10])


MAKERS: dict[str, Maker] = {
    "step": lambda o: lr_scheduler.StepLR(o, 7, 0.3),
    "multi-step": lambda o: lr_scheduler.MultiStepLR(o, [5, 20], 0.1),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, 30),
    "restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 7, 2),
    "one cycle": lambda o: lr_scheduler.OneCycleLR(o, max_lr=[0.3, 0.1], total_steps=60),
    "cyclic": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, step_size_up=8, cycle_momentum=False),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.97),
    "polynomial": lambda o: lr_scheduler.PolynomialLR(o, 30, 2.0),
    "sequential": sequential,
    "chained": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o, 0.1, 5), lr_scheduler.ExponentialLR(o, 0.9)]
    ),
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda k: 1 / math.sqrt(k + 1)),
    "multiplicative": lambda o: lr_scheduler.MultiplicativeLR(o, lambda k: 0.95),
    "ours": lambda o: sf.schedule.warmup_cosine(o, warmup=8, updates=50, floor=0.1),
    "ours without end": lambda o: sf.schedule.inverse_time(o, scale=5, warmup=4),
}


def make_optimizer() -> torch.optim.Optimizer:
    return Adam([{"params": [torch.nn.Parameter(torch.ones(3))], "lr": rate} for rate in (0.1, 0.02)])


def really_stepped(scheduler: Any, num: int) -> list[list[float]]:
    found = []
    for _ in range(num):
        found.append([float(group["lr"]) for group in scheduler.optimizer.param_groups])
        scheduler.optimizer.step()
        scheduler.step()
    return found


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("begun", [0, 9])
def test_the_rates_are_those_of_torch_and_nothing_moves(name: str, begun: int) -> None:
    scheduler = MAKERS[name](make_optimizer())
    really_stepped(scheduler, begun)
    kept = json.dumps(scheduler.optimizer.state_dict()["param_groups"])
    rates = scheduler.get_last_lr()
    found = sf.schedule.preview(scheduler, 50)
    assert json.dumps(scheduler.optimizer.state_dict()["param_groups"]) == kept
    assert scheduler.get_last_lr() == rates
    assert found.first == begun
    assert [list(row) for row in zip(*found.groups, strict=True)] == really_stepped(scheduler, 50)


def test_rates_that_are_tensors() -> None:
    optimizer = Adam([torch.nn.Parameter(torch.ones(1))], lr=torch.tensor(0.5))
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    found = sf.schedule.preview(scheduler, 4)
    assert found.rates == (0.5, 0.25, 0.125, 0.0625)
    assert float(optimizer.param_groups[0]["lr"]) == 0.5


def test_marks_and_length_of_a_function() -> None:
    found = sf.schedule.preview(lambda o: sf.schedule.warmup_cosine(o, warmup=10, updates=100), lr=0.2)
    assert found.updates == found.length == 100
    assert not found.warnings
    assert found.marks[0] == (11, "the warm-up is over, rate 0.2")
    assert found.marks[-1][0] == 100


@pytest.mark.parametrize(("updates", "says"), [(40, "its end is never reached"), (150, "the last 50 run past its end")])
def test_a_length_that_does_not_fit_is_told(updates: int, says: str) -> None:
    found = sf.schedule.preview(lambda o: lr_scheduler.CosineAnnealingLR(o, 100), updates)
    assert says in found.warnings[0]
    assert f"warning: {found.warnings[0]}" in found.plot()
    assert any("the schedule ends" in what for _, what in found.marks) == (updates == 150)


def test_a_first_update_at_rate_0_is_told() -> None:
    found = sf.schedule.preview(lambda o: lr_scheduler.LambdaLR(o, lambda k: k / 10), 10)
    assert found.warnings == ("update 1 runs at rate 0: it changes nothing.",)
    assert found.marks == ((10, "last planned update, rate 0.9"), (10, "peak, rate 0.9"))  # it never ends to rise


def test_a_schedule_that_fails_is_shown_up_to_there() -> None:
    found = sf.schedule.preview(lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=10), 20)
    assert found.updates == 11
    assert found.warnings[0].startswith("training would fail after update 11: Tried to step 11 times.")
    assert "made for 10 updates, but 20 are planned" in found.warnings[1]
    assert found.marks[-1][1].startswith("the schedule fails after this update")


def test_all_formats_tell_the_same() -> None:
    found = sf.schedule.preview(sequential(make_optimizer()))
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    assert [float(row["lr/1"]) for row in rows] == list(found.groups[1])
    assert json.loads(found.json())["rates"][0] == list(found.rates)
    root = ElementTree.fromstring(found.svg())
    assert len(root.findall("{http://www.w3.org/2000/svg}polyline")) == 2


@pytest.mark.parametrize(
    ("given", "updates", "says"),
    [
        (lambda o: lr_scheduler.StepLR(o, 5), None, "does not tell its length"),
        (lambda o: lr_scheduler.StepLR(o, 5), 0, "from 1 to"),
        (lambda o: lr_scheduler.ReduceLROnPlateau(o), 10, "follows the losses"),
        (lambda o: o, 20, "must return a scheduler"),
        (3, 20, "takes a scheduler"),
    ],
)
def test_what_can_not_be_told_is_refused(given: Any, updates: int | None, says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        sf.schedule.preview(given, updates)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("previewed.py").write_text(
        "import torch, surefoot as sf\n"
        "def make_scheduler(optimizer):\n    return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)\n"
        "def make_loop():\n"
        "    model = torch.nn.Linear(2, 1)\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.25)\n"
        "    return sf.Loop(model, optimizer, scheduler=make_scheduler(optimizer), watch=False), None, None\n"
    )
    assert main(["schedule", "previewed:make_scheduler", "--lr", "0.5", "--updates", "30"]) == 0
    said = capsys.readouterr().out
    assert "CosineAnnealingLR" in said and "run past its end" in said
    assert main(["schedule", "previewed.py:make_loop", "--format", "json", "-o", "out.json"]) == 0
    assert json.loads(Path("out.json").read_text())["rates"][0][0] == 0.25
    assert main(["schedule", "StepLR(optimizer, 3)", "--updates", "4", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "4,0.1"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["StepLR(optimizer)"], "can't be evaluated"),
        (["OneCycelLR(optimizer, 1)"], "there is no schedule OneCycelLR. Did you mean OneCycleLR?"),
        (["StepLR(optimizer, 3)"], "does not tell its length"),
        (["nosuchmodule:make"], "there is no module"),
        (["surefoot.version:make"], "has no 'make'"),
        (["StepLR(optimizer, 3)", "--updates", "3", "--lr", "-1"], "above 0"),
    ],
)
def test_wrong_usage(args: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", *args]) == 2
    assert says in capsys.readouterr().err


def test_sgd_keeps_its_class() -> None:
    """The stand-in is no part of what a caller sees."""
    scheduler = lr_scheduler.StepLR(SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1), 3)
    sf.schedule.preview(scheduler, 5)
    assert isinstance(scheduler.optimizer, SGD) and scheduler.last_epoch == 0
