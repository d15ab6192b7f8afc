"""`clip_spikes=4`: a limit on the gradient's norm that follows the run."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import torch
from torch import Tensor

MEMORY = 100  # updates: long enough that a burst of spikes does not move the median, short enough to follow a run
LEAST = 10  # norms that a median is taken of


class SpikeLimit:
    """So many times the median of the last norms. A median, because the spikes themselves must not raise the limit."""

    def __init__(self, factor: Any) -> None:
        if isinstance(factor, bool) or not isinstance(factor, int | float) or not factor > 1:
            raise ValueError(f"clip_spikes must be a number above 1, how many times the usual norm, got {factor!r}.")
        self._factor = float(factor)
        self._norms: deque[float] = deque(maxlen=MEMORY)
        self.num_clipped = 0

    def clip(self, params: Sequence[Tensor], norm: Tensor) -> Tensor:
        """Returns the norm that is left."""
        seen = sorted(self._norms)
        self._norms.append(float(norm))
        limit = self._factor * median(seen) if len(seen) >= LEAST else 0.0
        if not limit or float(norm) <= limit:
            return norm
        self.num_clipped += 1
        torch.nn.utils.clip_grads_with_norm_(params, limit, norm)
        return torch.full_like(norm, limit)

    def state_dict(self) -> dict[str, Any]:
        return {"norms": list(self._norms), "num_clipped": self.num_clipped}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._norms.clear()
        self._norms.extend(state["norms"])
        self.num_clipped = state["num_clipped"]
