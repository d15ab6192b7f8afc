"""How far a quantity may be off: a margin above what rounding moves it by in the reference itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from surefoot.verify.child.perturb import ROUNDINGS
from surefoot.verify.distance import Distance, Key, distances
from surefoot.verify.recording import Recording

MARGIN = 2.0  # above the farthest of so few perturbed runs
SEEDS = (1, 2, 3)  # of perturbed runs
EXACT = torch.finfo(torch.float32).eps / 2  # sums over ranks are no more exact, whatever the values are


def unit_of(dtypes: Sequence[str]) -> float:
    """The largest relative error of rounding once, in the least precise of these types."""
    known = [getattr(torch, name.removeprefix("torch.")) for name in dtypes]
    return max([EXACT, *(torch.finfo(one).eps / 2 for one in known if one.is_floating_point)])


@dataclass
class Tolerances:
    """`unit` is that of the runs, `param_unit` that of their parameters.

    `moved` is what perturbing and repeating the reference moved.
    """

    unit: float
    param_unit: float
    moved: dict[Key, float]
    repeated: dict[Key, Distance]  # of two equal runs

    @staticmethod
    def measured(runs: Sequence[list[Recording]], unit: float, param_unit: float) -> Tolerances:
        """`runs`: the reference, the same once more, and perturbed ones."""
        reference, again, *perturbed = runs
        repeated, _ = distances(reference, again)
        moved = {key: one.difference for key, one in repeated.items()}
        for run in perturbed:
            for key, one in distances(reference, run)[0].items():
                moved[key] = max(moved.get(key, 0.0), one.difference)
        return Tolerances(unit, param_unit, moved, repeated)

    def of(self, key: Key, one: Distance) -> float:
        unit = {"rate": EXACT, **dict.fromkeys(("weights before", "weights", "update"), self.param_unit)}
        rounding = ROUNDINGS * unit.get(one.stage, self.unit) * max(one.norm, one.scale)
        return MARGIN * max(self.moved.get(key, 0.0), rounding)

    @property
    def nondeterminism(self) -> Distance | None:
        """The first quantity in which two equal runs of the reference differ."""
        return next((one for one in self.repeated.values() if one.difference or one.reason), None)
