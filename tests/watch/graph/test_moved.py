"""Which views are taken for swapped dimensions, and where they are called."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from surefoot.facts import MovedFacts, StepFacts
from surefoot.watch.graph.moved import moved_dimensions
from surefoot.watch.seq.backprop import nodes_behind
from tests.watch.record import records_of


def sizes(make: Callable[[Tensor], Tensor], *shape: int) -> set[int]:
    leaf = torch.randn(shape, requires_grad=True)
    made = make(leaf * 2 + leaf)
    return {moved.size for moved in moved_dimensions(nodes_behind(made.grad_fn) or ())}


def attend(x: Tensor, heads: int) -> Tensor:
    """(batch, heads, positions, width)"""
    batch, length, width = x.shape
    split = x.view(batch, length, heads, width // heads).transpose(1, 2)
    return (split @ split.transpose(2, 3)).softmax(-1) @ split


@pytest.mark.parametrize(
    ("make", "shape", "size"),
    [
        (lambda x: x.view(4, 10, 6), (4, 6, 10), 6),
        (lambda x: x.reshape(4, 10, 6), (4, 6, 10), 6),
        (lambda x: x.view(4, -1, 35), (4, 5, 35, 3), 35),  # (batch, channels, time, width): one row a moment
        (lambda x: x.view(-1, 5), (4, 5, 6, 7), 5),  # classes of pixels
        (lambda x: x.view(15, 40), (2, 15, 20), 15),  # the last states of two layers, one row a sample
        (lambda x: attend(x, 4).reshape(3, 8, 32), (3, 8, 32), 8),
        (lambda x: (s := x.view(3, 4, 8, 8)) @ (s @ s.mT).softmax(-1), (3, 8, 32), 8),
    ],
)
def test_moved(make: Callable[[Tensor], Tensor], shape: tuple[int, ...], size: int) -> None:
    assert size in sizes(make, *shape)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda x: x.transpose(1, 2).reshape(4, 10, 6), (4, 6, 10)),
        (lambda x: x.view(4, 16, 32), (4, 32, 16)),  # rows put together
        (lambda x: x.view(4, 10, 6).relu().view(4, 6, 10), (4, 6, 10)),
        (lambda x: x.view(4, 7, 6)[:, 1:], (4, 6, 7)),
        (lambda x: torch.nn.functional.pad(x, (1, 0)).view(4, 8, 6)[:, 1:].view(4, 6, 7), (4, 6, 7)),
        (lambda x: x.view(4, 6, 10).relu().view(4, 10, 6), (4, 60)),  # flat before
        (lambda x: x.view(24, 10), (4, 6, 10)),
        (lambda x: x.view(4, 60), (4, 6, 10)),
        (lambda x: attend(x, 4).transpose(1, 2).reshape(3, 8, 32), (3, 8, 32)),
        (lambda x: attend(x, 4).reshape(12, 8, 8), (3, 8, 32)),
    ],
)
def test_kept(make: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> None:
    assert sizes(make, *shape) == set()


def told(loop: str, tmp_path: Path) -> list[MovedFacts]:
    program = f"""import torch
layer = torch.nn.Linear(3, 10)
conv = torch.nn.Conv1d(10, 2, 3)
optimizer = torch.optim.SGD([*layer.parameters(), *conv.parameters()], lr=0.01)
for n in range(7):
    h = layer(torch.randn(4, 6, 3))
{loop}
    conv(h).sum().backward()
    optimizer.step()
"""
    records = records_of(program, tmp_path / "program.py")
    return [one for r in records if isinstance(r, StepFacts) for one in r.moved]


def test_the_line_of_the_call_is_found_and_told_once(tmp_path: Path) -> None:
    (found,) = told("    h = h.view(4, 10, 6)", tmp_path)
    assert found.site is not None and found.site.line == 7
    assert (found.before, found.after) == ((4, 6, 10), (4, 10, 6))


def test_without_a_call_the_line_of_the_backward_is_told(tmp_path: Path) -> None:
    once = "    h = h.view(4, 10, 6) if n == 0 else h.transpose(1, 2)"
    (found,) = told(once, tmp_path)
    assert found.site is not None and found.site.line == 8
