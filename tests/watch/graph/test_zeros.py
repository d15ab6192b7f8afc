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
        ("F.mse_loss(model(x).softmax(1), x[:, :1])", "softmax"),
        ("F.mse_loss((model(x) * 2).unsqueeze(0).log_softmax(-1)[0], x[:, :1])", "log_softmax"),
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


def test_a_softmax_over_one_score_of_each_item(tmp_path: Path) -> None:
    body = """
score = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *score.parameters()], lr=0.01)
for _ in range(4):
    x = torch.randn(8, 5, 4)
    weights = torch.softmax(score(x), dim=-1)
    loss = F.mse_loss(model((weights * x).sum(1)), x[:, 0, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    _, records, lines = watch(body, tmp_path)
    (zeros,) = steps_of(records)[-1].zero_gradients
    assert (zeros.kind, zeros.ended_in, zeros.num_params) == ("stepwise", "softmax", 2)
    assert zeros.site is not None and "torch.softmax" in lines[zeros.site.line]


@pytest.mark.parametrize(
    "scores",
    [
        "(x @ x[:, :1].transpose(1, 2)).softmax(-1)",  # one key
        "score(x[:, :1]).softmax(1)",  # one position
        "score(x[:, :1]).squeeze(-1).softmax(-1).unsqueeze(-1)",
        "score(x[:, :1]).transpose(1, 2).softmax(-1)",
        "score(x).softmax(1)",
    ],
)
def test_a_single_key_or_position_is_no_single_score(scores: str, tmp_path: Path) -> None:
    body = f"""
score = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *score.parameters()], lr=0.01)
for _ in range(4):
    x = torch.randn(8, 5, 4)
    loss = F.mse_loss(model(({scores} * x).sum(1)), x[:, 0, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    assert last(body, tmp_path) == ()


def test_layers_of_zeros_behind_each_other(tmp_path: Path) -> None:
    body = """
gate = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 4))
optimizer = torch.optim.SGD([*model.parameters(), *gate.parameters()], lr=0.01)
for layer in (gate[0], gate[2]):
    nn.init.zeros_(layer.weight), nn.init.zeros_(layer.bias)
for _ in range(4):
    x = torch.randn(8, 4)
    loss = F.mse_loss(model(x + gate(x)), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    _, records, lines = watch(body, tmp_path)
    (zeros,) = steps_of(records)[-1].zero_gradients
    assert (zeros.kind, zeros.num_params) == ("closed", 2)
    assert zeros.site is not None and "gate(x)" in lines[zeros.site.line]


def test_heads_of_zeros_beside_each_other(tmp_path: Path) -> None:
    body = """
heads = nn.ModuleList(nn.Linear(4, 1) for _ in range(3))
optimizer = torch.optim.SGD([*model.parameters(), *heads.parameters()], lr=0.01)
for head in heads:
    nn.init.zeros_(head.weight)
for _ in range(4):
    x = torch.randn(8, 4)
    loss = F.mse_loss(torch.stack([head(x) for head in heads])[0] + model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
    assert last(body, tmp_path) == ()


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
