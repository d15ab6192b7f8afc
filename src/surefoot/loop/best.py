"""`keep_best=("val/loss", "min")`: the checkpoint with the best value stays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from surefoot.loop.stop.parameter import check_mode, check_name

if TYPE_CHECKING:
    from surefoot.loop.parallel.alone import Alone


@dataclass(frozen=True)
class Best:
    """The best value so far."""

    name: str
    value: float
    update: int  # after which it was measured


class BestKeeper:
    """Hears every value that is measured, and tells when one is the best."""

    def __init__(self, given: Any, ranks: Alone) -> None:
        self.best: Best | None = None
        self.is_due = False  # to be saved
        self.name = ""
        if given is None:
            return
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise TypeError(f'keep_best takes a name and a mode, such as ("val/loss", "min"), got {given!r}.')
        self.name = check_name(given[0])
        self._sign = check_mode(given[1])
        self._ranks = ranks

    def see(self, values: Mapping[str, float], update: int) -> bool:
        if self.name not in values:
            return False
        # Ranks must not disagree on what to save: rank 0's value counts.
        value = float(self._ranks.from_first(repr(float(values[self.name]))))
        is_best = not math.isnan(value) and (
            self.best is None or self._sign * value < self._sign * self.best.value or self.best.name != self.name
        )
        if is_best:
            self.best, self.is_due = Best(self.name, value, update), True
        return is_best

    def state(self) -> dict[str, Any] | None:
        return None if self.best is None else asdict(self.best)

    def restore(self, state: Mapping[str, Any] | None) -> None:
        self.best = None if state is None else Best(**state)
