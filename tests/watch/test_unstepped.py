"""Runs in which optimizers get gradients and none ever steps."""

from pathlib import Path

import pytest

from surefoot.facts import EndFacts, UnsteppedFacts
from tests.watch.record import records_of

BEGIN = """
import torch
torch.manual_seed(0)
model, other = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
second = torch.optim.SGD(other.parameters(), lr=0.1)
def loss(x=None):
    return model(torch.randn(4, 3) if x is None else x).square().mean()
"""


def unstepped(body: str, file: Path) -> tuple[UnsteppedFacts, ...]:
    (end,) = [r for r in records_of(BEGIN + body, file) if isinstance(r, EndFacts)]
    return end.unstepped


def test_counts_backwards_and_finds_the_call_that_was_not_reached(tmp_path: Path) -> None:
    body = "for i in range(9):\n    loss().backward()\n    if i == 9:\n        optimizer.step()\n"
    (one,) = unstepped(body, tmp_path / "train.py")
    assert (one.kind, one.num_backwards, one.reads_gradients) == ("SGD", 9, False)
    assert one.site is not None and one.site.line == 10
    assert one.step_call is not None and one.step_call.line == 12


def test_an_optimizer_of_a_function_is_known_after_it_is_gone(tmp_path: Path) -> None:
    body = """
def train():
    net = torch.nn.Linear(3, 1)
    mine = torch.optim.Adam(net.parameters())
    for _ in range(5):
        mine.zero_grad()
        net(torch.randn(4, 3)).mean().backward()
train()
"""
    (one,) = unstepped(body, tmp_path / "train.py")
    assert (one.kind, one.num_backwards, one.step_call) == ("Adam", 5, None)


@pytest.mark.parametrize(
    "line",
    ["optimizer.step()", "second.step()", "model.weight.data -= 0.1", "list(model.parameters())[0].data.mul_(0.9)"],
)
def test_silent_once_anything_moves_the_parameters(line: str, tmp_path: Path) -> None:
    assert not unstepped(f"for _ in range(3):\n    loss().backward()\n{line}\n", tmp_path / "train.py")


def test_silent_if_backward_is_for_an_input(tmp_path: Path) -> None:
    body = "for _ in range(3):\n    loss(torch.randn(4, 3, requires_grad=True)).backward()\n"
    assert not unstepped(body, tmp_path / "train.py")


@pytest.mark.parametrize(
    ("line", "reads"),
    [
        ("print(model.weight.grad.norm())", True),
        ("getattr(model.weight, 'grad')", True),
        ("model.weight.register_hook(print)", True),
        ("model.weight.grad = None", False),
        ("if model.weight.grad is not None: model.weight.grad.data.zero_()", False),
        ("torch.autograd.grad(loss(), model.weight)", False),
    ],
)
def test_whether_the_source_reads_gradients(line: str, reads: bool, tmp_path: Path) -> None:
    (one,) = unstepped(f"loss().backward()\n{line}\n", tmp_path / "train.py")
    assert one.reads_gradients is reads
