"""Attributes that change and are not saved are pointed out."""

import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.plan import LoopWarning

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


class Model(nn.Module):
    """With one attribute of each kind; `change` is called by every forward."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)
        self.register_buffer("saved", torch.zeros(2))
        self.pointer = 0
        self.queue = torch.zeros(4)
        self.mean = torch.zeros(2)
        self.noise = torch.Generator()
        self.view = self.layer.weight.detach()
        self.last: Tensor | None = None
        self.losses: list[float] = []
        self.name = "fixed"
        self.change: Any = lambda model, x: None

    def forward(self, x: Tensor) -> Any:
        self.change(self, x)
        return self.layer(x)


def train(folder: Path, change: Any, **state: Any) -> list[str]:
    """What is told at the saves."""
    model = Model()
    model.change = change
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), checkpoint=folder)
    model.name = "changed before training"
    loop.state.update({name: getattr(model, name) for name in state})
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for x in loop.batches([torch.ones(3, 2)] * 3):
            with loop.step() as step:
                step.backward(model(x).mean())
            loop.state.update({name: getattr(model, name) for name in state})
            loop.save()
    return [str(one.message) for one in told if one.category is LoopWarning]


def advance(model: Model, x: Tensor) -> None:
    model.pointer += 3


def enqueue(model: Model, x: Tensor) -> None:
    model.queue[0] += 1


def average(model: Model, x: Tensor) -> None:
    model.mean = 0.9 * model.mean + 0.1 * x.mean(0)


def draw(model: Model, x: Tensor) -> None:
    torch.randn(1, generator=model.noise)


def remember(model: Model, x: Tensor) -> None:
    """Caches and records, and what is saved."""
    model.last = x.detach().clone()
    model.losses.append(1.0)
    model.saved += 1
    model.extra = 3


@pytest.mark.parametrize(
    ("change", "named"),
    [(advance, r"model.pointer (0 to 3)"), (enqueue, "model.queue"), (average, "model.mean"), (draw, "model.noise")],
)
def test_state_that_is_not_saved_is_pointed_out_once(tmp_path: Path, change: Any, named: str) -> None:
    (told,) = train(tmp_path, change)
    assert told.startswith(f"{named} changed during training and is not in the checkpoint")
    assert told.endswith("or keep it in loop.state.")


@pytest.mark.parametrize(
    ("change", "kept"), [(advance, "pointer"), (enqueue, "queue"), (draw, "noise"), (remember, "")]
)
def test_what_is_kept_or_no_state_is_not(tmp_path: Path, change: Any, kept: str) -> None:
    assert train(tmp_path, change, **({kept: True} if kept else {})) == []


class Saving(Model):
    """Saves by itself."""

    def get_extra_state(self) -> int:
        return self.pointer

    def set_extra_state(self, state: int) -> None:
        self.pointer = state


def test_a_module_that_saves_by_itself_is_left_alone(tmp_path: Path) -> None:
    model = Saving()
    model.change = advance
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), checkpoint=tmp_path)
    for x in loop.batches([torch.ones(3, 2)]):
        with loop.step() as step:
            step.backward(model(x).mean())
        loop.save()
    again = Saving()
    sf.Loop(again, torch.optim.SGD(again.parameters(), lr=0.1), checkpoint=tmp_path).resume()
    assert again.pointer == 3
