"""`sf.Loop(model, [muon, adamw])`: several optimizers that step together, on one backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.optim import Optimizer


class JointOptimizer:
    """As much of an optimizer as an update needs. Groups are read live: one may be added to a part later."""

    def __init__(self, parts: Sequence[Optimizer]) -> None:
        self.parts = list(parts)

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return [group for part in self.parts for group in part.param_groups]

    def step(self) -> None:
        for part in self.parts:
            part.step()

    def zero_grad(self, set_to_none: bool = True) -> None:
        for part in self.parts:
            part.zero_grad(set_to_none)


def join_optimizers(parts: Sequence[Optimizer]) -> Optimizer | JointOptimizer:
    return parts[0] if len(parts) == 1 else JointOptimizer(parts)
