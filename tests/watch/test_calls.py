"""What a steady window costs in calls of our own: few of them, and no more for a model with more parameters."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.recorder import Recorder

MOST_CALLS = {"plain": 40, "gan": 34, "scaler": 73, "accumulation": 52}  # for one step of one optimizer; goal: 40
SHALLOW, DEEP = 1, 29  # hidden layers: models of 4 and of 60 parameters
STEADY = 301  # steps until all windows are known, and signals measure only some
Loop = Callable[[], None]


def mlp(width: int, num_hidden: int, out: int) -> nn.Sequential:
    hidden = [layer for _ in range(num_hidden) for layer in (nn.Linear(8, 8), nn.ReLU())]
    return nn.Sequential(nn.Linear(width, 8), nn.ReLU(), *hidden[2:], nn.Linear(8, out))


def data() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(16, 4)
    return x, x.sum(1, keepdim=True)


def plain(num_hidden: int) -> tuple[Loop, int]:
    model, (x, y) = mlp(4, num_hidden, 1), data()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)

    def step() -> None:
        loss = functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step, 1


def gan(num_hidden: int) -> tuple[Loop, int]:
    maker, judge, (x, _) = mlp(2, num_hidden, 4), mlp(4, num_hidden, 1), data()
    of_maker, of_judge = (torch.optim.Adam(model.parameters(), lr=1e-4) for model in (maker, judge))
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    cross_entropy = functional.binary_cross_entropy_with_logits

    def step() -> None:
        made = maker(torch.randn(16, 2))
        of_judge.zero_grad()
        (cross_entropy(judge(x), ones) + cross_entropy(judge(made.detach()), zeros)).backward()
        of_judge.step()
        of_maker.zero_grad()
        cross_entropy(judge(made), ones).backward()
        of_maker.step()

    return step, 2


def scaler(num_hidden: int) -> tuple[Loop, int]:
    model, (x, y) = mlp(4, num_hidden, 1), data()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
    grad_scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def step() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = functional.mse_loss(model(x).float(), y)
        optimizer.zero_grad()
        grad_scaler.scale(loss).backward()
        grad_scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        grad_scaler.step(optimizer)
        grad_scaler.update()

    return step, 1


def accumulation(num_hidden: int) -> tuple[Loop, int]:
    model, (x, y) = mlp(4, num_hidden, 1), data()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)

    def step() -> None:
        optimizer.zero_grad()
        for _ in range(2):
            (functional.mse_loss(model(x), y) / 2).backward()
        optimizer.step()

    return step, 1


def is_left_alone(recorder: Recorder) -> bool:
    return not recorder.tap.armed and not recorder.arming.is_measured


def counted(make: Callable[[int], tuple[Loop, int]], num_hidden: int) -> tuple[list[str], int]:
    """Our own functions that a window called which is neither armed nor measured, and the number of steps in it."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "/surefoot/" in frame.f_code.co_filename:
            called.append(frame.f_code.co_qualname)

    torch.manual_seed(0)
    sanitizer = Sanitizer(catalogue().values())
    sanitizer.start()
    try:
        sanitizer.recorder.losses.listeners.append(lambda *loss: None)  # as if there were a log
        step, num_optimizers = make(num_hidden)
        is_counted = False
        for i in range(2 * STEADY):
            is_counted = i >= STEADY and is_left_alone(sanitizer.recorder)
            sys.setprofile(note if is_counted else None)
            step()  # always from this line
            sys.setprofile(None)
            if is_counted and is_left_alone(sanitizer.recorder):
                break
            called.clear()
        assert is_counted, "no window was unarmed"
    finally:
        sys.setprofile(None)
        sanitizer.finish()
    return called, num_optimizers


@pytest.mark.parametrize("make", [plain, gan, scaler, accumulation])
def test_a_steady_window_makes_few_calls_however_large_the_model(
    make: Callable[[int], tuple[Loop, int]], untraced: None
) -> None:
    few, num_optimizers = counted(make, SHALLOW)
    many, _ = counted(make, DEEP)
    assert few, "nothing was counted"
    assert few == many
    assert len(few) / num_optimizers <= MOST_CALLS[make.__name__], few


def test_the_models_are_of_4_and_of_60_parameters() -> None:
    assert [len(list(mlp(4, num_hidden, 1).parameters())) for num_hidden in (SHALLOW, DEEP)] == [4, 60]
