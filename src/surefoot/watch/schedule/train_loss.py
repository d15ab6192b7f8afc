"""The mean training loss since a schedule's last advance, kept only where a rule compares it with a metric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.schedule.scheduler_progress import SchedulerProgress

MAX_WAITING = 32  # losses on a device that are read together at the next advance


class TrainLoss:
    def __init__(self) -> None:
        self.wanted = False
        self._total = 0.0
        self._count = 0
        self._waiting: list[Tensor] = []
        self._seen: dict[int, tuple[float, int]] = {}  # total and count at a schedule's last advance

    def note(self, backward: Backward) -> None:
        root = backward.roots[0]
        if len(backward.roots) != 1 or type(root) is not Tensor or root.numel() != 1:
            return
        if root.device.type != "cpu":
            if len(self._waiting) < MAX_WAITING:
                self._waiting.append(root.detach())
            return
        value = float(root.detach())
        if math.isfinite(value):
            self._total += value
            self._count += 1

    def since_last(self, progress: SchedulerProgress) -> float:
        for value in [float(loss) for loss in self._waiting]:
            if math.isfinite(value):
                self._total += value
                self._count += 1
        self._waiting.clear()
        total, count = self._seen.get(progress.made.id, (0.0, 0))
        self._seen[progress.made.id] = (self._total, self._count)
        return (self._total - total) / (self._count - count) if self._count > count else math.nan
