"""Which weights are found to meet the losses of other samples."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from surefoot.watch.lossgraph.node import children, name_of
from surefoot.watch.lossgraph.weighed import crossed_weights


def crossed(weigh: Callable[[Tensor], Tensor], *shape: int) -> tuple[tuple[int, ...], ...]:
    out = torch.randn(shape, requires_grad=True) * 2
    losses = torch.nn.functional.smooth_l1_loss(out, torch.rand(shape), reduction="none")
    root = weigh(losses).mean().grad_fn
    node = root
    while name_of(node) != "SmoothL1Loss":
        (node,) = [child for child in children(node) if child is not None]
    return crossed_weights(root, node)


@pytest.mark.parametrize(
    ("weigh", "shape", "weights"),
    [
        (lambda losses: losses * torch.rand(8), (8, 1), (8,)),
        (lambda losses: torch.rand(8) * losses, (8, 1), (8,)),
        (lambda losses: 0.5 * losses * torch.rand(8, 1), (8,), (8, 1)),
        (lambda losses: losses / torch.rand(8), (8, 1), (8,)),
    ],
)
def test_crossed(weigh: Callable[[Tensor], Tensor], shape: tuple[int, ...], weights: tuple[int, ...]) -> None:
    assert crossed(weigh, *shape) == (shape, weights, (8, 8))


@pytest.mark.parametrize(
    ("weigh", "shape"),
    [
        (lambda losses: losses * torch.rand(8), (8,)),
        (lambda losses: losses * torch.rand(8, 1), (8, 1)),
        (lambda losses: losses * torch.rand(2), (8, 2)),
        (lambda losses: losses * torch.rand(8, 8), (8, 1)),
        (lambda losses: losses * torch.rand(3), (8, 1)),
        (lambda losses: losses * 0.5, (8, 1)),
    ],
)
def test_one_for_each(weigh: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> None:
    assert crossed(weigh, *shape) == ()
