"""Several optimizers: nothing leaks from one to another."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from tests.loop.training import Probe

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def gan() -> tuple[dict[str, nn.Module], dict[str, torch.optim.Optimizer]]:
    torch.manual_seed(0)
    models: dict[str, nn.Module] = {"g": nn.Linear(2, 3), "d": nn.Linear(3, 1)}
    return models, {name: torch.optim.SGD(model.parameters(), lr=0.1) for name, model in models.items()}


@pytest.mark.parametrize("accumulate", [1, 2])
def test_a_backward_reaches_only_its_own_parameters(accumulate: int) -> None:
    models, optimizers = gan()
    loop = sf.Loop(models, optimizers, accumulate=accumulate)
    z = torch.randn(4, 2)
    real = torch.randn(4, 3)
    for _ in loop.batches([0] * 4):
        with loop.step("d", weight=8) as step:
            fake = models["d"](models["g"](z).detach())
            step.backward(F.softplus(-models["d"](real)).mean() + F.softplus(fake).mean())
        with loop.step("g", weight=4) as step:
            step.backward(F.softplus(-models["d"](models["g"](z))).mean())
            assert loop._updaters["d"].window.num_micro_batches in (0, 1)
    assert loop.num_updates == 2 * 4 // accumulate
    assert {"d/loss", "g/loss"} <= set(loop.history.names)


def test_the_gradient_of_one_is_exactly_that_of_its_own_loss() -> None:
    d, g = Probe(1), Probe(1)
    sgd = torch.optim.SGD
    loop = sf.Loop({"d": d, "g": g}, {"d": sgd(d.parameters(), lr=1.0), "g": sgd(g.parameters(), lr=1.0)}, accumulate=2)
    one = torch.ones(1, 1)
    for _ in range(2):
        with loop.step("d", weight=1) as step:
            step.backward(d(one).mean())
        with loop.step("g", weight=1) as step:
            step.backward((g(one) + 10 * d(one)).mean())
    assert (d.w.item(), g.w.item()) == (-1.0, -1.0)


def test_an_overflow_of_one_does_not_touch_the_other() -> None:
    a, b = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    nn.init.zeros_(b.weight)
    sgd = torch.optim.SGD
    loop = sf.Loop(
        {"a": a, "b": b},
        {"a": sgd(a.parameters(), lr=1.0), "b": sgd(b.parameters(), lr=1.0)},
        accumulate={"a": 1, "b": 2},
        precision="fp16",
    )
    for i in range(2):
        with loop.step("b", weight=1) as step:
            step.backward(b(torch.ones(1, 1)).mean())
        with loop.step("a", weight=1) as step:
            step.backward(a(torch.full((1, 1), 8.0 if i == 0 else 0.5)).mean())  # 8 x 32,768 overflows
    assert b.weight.item() == -1.0
    assert loop.num_skipped == 1


def test_settings_by_name() -> None:
    models, optimizers = gan()
    loop = sf.Loop(models, optimizers, clip_norm={"d": 0.5}, accumulate={"d": 2})
    assert (loop._accumulate["d"], loop._accumulate["g"]) == (2, 1)
    with pytest.raises(ValueError, match="clip_norm names 'x'"):
        sf.Loop(models, optimizers, clip_norm={"x": 0.5})
    with pytest.raises(ValueError, match=r"name one, loop.step\('g'\)"):
        loop.step()
    with pytest.raises(ValueError, match="no optimizer 'x'; there are 'g', 'd'"):
        loop.step("x")
    with pytest.raises(ValueError, match="fit\\(\\) trains one optimizer"):
        loop.fit([], F.mse_loss, epochs=1)
