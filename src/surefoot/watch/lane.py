"""What belongs to one training thread."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward


@dataclass(slots=True, eq=False)
class Lane:
    step_stack: list[int] = field(default_factory=list)  # ids of the optimizers whose step is running
    backward_stack: list[Backward] = field(default_factory=list)
    tokens: list[Hashable] = field(default_factory=list)  # of the events since the last step of any optimizer


class Lanes:
    """One lane per thread; autograd's own threads work in the lane whose backward is running."""

    def __init__(self) -> None:
        self.local = threading.local()  # its `lane`, once `here` was called
        self._by_thread: dict[int, Lane] = {}
        self.are_several = False  # several threads train

    def __len__(self) -> int:
        return len(self._by_thread)

    def here(self) -> Lane:
        lane: Lane | None = getattr(self.local, "lane", None)
        return self._first_time(threading.get_ident()) if lane is None else lane

    def _first_time(self, thread: int) -> Lane:
        if thread not in {t.ident for t in threading.enumerate()}:  # not started by Python: autograd's
            for lane in self._by_thread.values():
                if lane.backward_stack:
                    return lane
        lane = self.local.lane = self._by_thread.setdefault(thread, Lane())
        self.are_several = len(self._by_thread) > 1
        return lane
