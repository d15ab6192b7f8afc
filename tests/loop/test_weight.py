"""What a loss is a mean over, read off its graph."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from surefoot.loop.weight import UnknownWeightError, weight_of

torch.manual_seed(0)
LOGITS = torch.randn(6, 4, requires_grad=True)
CLASSES = torch.tensor([0, 1, 2, 3, 1, 1])
SOME_IGNORED = torch.tensor([0, -100, 2, -100, 1, 1])
VALUES = torch.randn(6, 4)
CLASS_WEIGHTS = torch.tensor([1.0, 2.0, 3.0, 4.0])

KNOWN: dict[str, tuple[Callable[[], Tensor], float]] = {
    "cross-entropy": (lambda: F.cross_entropy(LOGITS, CLASSES), 6),
    "cross-entropy, some ignored": (lambda: F.cross_entropy(LOGITS, SOME_IGNORED), 4),
    "cross-entropy, all ignored": (lambda: F.cross_entropy(LOGITS, torch.full((6,), -100)), 0),
    "cross-entropy, class weights": (lambda: F.cross_entropy(LOGITS, CLASSES, weight=CLASS_WEIGHTS), 14),
    "cross-entropy, label smoothing": (lambda: F.cross_entropy(LOGITS, SOME_IGNORED, label_smoothing=0.1), 4),
    "nll": (lambda: F.nll_loss(LOGITS.log_softmax(1), CLASSES), 6),
    "mse": (lambda: F.mse_loss(LOGITS, VALUES), 24),
    "smooth l1": (lambda: F.smooth_l1_loss(LOGITS, VALUES), 24),
    "bce with logits": (lambda: F.binary_cross_entropy_with_logits(LOGITS, VALUES.sigmoid()), 24),
    "hand-written": (lambda: (LOGITS - VALUES).pow(2).sum(1).mean(), 6),
    "hand-written, one item": (lambda: (LOGITS - VALUES)[:1].pow(2).sum(1).mean(), 1),
    "half of a mean": (lambda: 0.5 * F.mse_loss(LOGITS, VALUES), 24),
    "two means over the same": (lambda: F.mse_loss(LOGITS, VALUES) + 0.1 * F.l1_loss(LOGITS, VALUES), 24),
    "cast": (lambda: F.cross_entropy(LOGITS.half().float(), CLASSES).double(), 6),
}
UNKNOWN: dict[str, tuple[Callable[[], Tensor], str]] = {
    "sum by a wrong number": (lambda: F.cross_entropy(LOGITS, CLASSES, reduction="sum") / 5, "divides a sum by 5"),
    "leaf": (lambda: torch.zeros((), requires_grad=True), "has no graph"),
    "one value": (lambda: LOGITS[0, 0] * 2, "does not tell"),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_the_weight_is_the_number_of_items(name: str) -> None:
    make, weight = KNOWN[name]
    assert weight_of(make()) == weight


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_weight_that_can_not_be_known_is_refused_with_what_to_pass(name: str) -> None:
    make, says = UNKNOWN[name]
    with pytest.raises(UnknownWeightError, match=rf"{says}.*Pass the number of items.*loop\.step\(weight="):
        weight_of(make())
