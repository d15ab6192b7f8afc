"""overfits-one-batch: trained on one batch again and again, the loss must approach its floor."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Any

from surefoot.check.experiment import Result
from surefoot.check.judge.reasons import findings, nothing_seen, number, sentence, told
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "overfits-one-batch"
RULES = (
    "graph-cut", "loss-detached-from-model", "gradients-cleared-before-step", "all-gradients-zero",
    "zero-learning-rate", "negative-learning-rate", "optimizer-holds-stale-parameters", "parameters-not-in-optimizer",
    "unregistered-module", "backward-misses-optimizer", "nearly-all-frozen",
)  # fmt: skip
FEWEST_UNMOVED = 8  # steps that move no weight, before that is more than a warm-up from a rate of 0
FEWEST = 60  # steps, before a loss that does not fall says something
ENOUGH = 0.5  # of the first loss
LEARNED = 0.05  # of the first loss, with which it need not go on
FLAT = 0.01  # fall over the last third, beside that over the whole run
AS_CONSTANT = 0.95  # of the loss of the best constant answer
LEAST_CONSTANT = 0.01  # below which a batch has nothing to tell apart
NOISES = 3.0
EXPLODED = 2.0  # times the first loss
SEEN = 0.05  # of the first loss: a fall that would be seen
RESTED = 10.0  # times the error of a level: a fall that large, if it is over, is one that has come to its end
WORTHLESS = 0.05  # of what the loss fell: less than that inputs do not change


def judge(repeated: Result, watched: Result, timeout: float) -> Verdict:
    why = nothing_seen(repeated, timeout)
    if why is not None:
        return not_tested(NAME, sentence(why))
    found = by_rules(watched)
    if found is not None:
        return found
    num = len(repeated.steps)
    if not repeated.has_moved and num >= FEWEST_UNMOVED:
        because = "Look at the rate, at what the optimizer holds, and at requires_grad."
        return failed(NAME, f"No weight changed in {num} steps. {because}", steps=num, rate=repeated.steps[-1].rate)
    if repeated.num_optimizers > 1:
        return not_tested(NAME, f"{repeated.num_optimizers} optimizers step: no single loss has to fall.")
    if not repeated.uses_loader and not repeated.is_replaced:
        return not_tested(
            NAME, "No DataLoader gives the batches, and the loss is not a function of torch that compares what a "
            "model returned with a target: the first batch can't be given again."
        )  # fmt: skip
    return _by_losses(repeated)


def is_clear(repeated: Result) -> bool:
    """It has learned the batch as far as anybody asks."""
    losses = [step.loss for step in repeated.steps if step.loss is not None]
    if len(losses) < FEWEST or repeated.num_optimizers > 1 or not 0 < losses[0] < math.inf:
        return False
    constant = _constant(repeated)
    wanted = LEARNED * losses[0] if constant is None else min(LEARNED * losses[0], ENOUGH * constant)
    return max(losses[-len(losses) // 5 :]) <= wanted and min(losses) >= 0


def is_at_rest(verdict: Verdict, repeated: Result) -> bool:
    """The loss fell, not far, and stays there: that may be its floor, or the best that can be had without inputs."""
    losses = [step.loss for step in repeated.trained if step.loss is not None]
    if verdict.verdict != "not-tested" or len(losses) < FEWEST or min(losses) < 0:
        return False
    error = _error(losses)
    fell = median(losses[:3]) - median(losses[-len(losses) // 3 :])
    return fell > RESTED * error and _is_flat(losses, error)


def with_other_inputs(left_open: Verdict, changed: Result) -> Verdict:
    """Trained on one batch as before, then given inputs of its other samples, and zeros."""
    looks = [step for step in changed.trained if not step.is_update]
    by_kind = {kind: [step.loss or 0.0 for step in looks if step.inputs == kind] for kind in ("", "shuffled", "zeros")}
    if not all(by_kind.values()):
        return left_open
    own, shuffled, zeros = (fmean(by_kind[kind]) for kind in ("", "shuffled", "zeros"))
    first, last = left_open.evidence["first_loss"], left_open.evidence["last_loss"]
    if max(abs(shuffled - own), abs(zeros - own)) > WORTHLESS * (first - last):
        return left_open
    num = sum(step.is_update for step in changed.steps)
    return failed(
        NAME, f"The loss went from {number(first)} to {number(last)} in {num} steps on one batch and stays there. What "
        f"the model is given makes no difference: the loss of that batch is {number(own)} with its own inputs, "
        f"{number(shuffled)} with those of its other samples and {number(zeros)} with zeros.",
        **left_open.evidence, own=own, shuffled=shuffled, zeros=zeros,
    )  # fmt: skip


def by_rules(watched: Result) -> Verdict | None:
    """What a rule has found keeps it from learning, whatever becomes of one batch."""
    found = findings(watched, RULES)
    if not found or not watched.trained:
        return None
    num, rate = len(watched.steps), watched.steps[-1].rate
    unmoved = "" if watched.has_moved or num < FEWEST_UNMOVED else f"No weight changed in {num} steps. "
    return failed(
        NAME, f"{unmoved}{told(found)}", rule=found[0]["rule"], where=found[0]["where"], steps=num, rate=rate
    )  # fmt: skip


def _by_losses(repeated: Result) -> Verdict:
    losses = [step.loss for step in repeated.trained if step.loss is not None]
    bad = next((i for i, loss in enumerate(losses, 1) if not math.isfinite(loss)), None)
    if bad is not None:
        return failed(NAME, f"Trained on one batch, the loss is {losses[bad - 1]} at step {bad}.", step=bad)
    first, last = losses[0], median(losses[-max(1, len(losses) // 5) :])
    rate = repeated.steps[-1].rate
    seen: dict[str, Any] = {"first_loss": first, "last_loss": last, "steps": len(losses), "rate": rate}
    course = f"from {number(first)} to {number(last)} in {len(losses)} steps on one batch"
    value = repeated.losses[0].get("value", 0.0) if len(repeated.losses) == 1 else 0.0
    if value > 0 and math.isclose(losses[0], -value, rel_tol=1e-4):
        return failed(NAME, f"What is backwarded is the loss with its sign turned: {number(-value)}.", **seen)
    constant = _constant(repeated)
    is_constant = constant is not None and AS_CONSTANT * constant <= last <= first
    if constant is not None and is_constant and len(losses) >= FEWEST and _is_flat(losses, 0.0):
        return failed(
            NAME, f"The loss went {course} and stays there. A model that ignores its input reaches "
            f"{number(constant)} on this batch: it can't tell the samples apart.", **seen, best_constant=constant,
        )  # fmt: skip
    if first > 0 and last <= ENOUGH * first:
        return passed(NAME, f"The loss fell {course}.", **seen)
    if len(losses) < FEWEST:
        ends = "It ends after" if repeated.ended != "max-steps" else "There was time for"
        return not_tested(NAME, f"{ends} {len(losses)} steps: the loss went {course}.", **seen)
    return _slow(repeated, losses, first, last, seen, course)


def _slow(
    repeated: Result, losses: list[float], first: float, last: float, seen: dict[str, Any], course: str
) -> Verdict:
    error = _error(losses)
    fall = _slope(losses) * -(len(losses) - 1)
    known = bool(repeated.losses) and repeated.losses[0]["kind"] != ""
    if min(losses) < 0 or repeated.is_moved_by_hand:
        why = "the program sets its rates by hand" if repeated.is_moved_by_hand else "the loss may be negative"
        return not_tested(NAME, f"The loss went {course}; {why}, so what it should reach is not known.", **seen)
    rose = last > EXPLODED * first or (last > 1.05 * first and -fall > NOISES * error)
    stayed = last >= 0.97 * first and fall <= NOISES * error <= SEEN * first  # else a slow fall is lost in the noise
    if (rose or stayed) and (known or repeated.uses_loader):
        did = "rose" if last > 1.05 * first else "did not fall"
        return failed(NAME, f"The loss {did}: it went {course}. {_ADVICE}", **seen, noise=_noise(losses))
    if _is_flat(losses, error) and last <= 0.8 * first:
        return passed(NAME, f"The loss fell {course} and stays there, which may be its floor.", **seen)
    return not_tested(NAME, f"The loss went {course}: too slowly to tell. Give it more with --steps.", **seen)


_ADVICE = (
    "Something keeps the model from learning even this batch: look at the rate, the targets, the sign of the loss."
)


def _constant(repeated: Result) -> float | None:
    """What the best constant answer would score, where that says something: language models rest there for a while."""
    if len(repeated.losses) != 1 or repeated.losses[0].get("is_sequence"):
        return None
    constant: float | None = repeated.losses[0].get("constant")
    return constant if constant is not None and constant > LEAST_CONSTANT else None


def _is_flat(losses: list[float], error: float) -> bool:
    third = len(losses) // 3
    fell = median(losses[:3]) - median(losses[-third:])
    return median(losses[-2 * third : -third]) - median(losses[-third:]) < FLAT * max(fell, 0.0) + error


def _noise(losses: list[float]) -> float:
    return stdev([b - a for a, b in pairwise(losses)]) / math.sqrt(2)


def _error(losses: list[float]) -> float:
    """Of a change over the whole run, as far as it may be noise."""
    return _noise(losses) * math.sqrt(12 / len(losses)) + 1e-9 * abs(losses[0])


def _slope(losses: list[float]) -> float:
    middle, mean = (len(losses) - 1) / 2, fmean(losses)
    squares = sum((i - middle) ** 2 for i in range(len(losses)))
    return sum((i - middle) * (loss - mean) for i, loss in enumerate(losses)) / squares
