"""Gradients that are exactly 0 from the first step on, and why."""

from pathlib import Path

import pytest
import torch

from surefoot.facts import ZeroGradientFacts
from tests.watch.graph.program import steps_of, watch
from tests.watch.watching import watching

LOOP = """
for _ in range(3):
    x = torch.randn(8, 4)
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def last(body: str, folder: Path) -> tuple[ZeroGradientFacts, ...]:
    _, records, _ = watch(body, folder)
    return steps_of(records)[-1].zero_gradients


@pytest.mark.parametrize(
    ("loss", "ended_in"),
    [
        ("(model(x) - 90).relu().mean() + 1", "Relu"),
        ("(model(x) + 90).clamp(0, 1).mean()", "Clamp"),
        ("F.mse_loss(model(x).softmax(1), x[:, :1])", "Softmax"),
        ("F.mse_loss(model(x).round(), x[:, :1])", "round"),
        ("F.mse_loss(model(x), x[:, :1]) * 0 + 1", "Mul"),
    ],
)
def test_every_gradient(loss: str, ended_in: str, tmp_path: Path) -> None:
    (zeros,) = last(LOOP.format(loss=loss), tmp_path)
    assert (zeros.kind, zeros.num_steps, zeros.num_params, zeros.ended_in) == ("every", 3, 4, ended_in)


def test_a_usual_gradient(tmp_path: Path) -> None:
    assert last(LOOP.format(loss="F.mse_loss(model(x), x[:, :1])"), tmp_path) == ()


def test_parameters_behind_a_step_function(tmp_path: Path) -> None:
    (zeros,) = last(LOOP.format(loss="F.mse_loss(model[2](model[0](x).sign()), x[:, :1])"), tmp_path)
    names = {name.removeprefix("model.") for name in zeros.params}  # other tests may have left a model that holds it
    assert (zeros.kind, zeros.ended_in, names) == ("stepwise", "sign", {"0.weight", "0.bias"})


def test_a_way_round_the_step_function(tmp_path: Path) -> None:
    straight = "F.mse_loss((y := model(x)) + (y.round() - y).detach() + y.round(), x[:, :1])"
    assert last(LOOP.format(loss=straight), tmp_path) == ()


@pytest.mark.parametrize(
    ("used", "kind", "direction"),
    [
        ("layer(x)[1][-1]", "direction", "forward"),
        ("layer(x)[1][-2]", "direction", "reverse"),
        ("layer(x)[0][:, -1]", "recurrence", "reverse"),
        ("layer(x)[0][:, 0]", "recurrence", "forward"),
    ],
)
def test_one_direction(used: str, kind: str, direction: str, tmp_path: Path) -> None:
    body = f"""
    layer = nn.GRU(4, 3, 2, bidirectional=True, batch_first=True)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    for _ in range(4):
        x = torch.randn(8, 5, 4)
        optimizer.zero_grad()
        ({used}).square().mean().backward()
        optimizer.step()
    """
    _, records, lines = watch(body, tmp_path)
    (zeros,) = steps_of(records)[-1].zero_gradients
    assert (zeros.kind, zeros.direction, zeros.module) == (kind, direction, "GRU")
    assert zeros.site is not None and used in lines[zeros.site.line]


@pytest.mark.parametrize("used", ["layer(x)[0]", "layer(x)[1]", "layer(x[:, :1])[0]"])
def test_both_directions(used: str, tmp_path: Path) -> None:
    body = f"""
    layer = nn.LSTM(4, 3, bidirectional=True, batch_first=True)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    for _ in range(4):
        x = torch.randn(8, 5, 4)
        out = {used}
        optimizer.zero_grad()
        (out[0] if isinstance(out, tuple) else out).square().mean().backward()
        optimizer.step()
    """
    assert last(body, tmp_path) == ()


def test_one_loss_for_two_optimizers() -> None:
    with watching() as watched:
        one, two = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
        optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in (one, two)]
        for _ in range(3):
            x = torch.randn(8, 4)
            (one(x).square().mean() + (two(x) - 90).relu().mean()).backward()
            for optimizer in optimizers:
                optimizer.step()
            for optimizer in optimizers:
                optimizer.zero_grad()
    assert all(zeros.kind != "every" for step in watched.steps for zeros in step.zero_gradients)
