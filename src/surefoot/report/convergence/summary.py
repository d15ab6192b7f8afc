"""How the loss ended, in a few lines."""

from __future__ import annotations

from collections.abc import Iterable

from surefoot.judge import Finding
from surefoot.report.convergence.advice import advice
from surefoot.report.convergence.calibration import AT_REST, RIGHT
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.noise import Noise, describe_noise
from surefoot.report.convergence.rate import Rate
from surefoot.report.convergence.trend import rise_score
from surefoot.report.convergence.verdict import SURE, Verdict, judge_curve

LEAST_VALIDATIONS = 8  # since the lowest, to speak of a rise


def loss_summary(
    loss: Curve, held_out: Curve | None = None, *, lr: Curve | None = None, num_skipped: int = 0,
    noise: Noise | None = None, findings: Iterable[Finding] = (), goes_on: bool = False,
) -> list[str]:  # fmt: skip
    """Two to seven lines; none for a run that is too short to say. Of a run that goes on: how it stands."""
    verdict = judge_curve(loss, lr)
    if verdict is None:
        return []
    lowest, at = loss.lowest
    whole = f"{loss.last_step} steps" if loss.bad_since is None else "its finite values"
    so_far = " so far" if goes_on else ""
    lines = [
        f"{loss.name} {_num(verdict.first)} at first, {_num(verdict.last)} in the last tenth of {whole}{so_far}; "
        f"lowest {_num(lowest)} at step {at}",
        _sentence(verdict, loss.last_step - verdict.since, goes_on=goes_on),
    ]
    overfits = held_out is not None and len(held_out) > 1 and verdict.kind != "rising" and _rises(held_out)
    if held_out is not None and len(held_out) > 1:
        lines.append(_held_out(held_out, overfits=overfits, goes_on=goes_on))
    if num_skipped:
        lines.append(f"{num_skipped} step{'s were' if num_skipped != 1 else ' was'} skipped: the weights did not move")
    if noise is not None:
        lines.append(describe_noise(noise))
    move = advice(verdict, held_out if overfits else None, list(findings), is_distance=lowest >= 0, goes_on=goes_on)
    return [*lines, f"next: {move}"] if move else lines


def _sentence(verdict: Verdict, num_steps: int, *, goes_on: bool) -> str:
    """What was seen; of a longer run, only what calibrated trainings showed."""
    course = f"from {_num(verdict.middle)} around step {verdict.since} to {_num(verdict.last)}"
    low, high = map(_num, verdict.band)
    between = f"nine in ten values since step {verdict.since} lie between {low} and {high}"
    match verdict.kind:
        case "not finite":
            return f"it {'is' if goes_on else 'ended'} not finite: no finite value since step {verdict.since}"
        case "diverged":
            return f"it diverged: the {'last values lie' if goes_on else 'end lies'} above the beginning"
        case "rising":
            return f"it rose in the second half: {course}"
        case "falling":
            return f"still falling: {course}{_while(verdict.rate)}"
        case "slowing":
            return f"it fell only a little in the second half: {course}{_while(verdict.rate)}"
        case "swinging":
            return f"it swings: {course}, which is no lower than it was before"
        case "stuck":
            near = "it is" if goes_on else "it ended"
            return f"{near} near where it began; nine in ten values of the whole run lie between {low} and {high}"
        case "unclear":
            return f"not clear whether it still falls: {between}{_while(verdict.rate)}"
        case "scheduled":
            return f"no fall in the last {num_steps} steps; {_unknown(verdict.rate, goes_on=goes_on)}"
        case "resting":
            right, given = RIGHT["resting"]
            return (
                f"no fall in the last {num_steps} steps, at a constant learning rate; at {right} of {given} such ends "
                f"of calibrated trainings the loss fell by less than {_share(AT_REST)} in as many steps again"
            )


def _while(rate: Rate | None) -> str:
    if rate is None or rate.is_steady:
        return ""
    return f", while the learning rate went from {_num(rate.start)} to {_num(rate.end)}"


def _unknown(rate: Rate | None, *, goes_on: bool) -> str:
    """Why the end of the fall says nothing about a longer run."""
    if rate is None:
        return "its learning rate is not known, so that a schedule may be the reason"
    if rate.is_spent:
        return (
            f"the learning rate {'is' if goes_on else 'ended'} at {_num(rate.end)}, its highest was "
            f"{_num(rate.highest)}, so the last updates were small: whether a longer schedule lowers the loss is not "
            "known"
        )
    return (
        f"the learning rate went from {_num(rate.start)} to {_num(rate.end)} meanwhile: whether the loss would fall "
        "at another one is not known"
    )


def _held_out(curve: Curve, *, overfits: bool, goes_on: bool) -> str:
    lowest, at = curve.lowest
    last = float(curve.values[-1])
    away = f", {(last - lowest) / abs(lowest):.1%} above it".replace("%", " %") if lowest and last > lowest else ""
    rising = ", rising since" if overfits else ""
    when = "now" if goes_on else "at the end"
    end = f"{_num(last)} {when}{away}" if curve.bad_since is None else f"not finite {when}"
    return f"{curve.name} lowest {_num(lowest)} at step {at}{rising}; {end}"


def _rises(curve: Curve) -> bool:
    """Since its lowest value."""
    since = curve.values[int(curve.values.argmin()) :]
    return len(since) >= LEAST_VALIDATIONS and rise_score(since) > SURE


def _share(part: float) -> str:
    return f"{part:.0%}".replace("%", " %")


def _num(value: float) -> str:
    return f"{value:.4g}"
