"""Parameter groups are followed as they change, each with its own limits."""

from typing import Any

import pytest
import torch
from torch import nn

import surefoot as sf
from tests.loop.training import Probe

pytestmark = pytest.mark.usefixtures("silent_sanitizer")
ROW = torch.eye(2)


def train(groups: list[dict[str, Any]], parts: nn.ModuleList, by: tuple[float, float], **settings: Any) -> sf.Loop:
    """One update with the gradients `by[0]` and `by[1]` in each of the two values of both parts."""
    loop = sf.Loop(parts, torch.optim.SGD(groups, lr=1.0), progress=False, log=None, **settings)
    for _ in loop.batches([0]):
        with loop.step() as step:
            step.backward(2 * (by[0] * parts[0](ROW) + by[1] * parts[1](ROW)).mean())
    return loop


def moved(part: nn.Module) -> float:
    return -float(part.w[0].detach())


@pytest.mark.parametrize(
    ("own", "settings", "expected"),
    [
        ({}, {"clip_value": 0.5}, (0.5, 0.5)),
        ({"clip_norm": 5.0}, {"clip_value": 0.5}, (0.5, 0.5)),
        ({"clip_value": 0.25}, {"clip_value": 0.5}, (0.25, 0.5)),
        ({"clip_value": 0.25}, {}, (0.25, 8.0)),
        ({"clip_norm": 2**0.5 / 4}, {"clip_norm": 2**0.5}, (0.25, 1.0)),
        ({"clip_norm": 2**0.5 / 4}, {}, (0.25, 8.0)),
        ({"clip_value": 0.25}, {"clip_norm": 146**0.5}, (0.25, 8.0)),
    ],
)
def test_a_group_may_have_limits_of_its_own(
    own: dict[str, float], settings: dict[str, float], expected: tuple[float, float]
) -> None:
    parts = nn.ModuleList([Probe(2), Probe(2)])
    train([{"params": parts[0].parameters(), **own}, {"params": parts[1].parameters()}], parts, (3.0, 8.0), **settings)
    assert (moved(parts[0]), moved(parts[1])) == pytest.approx(expected, rel=1e-5)


def test_a_limit_that_is_no_number_is_refused() -> None:
    parts = nn.ModuleList([Probe(2), Probe(2)])
    with pytest.raises(ValueError, match="clip_value must be a number above 0, got -1"):
        train([{"params": parts.parameters(), "clip_value": -1}], parts, (1.0, 1.0))


def test_a_group_that_is_added_later_is_averaged_measured_and_clipped() -> None:
    parts = nn.ModuleList([Probe(2), Probe(2)])
    parts[1].requires_grad_(False)
    optimizer = torch.optim.SGD(parts[0].parameters(), lr=1.0)
    loop = sf.Loop(parts, optimizer, accumulate=2, clip_norm=1.0, progress=False, log=None)
    for i, row in enumerate(loop.batches([ROW[:1], ROW[1:]] * 2)):
        if i == 2:
            parts[1].requires_grad_(True)
            optimizer.add_param_group({"params": parts[1].parameters()})
        with loop.step() as step:
            step.backward((parts[0](row) + 100 * parts[1](row)).mean())
    assert loop.history["grad_norm"] == pytest.approx([0.5**0.5, (0.5 + 5000) ** 0.5])
    assert parts[1].w.norm().item() == pytest.approx(1.0, abs=1e-4)


def test_parameters_of_one_optimizer_of_several_may_be_unfrozen() -> None:
    parts = nn.ModuleDict({"a": Probe(2), "b": Probe(2)})
    parts["b"].requires_grad_(False)
    optimizers = {name: torch.optim.SGD(part.parameters(), lr=1.0) for name, part in parts.items()}
    loop = sf.Loop(dict(parts), optimizers, progress=False, log=None)
    with pytest.raises(ValueError, match="all parameters of optimizer 'b' are frozen"), loop.step("b") as step:
        step.backward(parts["a"](ROW).mean() + parts["b"](ROW).mean())
    parts["b"].requires_grad_(True)
    with loop.step("b") as step:
        step.backward(2 * (parts["a"](ROW) + parts["b"](ROW)).mean())
    assert (moved(parts["a"]), moved(parts["b"])) == (0.0, 1.0)
