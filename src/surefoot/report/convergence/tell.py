"""The same in a few lines, with what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.judge import Finding
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.trend import rise_score
from surefoot.report.convergence.verdict import SURE, Verdict, judge_curve
from surefoot.report.place import relative
from surefoot.rules import LEVELS

LEAST_VALIDATIONS = 8  # since the lowest, to speak of a rise
WIDE = 0.05  # of the level: a band worth telling


def outlook(
    loss: Curve, held_out: Curve | None = None, *, num_skipped: int = 0, findings: Iterable[Finding] = ()
) -> list[str]:
    """Three to six lines; none for a run that is too short to say."""
    verdict = judge_curve(loss)
    if verdict is None:
        return []
    lowest, at = loss.lowest
    lines = [
        f"{loss.name} {_told(verdict.first)} at first, {_told(verdict.last)} in the last tenth of {loss.last_step} "
        f"updates; lowest {_told(lowest)} at update {at}",
        _said(verdict),
    ]
    overfits = False
    if held_out is not None and len(held_out) > 1:
        overfits = _rises_since_lowest(held_out) and verdict.kind != "rising"
        lines.append(_held_out(held_out, overfits=overfits))
    if num_skipped:
        lines.append(f"{num_skipped} update{'s' * (num_skipped != 1)} stood still: skipped, the weights did not move")
    lines += _next(verdict, held_out if overfits else None, list(findings))
    return lines


def _said(verdict: Verdict) -> str:
    change = f"{abs(verdict.share):.2g}" if abs(verdict.share) >= 10 else f"{abs(verdict.share):.1%}".replace("%", " %")
    low, high = map(_told, verdict.band)
    match verdict.kind:
        case "not finite":
            return f"it ended not finite: no finite value since update {verdict.since}"
        case "diverged":
            return "it diverged: the end lies above the beginning"
        case "rising":
            return f"it rises: by {change} since update {verdict.since}, more than chance does once in 700 runs"
        case "improving":
            return f"still improving: it fell by {change} since update {verdict.since}, and lower than ever before"
        case "swinging":
            return f"it swings: falling since update {verdict.since}, but not below where it was before"
        case "stuck":
            return f"it did not improve: nine in ten values lie between {low} and {high}, from the start to the end"
        case "unclear":
            between = f"nine in ten values lie between {low} and {high}"
            return f"too noisy to say whether it still changes: since update {verdict.since} {between}"
        case "flat":
            band = f"; nine in ten values lie between {low} and {high}" if _is_wide(verdict) else ""
            return f"flat since about update {verdict.since}: no fall that its noise would not explain{band}"


def _is_wide(verdict: Verdict) -> bool:
    low, high = verdict.band
    return high - low > WIDE * abs(verdict.last)


def _held_out(curve: Curve, *, overfits: bool) -> str:
    lowest, at = curve.lowest
    last = float(curve.values[-1])
    away = f", {(last - lowest) / abs(lowest):.1%} above it".replace("%", " %") if lowest and last > lowest else ""
    rising = ", rising since" if overfits else ""
    return f"{curve.name} lowest {_told(lowest)} at update {at}{rising}; {_told(last)} at the end{away}"


def _rises_since_lowest(curve: Curve) -> bool:
    since = curve.values[int(curve.values.argmin()) :]
    return len(since) >= LEAST_VALIDATIONS and rise_score(since) > SURE


def _next(verdict: Verdict, overfitted: Curve | None, findings: list[Finding]) -> Iterator[str]:
    """One move: what the findings ask for comes first."""
    grave = [finding for finding in findings if finding.severity != "note"]
    if grave:
        worst = max(grave, key=lambda finding: (LEVELS.index(finding.severity), -finding.step))
        where = f" at {relative(worst.file) or worst.file}:{worst.line}" if worst.file else ""
        yield f"next: {worst.severity}[{worst.rule}]{where} first: {worst.fix}"
    elif overfitted is not None:
        yield (
            f"next: take the weights of update {overfitted.lowest[1]}; more of the same will not help. Regularise, "
            f'or stop there: sf.stop.patience("{overfitted.name}", …)'
        )
    elif verdict.kind in _MOVES:
        yield f"next: {_MOVES[verdict.kind]}"


_MOVES = {
    "improving": "train longer: the loss was still falling when it ended",
    "flat": "more updates alone will not help: lower the learning rate, or change the model or the data",
    "rising": "lower the learning rate, or clip the gradients, from where the rise begins",
    "diverged": "lower the learning rate, or warm it up; clip the gradients",
    "stuck": "overfit one batch first: a loss that does not fall there points at the loss, the rate or the wiring",
    "not finite": "find the first value that is not finite: what came before it is in the run log",
}  # fmt: skip


def _told(value: float) -> str:
    return f"{value:.4g}"
