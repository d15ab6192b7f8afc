"""What a descent leaves behind."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Path:
    """Where the weights were, the first entry before any update; and of each update its gradient and its rate."""

    w0: list[float] = field(default_factory=list)
    w1: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)  # of the surface, not of a batch
    grad_norm: list[float] = field(default_factory=list)  # as accumulated, before clipping
    rate: list[float] = field(default_factory=list)
    diverged_at: int | None = None  # the update after which the weights were lost; not among the entries

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
