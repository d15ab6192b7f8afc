"""What belongs to one training thread."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.provenance import Clear


@dataclass(slots=True, eq=False)
class Lane:
    clears: list[Clear] = field(default_factory=list)  # since the last look
    step_stack: list[int] = field(default_factory=list)  # ids of the optimizers whose step is running
    backward_stack: list[Backward] = field(default_factory=list)


class Lanes:
    """One lane per thread; autograd's own threads work in the lane whose backward is running."""

    def __init__(self) -> None:
        self._by_thread: dict[int, Lane] = {}

    def __len__(self) -> int:
        return len(self._by_thread)

    def here(self) -> Lane:
        thread = threading.get_ident()
        lane = self._by_thread.get(thread)
        if lane is None:
            lane = self._first_time(thread)
        return lane

    def _first_time(self, thread: int) -> Lane:
        if thread not in {t.ident for t in threading.enumerate()}:  # not started by Python: autograd's
            for lane in self._by_thread.values():
                if lane.backward_stack:
                    return lane
        return self._by_thread.setdefault(thread, Lane())
