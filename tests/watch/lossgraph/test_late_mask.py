"""Masks that come after a loss was reduced to one number."""

import pytest
import torch
from torch.nn import functional

from surefoot.watch.lossgraph.late_mask import late_mask
from surefoot.watch.lossgraph.root import terms_of

MASK = torch.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
KEPT = (3, 6)


def read(loss: torch.Tensor) -> tuple[int, int] | None:
    (term,) = terms_of([loss], None, (), {}, may_wait=True).terms
    return late_mask(term.node)


@pytest.fixture
def scores() -> torch.Tensor:
    return torch.randn(2, 3, 4, requires_grad=True)


def test_an_averaged_loss(scores: torch.Tensor) -> None:
    y = torch.zeros(2, 3, dtype=torch.long)
    each = scores[..., 0]
    assert read((functional.binary_cross_entropy_with_logits(each, MASK) * MASK).sum() / MASK.sum()) == KEPT
    assert read((MASK * functional.mse_loss(each, MASK)).mean()) == KEPT
    assert read((functional.cross_entropy(scores.flatten(0, 1), y.flatten()) * MASK.flatten()).sum() / 3) == KEPT
    assert read((each.square() * MASK + scores.square().sum() * MASK).sum()) == KEPT
    assert read((-0.5 * scores.mean() * MASK.bool()).sum()) == KEPT


def test_what_is_masked_in_time_or_meant_as_one_number(scores: torch.Tensor) -> None:
    each = scores[..., 0]
    loss = functional.binary_cross_entropy_with_logits(each, MASK, reduction="none")
    assert read((loss * MASK).sum() / MASK.sum()) is None
    assert read((scores.square().sum(-1) * MASK).sum()) is None
    assert read((each.sum() * MASK).sum()) is None  # a likelihood of an episode times its rewards
    assert read((each.mean() * torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0])).sum()) is None  # gates of five experts
    assert read((each.mean() * torch.ones_like(MASK)).sum()) is None
    assert read((each.mean() * (MASK + 0.5)).sum()) is None
    assert read(each.mean() * torch.tensor(0.0)) is None
