"""Every step's loss is told, exactly as the program computes it."""

from collections.abc import Callable
from math import isnan

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer

STEPS = 80  # longer than all windows are read closely
Told = list[tuple[int, float, float]]  # optimizer, loss, factor
Program = Callable[[], Told]


def heard(program: Program) -> tuple[Told, Told]:
    """What is told of a program's losses, and what it says itself."""
    told: list[tuple[int, int, float, float]] = []
    failures: list[str] = []
    sanitizer = Sanitizer(catalogue().values(), on_failure=lambda name, error: failures.append(f"{name}: {error!r}"))
    sanitizer.recorder.losses.listeners.append(
        lambda optimizer, step, loss, factor, rate: told.append((optimizer, step, loss, factor))
    )
    torch.manual_seed(0)
    sanitizer.start()
    try:
        expected = program()
    finally:
        sanitizer.finish()
    assert not failures, failures
    assert [step for _, step, _, _ in told] == list(range(1, len(expected) + 1)), "a step without a loss"
    return [(optimizer, loss, factor) for optimizer, _, loss, factor in told], expected


def batch() -> tuple[Tensor, Tensor]:
    x = torch.randn(8, 4)
    return x, x.sum(1, keepdim=True)


def plain(scale: float = 1.0) -> Told:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(STEPS):
        x, y = batch()
        loss = functional.mse_loss(model(x), y)
        loss = loss if scale == 1.0 else scale * loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append((1, loss.item(), 1.0))
    return losses


def half() -> Told:
    return plain(0.5)


def scaled() -> Told:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    losses = []
    for _ in range(STEPS):
        x, y = batch()
        loss = functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append((1, loss.item(), 1.0))
    return losses


def two_lines() -> Told:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(STEPS):
        (x, y), (other_x, other_y) = batch(), batch()
        first, second = functional.mse_loss(model(x), y), functional.l1_loss(model(other_x), other_y)
        optimizer.zero_grad()
        first.backward()
        second.backward()
        optimizer.step()
        losses.append((1, first.item() + second.item(), 1.0))
    return losses


def two_from_one_graph() -> Told:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(STEPS):
        x, y = batch()
        outputs = model(x)
        first, second = functional.mse_loss(outputs, y), functional.l1_loss(outputs, y)
        optimizer.zero_grad()
        first.backward(retain_graph=True)
        second.backward()
        optimizer.step()
        losses.append((1, first.item() + second.item(), 1.0))
    return losses


def adversaries() -> Told:
    maker, judge = nn.Linear(2, 4), nn.Linear(4, 1)
    of_maker, of_judge = (torch.optim.Adam(model.parameters(), lr=1e-3) for model in (maker, judge))
    ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
    cross_entropy = functional.binary_cross_entropy_with_logits
    losses = []
    for _ in range(STEPS):
        made = maker(torch.randn(8, 2))
        of_judge.zero_grad()
        loss = cross_entropy(judge(torch.randn(8, 4)), ones) + cross_entropy(judge(made.detach()), zeros)
        loss.backward()
        of_judge.step()
        losses.append((2, loss.item(), 1.0))
        of_maker.zero_grad()
        loss = cross_entropy(judge(made), ones)
        loss.backward()
        of_maker.step()
        losses.append((1, loss.item(), 1.0))
    return losses


def many_optimizers() -> Told:
    """More than are looked at in each backward."""
    models = [nn.Linear(4, 1) for _ in range(20)]
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in models]
    losses = []
    for _ in range(4):
        for number, (model, optimizer) in enumerate(zip(models, optimizers, strict=True), 1):
            x, y = batch()
            loss = functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append((number, loss.item(), 1.0))
    return losses


@pytest.mark.parametrize("program", [plain, half, scaled, two_lines, two_from_one_graph, adversaries, many_optimizers])
def test_what_is_told_is_what_the_program_computes(program: Program) -> None:
    told, expected = heard(program)
    assert told == expected


@pytest.mark.parametrize("scaler", [None, torch.amp.GradScaler("cpu", init_scale=1024.0)])
def test_the_mean_of_micro_batches_without_the_programs_division(scaler: torch.amp.GradScaler | None) -> None:
    def program() -> Told:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        told = []
        for _ in range(20):
            for length in (4, 4, 4, 3):  # the last window of an epoch is short, and divided as the others are
                losses = []
                optimizer.zero_grad()
                for _ in range(length):
                    x, y = batch()
                    loss = functional.mse_loss(model(x), y)
                    losses.append(loss.item())
                    divided = loss / 4
                    (divided if scaler is None else scaler.scale(divided)).backward()
                if scaler is None:
                    optimizer.step()
                else:
                    scaler.step(optimizer)
                    scaler.update()
                told.append((1, sum(losses) / length, 0.25))
        return told

    told, expected = heard(program)
    assert [factor for _, _, factor in told] == [factor for _, _, factor in expected]
    assert [loss for _, loss, _ in told] == pytest.approx([loss for _, loss, _ in expected], rel=1e-6)


def test_losses_that_are_not_finite() -> None:
    at = {3: float("nan"), 60: float("nan"), 70: float("inf")}

    def program() -> Told:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        losses = []
        for i in range(STEPS):
            x, y = batch()
            loss = functional.mse_loss(model(x), y) * torch.tensor(at.get(i, 1.0))
            optimizer.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.grad.nan_to_num_(1e-3, 1e-3, 1e-3)  # not zero: that would be a cleared gradient
            optimizer.step()
            losses.append((1, loss.item(), 1.0))
        return losses

    told, expected = heard(program)
    assert len(told) == STEPS
    for (_, loss, _), (_, real, _) in zip(told, expected, strict=True):
        assert loss == real or (isnan(loss) and isnan(real))
