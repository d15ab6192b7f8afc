"""Starting a process group so that a connection which gets lost does not hold up the run for half an hour.

On a busy machine it happens that the ranks of gloo wait for each other's connections and none comes: seen above all
after restarts by `torchrun --max-restarts`. So each attempt has a time limit, and the ranks try again together.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import Any

import torch.distributed as dist
from torch.distributed import distributed_c10d
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

CONNECTING = timedelta(seconds=20)  # once all ranks are there
NUM_ATTEMPTS = 4
_starts = (
    count()
)  # of groups by this process, and so by each rank: one that has ended leaves its addresses in the store


def start(backend: str) -> None:
    """By what torchrun tells in the environment."""
    if backend != "gloo":
        dist.init_process_group(backend)
        return
    store, rank, size = next(iter(rendezvous("env://")))
    number = next(_starts)
    for attempt in range(NUM_ATTEMPTS):
        place = PrefixStore(f"surefoot/start/{number}/{attempt}", store)
        _meet(place, "here", size)  # however late they come
        error = _attempt(place, rank, size)
        if _meet(place, "tried", size, has_failed=error is not None) == 0:
            distributed_c10d._set_pg_timeout(distributed_c10d.default_pg_timeout)
            return
        _clear()
    raise RuntimeError(
        f"the {size} ranks did not connect to each other in {NUM_ATTEMPTS} attempts of {CONNECTING.seconds} seconds. "
        f"The last one on rank {rank}: {error or 'connected, but another rank did not'}"
    )


def _attempt(place: Any, rank: int, size: int) -> RuntimeError | None:
    try:
        dist.init_process_group("gloo", store=place, rank=rank, world_size=size, timeout=CONNECTING)
    except RuntimeError as error:
        return error
    return None


def _meet(place: Any, what: str, size: int, *, has_failed: bool = False) -> int:
    """Wait for all ranks; how many of them have failed."""
    place.add(f"failed when {what}", int(has_failed))
    if place.add(what, 1) == size:
        place.set(f"all {what}", "")
    place.wait([f"all {what}"])
    return int(place.add(f"failed when {what}", 0))


def _clear() -> None:
    """Torch numbers groups, and a failed attempt counts on the ranks on which it failed only."""
    if dist.is_initialized():
        dist.destroy_process_group()
    distributed_c10d._world.group_count = 0
