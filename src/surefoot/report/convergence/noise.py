"""What the gradient noise scale says about the batch size, where it was measured and is known well."""

from __future__ import annotations

import math
from dataclasses import dataclass

from surefoot.runlog import StoredProcess

NAMES = ("noise_scale", "noise_scale_error", "update_items")
SURE = 2.0  # standard errors on each side
MOST_ERROR = 0.35  # of its logarithm: within a factor of two, to each side
LEAST = 0.01  # of the updates: a share that is told
LATE = 0.5  # of the run: it grows as training goes on, what was measured earlier says little about the end


@dataclass(frozen=True, slots=True)
class Noise:
    """As it was measured last: in samples, with the standard error of its logarithm; and the samples of an update."""

    scale: float
    error: float
    batch: float
    step: int = 0

    @property
    def low(self) -> float:
        return self.scale * math.exp(-SURE * self.error)

    @property
    def high(self) -> float:
        return self.scale * math.exp(SURE * self.error)


def stored_noise(process: StoredProcess) -> Noise | None:
    """Of the process's first optimizer; None if it was not measured, or not to the end."""
    found = process.columns(lambda series: series.kind == "scalar" and series.name in NAMES)
    last = {series.name: (int(c.steps[-1]), float(c.values[-1])) for series, c in found.items() if len(c.values)}
    if set(last) != set(NAMES) or len({step for step, _ in last.values()}) > 1:
        return None
    scale, error, batch = (last[name][1] for name in NAMES)
    return Noise(scale, error, batch, step=last["noise_scale"][0])


def tell_noise(noise: Noise, last_step: int) -> str | None:
    """One line, or None where it would say too little.

    Updates to a given loss go as 1 + scale / batch (McCandlish et al., An Empirical Model of Large-Batch Training).
    """
    known = math.isfinite(noise.scale) and noise.scale > 0 and noise.batch > 0 and noise.error <= MOST_ERROR
    if not known or noise.step < LATE * last_step:
        return None
    saved = noise.scale / (2 * (noise.batch + noise.scale))
    share = f"{saved:.0%}".replace("%", " %") if saved >= LEAST else "less than 1 %"
    told = (
        f"batch of {_count(noise.batch)}; gradient noise scale about {_rough(noise.scale)} "
        f"({_rough(noise.low)} … {_rough(noise.high)})"
    )
    if noise.batch < noise.low:
        return f"{told}: larger batches would still pay, twice the batch saves {share} of the updates"
    if noise.batch > noise.high:
        return f"{told}: beyond it larger batches hardly pay, twice the batch saves {share} of the updates"
    return f"{told}: the batch is about as large, twice the batch saves {share} of the updates"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _rough(value: float) -> str:
    """Two digits: more are not known."""
    rounded = float(f"{value:.2g}")
    return _count(rounded) if rounded >= 10 else f"{rounded:.2g}"
