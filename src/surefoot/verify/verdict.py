"""Do two runs agree, and if not: where do they differ first?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from surefoot.facts.json_text import json_value
from surefoot.verify.distance import Distance, distances
from surefoot.verify.likely import Shape, explain
from surefoot.verify.recording import Recording
from surefoot.verify.tolerance import Tolerances


@dataclass(frozen=True)
class Compared:
    """One quantity beside its tolerance. `share` is the difference as a part of the tolerance: above 1 it is beyond."""

    distance: Distance
    tolerance: float

    @property
    def share(self) -> float:
        if self.distance.reason:
            return float("inf")
        return self.distance.difference / self.tolerance if self.distance.difference else 0.0

    @property
    def is_beyond(self) -> bool:
        return bool(self.distance.reason) or self.distance.difference > self.tolerance


@dataclass
class Verdict:
    agrees: bool
    steps: int
    num_ranks: tuple[int, int]
    compared: list[Compared]
    first: Compared | None = None
    likely: str = ""
    left_out: list[str] = field(default_factory=list)  # what could not be compared, and why
    unit: float = 0.0
    nondeterminism: Distance | None = None  # of two equal runs of the reference

    @property
    def status(self) -> int:
        return int(not self.agrees)


def judge(reference: list[Recording], other: list[Recording], tolerances: Tolerances) -> Verdict:
    found, left_out = distances(reference, other)
    compared = [Compared(one, tolerances.of(key, one)) for key, one in found.items()]
    first = next((one for one in compared if one.is_beyond), None)
    notes = [note for run in (*reference, *other) for note in run.notes]
    verdict = Verdict(
        first is None, len(reference[0].steps), (len(reference), len(other)), compared, first,
        left_out=list(dict.fromkeys([*left_out, *notes])), unit=tolerances.unit,
        nondeterminism=tolerances.nondeterminism,
    )  # fmt: skip
    if first is not None:
        verdict.likely = _likely(first, compared, _shape(reference, other))
    return verdict


def _likely(first: Compared, compared: list[Compared], shape: Shape) -> str:
    place = first.distance.step, first.distance.stage
    same = [one for one in compared if (one.distance.step, one.distance.stage) == place]
    beyond = [one.distance for one in same if one.is_beyond and not one.distance.reason]
    return explain(first.distance, beyond, len(same) - len(beyond), shape)


def _shape(reference: Sequence[Recording], other: Sequence[Recording]) -> Shape:
    calls = [max(1, len(run[0].steps[0].calls)) for run in (reference, other)]
    return Shape(len(other), max(1, calls[1] // calls[0]), "DTensor" in other[0].wrappers)


def plain(verdict: Verdict) -> dict[str, Any]:
    """For JSON."""
    return {
        "verdict": "agree" if verdict.agrees else "differ",
        "steps": verdict.steps,
        "ranks": list(verdict.num_ranks),
        "unit_roundoff": verdict.unit,
        "first_difference": None if verdict.first is None else {**_plain(verdict.first), "likely": verdict.likely},
        "compared": [_plain(one) for one in verdict.compared],
        "not_compared": verdict.left_out,
        "reference_is_deterministic": verdict.nondeterminism is None,
    }


def _plain(one: Compared) -> dict[str, Any]:
    found = one.distance
    return {
        "step": found.step, "quantity": found.stage, "name": found.name, "module": found.kind,
        "difference": _finite(found.difference), "tolerance": _finite(one.tolerance), "norm": _finite(found.norm),
        "norms_of_ranks": [_finite(float(value.norm())) for value in found.by_rank], "reason": found.reason,
        "beyond": one.is_beyond,
    }  # fmt: skip


def _finite(value: float) -> float | str:
    rounded: float | str = json_value(float(f"{value:.6g}"))
    return rounded
