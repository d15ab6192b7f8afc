"""`parallel="ddp"`: every rank has the whole model, and gradients are added up at the window's end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import Tensor

from surefoot.loop.given import refuse_sparse
from surefoot.loop.parallel.ranks import Ranks

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.optim import Optimizer

    from surefoot.loop.window import Window

BUCKET_BYTES = 25 * 2**20  # as torch's DistributedDataParallel does: fewer and larger messages


class Ddp(Ranks):
    def take(self, models: Mapping[str, Module], optimizers: Mapping[str, Optimizer]) -> None:
        for model in models.values():
            self.copy_from_first((*model.parameters(), *model.buffers()))

    def sum_over_ranks(self, window: Window) -> tuple[list[Tensor], float]:
        """A parameter that got no gradient on some ranks got zero there; one that got none anywhere keeps none."""
        totals, reached = self.meet(window, [float(has_gradient) for has_gradient in window.reached()])
        total = window.merge(totals)
        for p, num in zip(window.params, reached, strict=True):
            if num and p.grad is None:
                p.grad = torch.zeros_like(p)
        gradients = window.gradients
        _add_up(gradients)
        return gradients, total


def _add_up(gradients: Sequence[Tensor]) -> None:
    """In place, over all ranks; the order of additions depends on shapes only, so it is the same after a resume."""
    sent = []
    for bucket in buckets(gradients):
        flat = torch.cat([gradient.reshape(-1) for gradient in bucket])
        sent.append((bucket, flat, dist.all_reduce(flat, async_op=True)))
    for bucket, flat, work in sent:
        work.wait()
        parts = torch.split(flat, [gradient.numel() for gradient in bucket])
        torch._foreach_copy_(bucket, [part.view_as(g) for part, g in zip(parts, bucket, strict=True)])


def buckets(gradients: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    open_ones: dict[object, tuple[list[Tensor], int]] = {}
    for gradient in gradients:
        refuse_sparse([gradient])
        kind = (gradient.dtype, gradient.device)
        bucket, num_bytes = open_ones.pop(kind, ([], 0))
        bucket.append(gradient)
        num_bytes += gradient.numel() * gradient.element_size()
        if num_bytes >= BUCKET_BYTES:
            yield bucket
        else:
            open_ones[kind] = (bucket, num_bytes)
    for bucket, _ in open_ones.values():
        yield bucket
