"""Cut each training, judge what it had shown until then, and compare that with what it did when it went on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.verdict.catalogue import TRAININGS, TUNING, Training
from benchmarks.verdict.curves import Losses, key, read
from benchmarks.verdict.schedule import STRETCHED, rates
from benchmarks.verdict.train import SHARES
from surefoot.report.convergence.calibration import RIGHT, was_right
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.verdict import Verdict, judge_curve, level, scale


@dataclass(frozen=True)
class Case:
    """A training that was cut after `num_steps`, and continued to twice as many."""

    name: str
    tunes: bool  # whether the verdict was tuned on it
    num_steps: int
    verdict: Verdict
    further: float  # by which share of its level at the cut the loss fell in as many steps again; below 0, it rose


def cases() -> list[Case]:
    curves = read()
    return [_case(curves, training, training.num_steps // share) for training in TRAININGS for share in SHARES[:-1]]


def tally(several: Iterable[Case]) -> dict[str, tuple[int, int]]:
    """How often each verdict that looks ahead was right, and how often it was given."""
    looking_ahead = [case for case in several if case.verdict.kind in RIGHT]
    given = Counter(case.verdict.kind for case in looking_ahead)
    right = Counter(case.verdict.kind for case in looking_ahead if was_right(case.verdict.kind, case.further))
    return {kind: (right[kind], given[kind]) for kind in RIGHT}


def median_further(several: Iterable[Case]) -> float:
    return float(np.median([case.further for case in several]))


def _case(curves: dict[str, Losses], training: Training, num: int) -> Case:
    shorter, longer = (_losses(curves, training, n) for n in (num, 2 * num))
    steps = range(1, num + 1)
    lr = Curve.of("lr", steps, rates(training.schedule, training.rate, num))
    verdict = judge_curve(Curve.of("loss", steps, shorter), lr)
    assert verdict is not None
    further = (level(shorter) - level(longer)) / (scale(shorter) or 1.0)  # a loss of 0 falls no further
    return Case(training.name, training in TUNING, num, verdict, further)


def _losses(curves: dict[str, Losses], training: Training, num: int) -> Losses:
    """The first steps of the longest run, or a run of its own where the schedule depends on the length."""
    whole = num if training.schedule in STRETCHED else training.num_steps
    return np.asarray(curves[key(training.name, whole)][:num], dtype=np.float64)
