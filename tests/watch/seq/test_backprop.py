"""The vector-Jacobian product agrees with torch's and leaves no trace."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from surefoot.watch.seq.backprop import gradients_at


def product(output: Tensor, inner: Tensor) -> Tensor | None:
    torch.manual_seed(1)
    seed = torch.randn_like(output)
    (wanted,) = torch.autograd.grad(output, inner, seed, retain_graph=True)
    found = gradients_at(output.grad_fn, output.output_nr, seed, [inner.grad_fn])
    if found is None:
        return None
    torch.testing.assert_close(found[inner.grad_fn], wanted)
    return wanted


@pytest.mark.parametrize(
    "model",
    [
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True),
        nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.2)),
        nn.MultiheadAttention(8, 2, batch_first=True),
        nn.LSTM(8, 8, bidirectional=True),
        nn.GRU(8, 8, num_layers=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_it_agrees_with_torch(model: nn.Module) -> None:
    torch.manual_seed(0)
    ids = torch.randint(0, 9, (3, 5))
    x = nn.Embedding(9, 8)(ids)
    given = (x, x, x) if isinstance(model, nn.MultiheadAttention) else (x,)
    output = model(*given)
    output = output[0] if isinstance(output, tuple) else output
    assert product((output * output.detach().mean(-1, keepdim=True)).float() + 1, x) is not None
    output.sum().backward()


def test_hooks_and_retained_gradients_are_left_alone() -> None:
    x = nn.Embedding(9, 8)(torch.randint(0, 9, (3, 5)))
    hidden = x.tanh()
    calls: list[Any] = []
    hidden.register_hook(calls.append)
    hidden.retain_grad()
    output = nn.Linear(8, 2)(hidden)
    state = torch.get_rng_state()
    assert gradients_at(output.grad_fn, 0, torch.ones_like(output), [x.grad_fn])
    assert calls == [] and hidden.grad is None
    assert torch.equal(state, torch.get_rng_state())


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        raise AssertionError("code of the program")


def test_code_of_the_program_is_not_run() -> None:
    x = nn.Embedding(9, 8)(torch.randint(0, 9, (3, 5)))
    own = Doubled.apply(x).sum()
    assert gradients_at(own.grad_fn, 0, torch.ones(()), [x.grad_fn]) is None
    layer = nn.Linear(8, 8)
    again = checkpoint(lambda y: layer(y).tanh(), x, use_reentrant=False).sum()
    assert gradients_at(again.grad_fn, 0, torch.ones(()), [x.grad_fn]) is None


def test_values_changed_in_place() -> None:
    x = nn.Embedding(9, 8)(torch.randint(0, 9, (3, 5)))
    y = x * 2
    y[:, 0] = 0
    assert product(y.tanh(), x) is not None


def test_a_graph_that_is_gone() -> None:
    x = nn.Embedding(9, 8)(torch.randint(0, 9, (3, 5)))
    output = (x * x).sum()
    output.backward()
    assert gradients_at(output.grad_fn, 0, torch.ones(()), [x.grad_fn]) is None
