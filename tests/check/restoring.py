"""Instruments replace functions of torch for good, in a process that ends with its experiment: here they go back."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.optim import optimizer as optimizers
from torch.optim.lr_scheduler import LRScheduler
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

from surefoot.check.modes import DROPOUTS
from surefoot.watch.lossgraph.loss_call import LOSSES

PLACES = [
    (nn.Module, "__call__"), (DataLoader, "__iter__"), (_BaseDataLoaderIter, "__next__"),
    (torch.autograd, "backward"), (LRScheduler, "__init__"),
    *((nn.functional, name) for name in (*LOSSES, *DROPOUTS)),
]  # fmt: skip


@contextmanager
def restoring() -> Iterator[None]:
    originals = [(owner, name, getattr(owner, name)) for owner, name in PLACES]
    hooks = (optimizers._global_optimizer_pre_hooks, optimizers._global_optimizer_post_hooks)
    before = [dict(one) for one in hooks]
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)
        for one, were in zip(hooks, before, strict=True):
            one.clear()
            one.update(were)
