"""The range test: known bounds, and nothing left behind."""

import json
import math
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import SGD, Adam, Optimizer
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.cli.main import main
from surefoot.lab.lr.curve import has_diverged, holds, noise_of, smooth, steepest
from tests.lab.problems import Bowl, bowl_loss, quiet_loop, state_of

BATCHES = [torch.zeros(1)]


@pytest.mark.parametrize("curvature", [[1.0, 0.1], [50.0, 3.0, 0.5], [4.0] * 8])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_the_bound_of_a_quadratic(curvature: list[float], momentum: float) -> None:
    """Without momentum the largest stable rate is 2 / lambda, with it 2 (1 + momentum) / lambda."""
    model = Bowl(curvature)
    loop = quiet_loop(model, SGD(model.parameters(), lr=0.1, momentum=momentum))
    found = sf.lr_find(loop, BATCHES, bowl_loss, high=100.0, bound_updates=60)
    known = 2 * (1 + momentum) / max(curvature)
    assert found.bound == pytest.approx(known, rel=0.06)
    assert found.suggestion is not None and found.suggestion < known
    assert "the bound is between" in str(found)
    loop.close()


def test_a_range_that_never_diverges() -> None:
    model = Bowl([1.0])
    found = sf.lr_find(quiet_loop(model, SGD(model.parameters(), lr=0.1)), BATCHES, bowl_loss, high=0.5)
    assert not found.has_diverged and found.bound is None
    assert "the bound is above" in str(found)


def test_a_loss_that_no_rate_lowers() -> None:
    model = Bowl([0.0, 0.0])
    found = sf.lr_find(quiet_loop(model, SGD(model.parameters(), lr=0.1)), BATCHES, bowl_loss)
    assert found.suggestion is None
    assert "did not fall" in str(found)


