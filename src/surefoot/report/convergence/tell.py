"""The same in a few lines, with what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.judge import Finding
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import Noise, tell_noise
from surefoot.report.convergence.trend import rise_score
from surefoot.report.convergence.verdict import SURE, Verdict, judge_curve
from surefoot.report.place import relative
from surefoot.rules import LEVELS

LEAST_VALIDATIONS = 8  # since the lowest, to speak of a rise
WIDE = 0.05  # of the level: a band worth telling


def outlook(
    loss: Curve, held_out: Curve | None = None, *, num_skipped: int = 0, noise: Noise | None = None,
    findings: Iterable[Finding] = (),
) -> list[str]:  # fmt: skip
    """Three to seven lines; none for a run that is too short to say."""
    verdict = judge_curve(loss)
    if verdict is None:
        return []
    lowest, at = loss.lowest
    whole = f"{loss.last_step} steps" if loss.bad_since is None else "its finite values"
    lines = [
        f"{loss.name} {_told(verdict.first)} at first, {_told(verdict.last)} in the last tenth of {whole}; "
        f"lowest {_told(lowest)} at step {at}",
        _said(verdict),
    ]
    overfits = False
    if held_out is not None and len(held_out) > 1:
        overfits = _rises_since_lowest(held_out) and verdict.kind != "rising"
        lines.append(_held_out(held_out, overfits=overfits))
    if num_skipped:
        lines.append(f"{num_skipped} step{'s' * (num_skipped != 1)} stood still: skipped, the weights did not move")
    if noise is not None:
        lines.append(tell_noise(noise))
    lines += _next(verdict, held_out if overfits else None, list(findings), is_distance=lowest >= 0)
    return lines


def _said(verdict: Verdict) -> str:
    since = f"from {_told(verdict.before)} around step {verdict.since} to {_told(verdict.last)}"
    low, high = map(_told, verdict.band)
    match verdict.kind:
        case "not finite":
            return f"it ended not finite: no finite value since step {verdict.since}"
        case "diverged":
            return "it diverged: the end lies above the beginning"
        case "rising":
            return f"it rises: {since}, which chance does less than once in 700 runs"
        case "improving":
            return f"still improving: {since}, its lowest level so far"
        case "swinging":
            return f"it swings: {since}, which is no lower than it was before"
        case "stuck":
            return f"it ended no lower than it began: nine in ten values of the whole run lie between {low} and {high}"
        case "unclear":
            between = f"nine in ten values lie between {low} and {high}"
            return f"too noisy to say whether it still changes: since step {verdict.since} {between}"
        case "flat":
            band = f"; nine in ten values lie between {low} and {high}" if _is_wide(verdict) else ""
            hides = f" (one of {_told(verdict.unseen)} could hide in it)" if verdict.unseen else ""
            return f"flat since about step {verdict.since}: no fall that its noise would not explain{hides}{band}"


def _is_wide(verdict: Verdict) -> bool:
    low, high = verdict.band
    return high - low > WIDE * abs(verdict.last)


def _held_out(curve: Curve, *, overfits: bool) -> str:
    lowest, at = curve.lowest
    last = float(curve.values[-1])
    away = f", {(last - lowest) / abs(lowest):.1%} above it".replace("%", " %") if lowest and last > lowest else ""
    rising = ", rising since" if overfits else ""
    end = f"{_told(last)} at the end{away}" if curve.bad_since is None else "not finite at the end"
    return f"{curve.name} lowest {_told(lowest)} at step {at}{rising}; {end}"


def _rises_since_lowest(curve: Curve) -> bool:
    since = curve.values[int(curve.values.argmin()) :]
    return len(since) >= LEAST_VALIDATIONS and rise_score(since) > SURE


def _next(verdict: Verdict, overfitted: Curve | None, findings: list[Finding], *, is_distance: bool) -> Iterator[str]:
    """One move: what the findings ask for comes first. Of a loss below 0 nobody knows where it should go."""
    grave = [finding for finding in findings if finding.severity != "note"]
    if grave:
        worst = max(grave, key=lambda finding: (LEVELS.index(finding.severity), -finding.step))
        where = f" at {relative(worst.file) or worst.file}:{worst.line}" if worst.file else ""
        yield f"next: {worst.severity}[{worst.rule}]{where} first: {worst.fix}"
    elif overfitted is not None:
        yield (
            f"next: take the weights of step {overfitted.lowest[1]}, where {overfitted.name} was lowest; "
            f'sf.stop.patience("{overfitted.name}", …) stops near there'
        )
    elif verdict.kind in _MOVES and (is_distance or verdict.kind == "not finite"):
        yield f"next: {_MOVES[verdict.kind]}"


_MOVES = {
    "improving": "train longer: the loss was still falling when it ended",
    "flat": "it has come to rest: to go on from here, change the learning rate, the model or the data",
    "rising": "look at the learning rate first: lower it, or clip the gradients, from where the rise begins",
    "diverged": "look at the learning rate first: lower it, or warm it up; clip the gradients",
    "stuck": "overfit one batch first: a loss that does not fall there points at the loss, the rate or the wiring",
    "not finite": "find the first value that is not finite: what came before it is in the run log",
}  # fmt: skip


def _told(value: float) -> str:
    return f"{value:.4g}"
