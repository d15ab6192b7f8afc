"""When a rank fails: the others, which wait for it in a collective, end too, and say which rank it was and why.

Nothing is sent while all goes well. A rank with an exception leaves its reason in the group's store. If all ranks do,
they have failed alike, as in a refusal that all of them make, and the group stays. Otherwise those without an
exception wait for one that will not come: the group is destroyed here, which breaks their connections, and they read
the reason.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_store

from surefoot.loop.parallel.group import Group

if TYPE_CHECKING:
    from surefoot.loop.parallel.ranks import Ranks

POLL_SECONDS = 0.02
SECONDS = 5.0  # between ranks that fail alike
MOST_CHARACTERS = 1000  # of a reason
_BROKEN = ("gloo", "connection closed", "connection reset", "broken pipe")


class RankFailedError(RuntimeError):
    """Another rank has failed, and this one can't go on without it."""


class Failures:
    """Of one loop on all its ranks."""

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._store: Any = _get_default_store()
        self._num = 0
        self._has_ended = False

    def tell(self, error: BaseException) -> None:
        """Raises instead of an exception that only says that another rank is gone."""
        if self._has_ended or not isinstance(error, Exception):
            return
        is_broken = _is_by_another(error)
        prefix = f"surefoot/{self._ranks.run}/{self._num}"
        self._num += 1
        reason = self._agree(prefix, None if is_broken else _in_words(self._ranks.rank, error))
        if not is_broken and self._have_all_failed(prefix):
            return
        self._has_ended = True
        Group.destroy()
        if is_broken:
            raise RankFailedError(reason or _UNKNOWN.format(self._ranks.place)) from error
        if self._ranks.rank == 0:
            self._have_all_failed(prefix)  # the store may end with this process, and they have to read it

    def _agree(self, prefix: str, own: str | None) -> str:
        """The reason of the rank that failed first."""
        with suppress(RuntimeError):  # the process that has the store is gone
            if own is not None and self._store.add(f"{prefix}/num_reasons", 1) == 1:
                self._store.set(f"{prefix}/reason", own)
            if self._store.add(f"{prefix}/num", 1) == self._ranks.size:
                self._store.set(f"{prefix}/all", "")
            if self._store.check([f"{prefix}/reason"]):
                return str(self._store.get(f"{prefix}/reason").decode())
        return ""

    def _have_all_failed(self, prefix: str) -> bool:
        end = monotonic() + SECONDS
        with suppress(RuntimeError):
            while monotonic() < end:  # to wait for a key would end in a warning of torch
                if self._store.check([f"{prefix}/all"]):
                    return True
                sleep(POLL_SECONDS)
        return False


_UNKNOWN = (
    "a connection to another rank broke: its process has ended, or its machine is gone. This rank was at {}, to which "
    "all ranks have to come. Look at what the other one printed; a loop with checkpoint= goes on by resume()."
)


def _in_words(rank: int, error: Exception) -> str:
    said = f"{type(error).__name__}: {error}"[:MOST_CHARACTERS]
    return f"rank {rank} has failed, and this one can't go on without it. It said: {said}"


def _is_by_another(error: Exception) -> bool:
    if isinstance(error, dist.DistError):
        return True
    return type(error) is RuntimeError and any(word in str(error).lower() for word in _BROKEN)