class Net(nn.Module):
    """Everything that has a state: dropout, running means, a buffer that is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 3))
        self.register_buffer("seen", torch.zeros(()), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen = self.seen + 1
        out: torch.Tensor = self.layers(x)
        return out


def make_training(**settings: Any) -> tuple[sf.Loop, Net, Optimizer, DataLoader[Any]]:
    torch.manual_seed(3)
    model = Net()
    optimizer = Adam(
        [{"params": model.layers[:4].parameters()}, {"params": model.layers[4].parameters(), "lr": 0.1}], lr=0.01
    )
    x = torch.randn(64, 6)
    data = TensorDataset(x, x[:, :3].argmax(1))
    loader = DataLoader(data, batch_size=16, shuffle=True, generator=torch.Generator().manual_seed(1))
    loop = quiet_loop(model, optimizer, accumulate=2, clip_norm=1.0, **settings)
    for _ in loop.batches(loader, epochs=1):
        with loop.step() as step:
            step.backward(nn.functional.cross_entropy(model(x), data.tensors[1]))
    return loop, model, optimizer, loader


def everything(loop: sf.Loop, model: Net, optimizer: Optimizer, loader: DataLoader[Any]) -> list[Any]:
    assert isinstance(loader.generator, torch.Generator)
    return state_of(
        dict(model.named_parameters()), dict(model.named_buffers()), [p.grad for p in model.parameters()],
        optimizer.state_dict(), loader.generator.get_state(), torch.get_rng_state(), random.getstate(),
        np.random.get_state(legacy=True), loop.num_updates, len(loop.history), model.training,  # type: ignore[call-overload]
    )  # fmt: skip


def test_nothing_is_left_behind() -> None:
    training = make_training()
    loop, model, optimizer, loader = training
    with loop.step() as step:  # an open window, with gradients in it
        step.backward(nn.functional.cross_entropy(model(torch.randn(16, 6)), torch.zeros(16, dtype=torch.long)))
    buffer, state = model.seen, optimizer.state
    before = everything(*training)
    found = sf.lr_find(loop, loader, nn.functional.cross_entropy, updates=30, bound_updates=8)
    assert len(found.rates) > 10
    assert everything(*training) == before
    assert model.seen is buffer and optimizer.state is state
    assert "32 items an update" in found.conditions and "Adam" in found.conditions


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_is_left_behind_after_an_error(error: type[BaseException]) -> None:
    training = make_training()
    before, calls = everything(*training), 0

    def loss_fn(outputs: Any, targets: Any) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls == 33:
            raise error
        return nn.functional.cross_entropy(outputs, targets)

    with pytest.raises(error):
        sf.lr_find(training[0], training[3], loss_fn, updates=30)
    assert everything(*training) == before


def test_training_goes_on_as_if_nothing_had_been() -> None:
    weights = []
    for tries in (False, True):
        loop, model, _, loader = make_training()
        if tries:
            sf.lr_find(loop, loader, nn.functional.cross_entropy, updates=20, bound_updates=0)
        loop.fit(loader, nn.functional.cross_entropy, epochs=2)
        weights.append(state_of(model.state_dict()))
    assert weights[0] == weights[1]


def test_the_sanitizer_looks_away() -> None:
    loop, _, _, loader = make_training(watch=True)
    sf.lr_find(loop, loader, nn.functional.cross_entropy, updates=40, bound_updates=8)
    assert not [finding.rule for finding in loop.findings if finding.severity != "note"]
    loop.close()


def test_groups_keep_their_ratio() -> None:
    loop, _, optimizer, loader = make_training()
    ratios = []

    def loss_fn(outputs: Any, targets: Any) -> torch.Tensor:
        ratios.append(optimizer.param_groups[1]["lr"] / optimizer.param_groups[0]["lr"])
        return nn.functional.cross_entropy(outputs, targets)

    sf.lr_find(loop, loader, loss_fn, updates=20, bound_updates=0)
    assert ratios == pytest.approx([10.0] * len(ratios))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"low": 1.0, "high": 0.1}, "0 < low < high"),
        ({"updates": 5}, "at least 20"),
        ({"bound_updates": 3}, "at least 8"),
    ],
)
def test_settings_that_can_not_be(settings: dict[str, Any], says: str) -> None:
    model = Bowl([1.0])
    with pytest.raises(ValueError, match=says):
        sf.lr_find(quiet_loop(model, SGD(model.parameters(), lr=0.1)), BATCHES, bowl_loss, **settings)


def test_what_can_not_be_tried() -> None:
    model = Bowl([1.0])
    optimizer = SGD(model.parameters(), lr=0.1)
    with pytest.raises(TypeError, match=r"takes an sf\.Loop, got Bowl"):
        sf.lr_find(model, BATCHES, bowl_loss)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="startable again"):
        sf.lr_find(quiet_loop(model, optimizer), iter(BATCHES), bowl_loss)
    with pytest.raises(ValueError, match="at least one batch"):
        sf.lr_find(quiet_loop(model, optimizer), [], bowl_loss)
    with pytest.raises(ValueError, match="not finite before any update"):
        sf.lr_find(quiet_loop(model, optimizer), BATCHES, lambda model, batch: model() * math.nan)
    other = Bowl([1.0])
    two = sf.Loop([model, other], {"a": optimizer, "b": SGD(other.parameters(), lr=1.0)}, watch=False, log=None)
    with pytest.raises(ValueError, match="one optimizer, but the loop has 2"):
        sf.lr_find(two, BATCHES, bowl_loss)


def test_reading_curves() -> None:
    rates = [10 ** (k / 10) for k in range(40)]
    losses = [1 - 1 / (1 + math.exp(-(k - 20) / 2)) for k in range(40)]
    assert abs((steepest(rates, losses) or 0) - 20) <= 1
    assert steepest(rates, [1.0] * 40) is None
    assert smooth([2.0] * 5) == pytest.approx([2.0] * 5)
    assert noise_of([1.0]) == 0.0
    assert has_diverged([1.0, 1.0, 0.5, 9.0, 9.0, 9.0], 0.0)
    assert not has_diverged([1.0, 1.0, 0.5, 9.0, 0.5], 0.0)  # one bad batch
    assert holds([4.0] + [1.0] * 7, 0.0, good=3.0)
    assert not holds([4.0] + [1.0] * 5 + [2.0] * 2, 0.0, good=3.0)
    assert holds([4.0] + [1.0] * 5 + [2.0] * 2, 1.0, good=3.0)  # batches differ by as much
    assert not holds([4.0, 9.0] + [3.9] * 6, 0.0, good=3.0)  # thrown to where it stays
    assert not holds([4.0, math.inf], 0.0, good=3.0)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("looked_for.py").write_text(
        "import torch, surefoot as sf\n"
        "def make_loop():\n"
        "    model = torch.nn.Linear(2, 1)\n"
        "    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), watch=False, progress=False)\n"
        "    x = torch.randn(8, 2)\n"
        "    return loop, [(x, x.sum(1, keepdim=True))], torch.nn.functional.mse_loss\n"
        "def nothing():\n    return 3\n"
        "def broken():\n    raise ValueError('mine')\n"
    )
    assert main(["lr-find", "looked_for:make_loop"]) == 0
    said = capsys.readouterr().out
    assert "suggested rate" in said and "Run it again" in said
    assert main(["lr-find", "looked_for:make_loop"]) == 0
    assert capsys.readouterr().out == said  # the same weights, the same data
    assert main(["lr-find", "looked_for:make_loop", "--seed", "1"]) == 0
    assert capsys.readouterr().out != said
    assert main(["lr-find", "looked_for:make_loop", "--format", "json", "-o", "found.json"]) == 0
    assert json.loads(Path("found.json").read_text())["bound"] > 0
    assert main(["lr-find", "looked_for:make_loop", "--format", "svg"]) == 0
    ElementTree.fromstring(capsys.readouterr().out)
    assert main(["lr-find", "looked_for:nothing"]) == 2
    assert "must return (loop, loader, loss_fn)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="mine"):
        main(["lr-find", "looked_for:broken"])
