"""What belongs to one training thread."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward


@dataclass(slots=True, eq=False)
class ThreadState:
    step_stack: list[int] = field(default_factory=list)  # ids of the optimizers whose step is running
    backward_stack: list[Backward] = field(default_factory=list)
    tokens: list[Hashable] = field(default_factory=list)  # of the events since the last step of any optimizer


class ThreadStates:
    """One thread state per thread; autograd's own threads work in the thread state whose backward is running."""

    def __init__(self) -> None:
        self.local = threading.local()  # its `thread_state`, once `here` was called
        self._by_thread: dict[int, ThreadState] = {}
        self.are_several = False  # several threads train

    def __len__(self) -> int:
        return len(self._by_thread)

    def here(self) -> ThreadState:
        thread_state: ThreadState | None = getattr(self.local, "thread_state", None)
        return self._first_time(threading.get_ident()) if thread_state is None else thread_state

    def _first_time(self, thread: int) -> ThreadState:
        if thread not in {t.ident for t in threading.enumerate()}:  # not started by Python: autograd's
            for thread_state in self._by_thread.values():
                if thread_state.backward_stack:
                    return thread_state
        thread_state = self.local.thread_state = self._by_thread.setdefault(thread, ThreadState())
        self.are_several = len(self._by_thread) > 1
        return thread_state
