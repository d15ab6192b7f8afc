"""What the gradient noise scale says about the batch size, where it was measured and is known well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.process import StoredProcess

SIGNAL, TRACE, ITEMS = "noise_signal", "noise_trace", "update_items"
END = 2 / 3  # of the run: the scale grows as training goes on, what was measured before says little about the end
LEAST_WINDOWS = 32  # since then
GROUPS = 8  # of windows that follow each other, left out in turn: neighbours are alike
SURE = 2.0  # standard errors on each side
MOST_ERROR = 0.35  # of its logarithm: within a factor of two, to each side
LEAST_SAVED = 0.01  # of the updates: a share that is told

Array = NDArray[np.float64]


@frozen
class Noise:
    """In samples, with the standard error of its logarithm; and the samples of an update."""

    scale: float
    error: float
    batch: float

    @property
    def low(self) -> float:
        return self.scale * math.exp(-SURE * self.error)

    @property
    def high(self) -> float:
        return self.scale * math.exp(SURE * self.error)


def stored_noise(process: StoredProcess, last_step: int) -> Noise | None:
    """Of the process's only optimizer, at the end of its run; None where it was not measured or is not known well."""
    names = (SIGNAL, TRACE, ITEMS)
    found = process.columns(lambda series: series.kind == "scalar" and series.name in names)
    columns = {series.name: column for series, column in found.items()}
    if set(columns) != set(names):
        return None
    steps = [columns[name].steps for name in names]
    if not all(np.array_equal(steps[0], other) for other in steps[1:]):
        return None
    late = steps[0] > END * last_step
    batch = columns[ITEMS].values[late]
    if not late.any() or (batch != batch[-1]).any():
        return None
    return measure(columns[SIGNAL].values[late], columns[TRACE].values[late], float(batch[-1]))


def measure(signal: Array, trace: Array, batch: float) -> Noise | None:
    """From unbiased estimates of |G|^2 and tr(Sigma), one of each window; the jackknife tells how sure it is."""
    finite = np.isfinite(signal) & np.isfinite(trace)
    signal, trace = signal[finite], trace[finite]
    if len(signal) < LEAST_WINDOWS:
        return None
    groups = np.array_split(np.arange(len(signal)), GROUPS)
    without = [np.delete(np.arange(len(signal)), group) for group in groups]
    signals = np.array([signal[rest].mean() for rest in without])
    traces = np.array([trace[rest].mean() for rest in without])
    mean = float(signal.mean())
    if mean <= SURE * _error(signals) or (signals <= 0).any() or (traces <= 0).any():
        return None  # the gradient can't be told from its noise, or the noise from nothing
    error = _error(np.log(traces / signals))
    return Noise(float(trace.mean()) / mean, error, batch) if error <= MOST_ERROR else None


def _error(values: Array) -> float:
    num = len(values)
    return math.sqrt((num - 1) / num * float(((values - values.mean()) ** 2).sum()))


def describe_noise(noise: Noise) -> str:
    """Updates to a given loss go as 1 + scale / batch, as in the paper that signals/noise.py names."""
    saved = noise.scale / (2 * (noise.batch + noise.scale))
    share = f"{saved:.0%}".replace("%", " %") if saved >= LEAST_SAVED else "less than 1 %"
    if noise.batch < noise.low:
        verdict = "larger batches would still pay"
    elif noise.batch > noise.high:
        verdict = "beyond it larger batches hardly pay"
    else:
        verdict = "the batch is about as large"
    return (
        f"batch of {_count(noise.batch)}; gradient noise scale about {_rough(noise.scale)} "
        f"({_rough(noise.low)} … {_rough(noise.high)}): {verdict}, twice the batch saves {share} of the updates"
    )


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _rough(value: float) -> str:
    """Two digits: more are not known."""
    rounded = float(f"{value:.2g}")
    return _count(rounded) if rounded >= 10 else f"{rounded:.2g}"
