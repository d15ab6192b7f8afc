"""What a check found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from surefoot.facts.json_text import json_text, json_value

NAMES = (
    "overfits-one-batch",
    "needs-its-input",
    "samples-are-independent",
    "the-future-is-hidden",
    "first-loss-is-what-chance-predicts",
    "equal-seeds-agree",
    "modes-matter",
    "accumulation-is-equivalent",
    "resume-is-equivalent",
)

Answer = Literal["pass", "fail", "not-tested"]


@dataclass(frozen=True)
class Verdict:
    """`why` is one sentence or two: what was seen and what it means, or why nothing could be tested."""

    name: str
    verdict: Answer
    why: str
    evidence: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


def passed(name: str, why: str, **evidence: Any) -> Verdict:
    return Verdict(name, "pass", why, evidence)


def failed(name: str, why: str, **evidence: Any) -> Verdict:
    return Verdict(name, "fail", why, evidence)


def not_tested(name: str, why: str, **evidence: Any) -> Verdict:
    return Verdict(name, "not-tested", why, evidence)


def as_json(script: str, verdicts: Sequence[Verdict]) -> str:
    return json_text({"script": script, "checks": [plain(verdict) for verdict in verdicts]}, indent=2) + "\n"


def plain(verdict: Verdict) -> dict[str, Any]:
    fields = asdict(verdict)
    return {**fields, "evidence": _rounded(json_value(fields["evidence"])), "seconds": round(verdict.seconds, 2)}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
