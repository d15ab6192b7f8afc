"""Whether a loop runs alone, with DDP or with FSDP. Both are imported only where they are used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist

from surefoot.loop.parallel.alone import Alone
from surefoot.loop.parallel.group import TORCHRUN, Group


def join(
    parallel: str | None, device: torch.device, fsdp_units: Sequence[str] | None,
    fsdp_options: Mapping[str, Any] | None = None,
) -> Alone:  # fmt: skip
    """Without torchrun, or with one process of it, a loop is alone: the same script runs both ways."""
    if parallel is None or not dist.is_available():
        return Alone()
    if not dist.is_initialized():
        if int(os.environ.get("WORLD_SIZE", "1")) < 2 or not all(name in os.environ for name in TORCHRUN):
            return Alone()
        Group.start(device)
    if dist.get_world_size() == 1:
        return Alone()
    if parallel == "ddp":
        from surefoot.loop.parallel.ddp import Ddp

        return Ddp(device)
    from surefoot.loop.parallel.fsdp import Fsdp

    return Fsdp(device, fsdp_units, fsdp_options)
