"""What a training needs: a model, and the loss of its next batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Task:
    model: nn.Module
    next_loss: Callable[[], Tensor]


def batches(loss: Callable[..., Tensor], batch: int, *data: Tensor) -> Callable[[], Tensor]:
    """Random batches of the data, epoch by epoch; a batch as large as the data is always all of it."""
    num = len(data[0])
    order: list[Tensor] = []

    def next_loss() -> Tensor:
        if batch >= num:
            return loss(*data)
        if not order:
            order.extend(part for part in torch.randperm(num).split(batch) if len(part) == batch)
        chosen = order.pop()
        return loss(*(part[chosen] for part in data))

    return next_loss
