"""needs-its-input: with inputs of other samples, or with zeros, a trained model must do worse."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from statistics import fmean, pvariance, stdev
from typing import Any

from surefoot.check.experiment import Result, Step
from surefoot.check.judge import overfit
from surefoot.check.judge.reasons import nothing_seen, number, sentence
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "needs-its-input"
SURE = 4.0  # standard errors
MEMORISED, NOT_MORE = 5.0, 2.5  # the same for batches that it was trained on, and at most for others
FEWEST_LOOKS, FEWEST_UNSEEN, CLEAR = 24, 4, 8.0  # standard errors, with which it need not go on
SMALL = 0.25  # of the gain on batches that it was trained on
SAME = 1e-7  # relative difference of losses that are equal


def judge(changed: Result, watched: Result, timeout: float) -> Verdict:
    why = nothing_seen(changed, timeout)
    if why is not None:
        return not_tested(NAME, sentence(why))
    influence = watched.measured.get("inputs", {})
    if influence.get("change") == 0.0:
        return failed(
            NAME, f"What {influence['module']} returns is the same to the last bit when its inputs are zeros.",
            change=0.0, module=influence["module"],
        )  # fmt: skip
    seen = watched.measured
    if seen.get("is_blank") and seen["num_inputs"] == 1 and seen["num_targets"] > 1 and watched.num_optimizers == 1:
        return failed(
            NAME, f"The model got the same values for every sample in all {len(watched.steps)} steps, while targets or "
            "batches differed.", inputs=1, targets=seen["num_targets"],
        )  # fmt: skip
    if changed.num_optimizers > 1 or changed.has_closure:
        what = "its optimizer calls a closure" if changed.has_closure else f"{changed.num_optimizers} optimizers step"
        return not_tested(NAME, f"{what[:1].upper()}{what[1:]}: no single loss tells what inputs are worth.")
    looks = [step for step in changed.trained if not step.is_update and math.isfinite(step.loss or math.nan)]
    num_trained = sum(step.is_update for step in changed.steps)
    if not any(step.inputs == "shuffled" for step in looks):
        return not_tested(
            NAME, "No call of a model with inputs of several samples was seen after "
            f"{num_trained} steps, so they could not be exchanged."
        )  # fmt: skip
    groups = _grouped(looks)
    return _by_groups(changed, groups, num_trained) if groups else _unpaired(looks, num_trained)


def is_clear(changed: Result) -> bool:
    """Inputs tell so much on several unseen batches that no more need to be looked at."""
    looks = [step for step in changed.steps if not step.is_update and step.loss is not None]
    if len(looks) < FEWEST_LOOKS or any(not math.isfinite(step.loss or math.nan) for step in looks):
        return False
    known = {step.digests.get("inputs") for step in changed.steps if step.is_update}
    unseen = _Gain([group for batch, group in _grouped(looks).items() if batch not in known])
    return unseen.num >= FEWEST_UNSEEN and unseen.errors >= CLEAR


Group = tuple[float, list[float], list[float]]  # of one batch: its loss, with shuffled inputs, with zeros


def _grouped(looks: list[Step]) -> dict[int, Group]:
    """By what the model would have been given: equal batches with and without a change."""
    by_batch: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for step in looks:
        assert step.loss is not None
        by_batch[step.digests.get("inputs", 0)][step.inputs].append(step.loss)
    return {
        batch: (fmean(losses[""]), losses["shuffled"], losses["zeros"])
        for batch, losses in by_batch.items()
        if losses[""] and len(losses["shuffled"]) > 1
    }


def _by_groups(changed: Result, groups: dict[int, Group], num_trained: int) -> Verdict:
    if all(_is_same(*group) for group in groups.values()):
        own = next(iter(groups.values()))[0]
        return failed(
            NAME, f"After {num_trained} steps the loss of a batch is {number(own)} with its own inputs, with those of "
            "other samples and with zeros: the inputs do not reach it.", loss=own, batches=len(groups),
        )  # fmt: skip
    known = {step.digests.get("inputs") for step in changed.steps if step.is_update}
    unseen = _Gain([group for batch, group in groups.items() if batch not in known])
    seen = _Gain([group for batch, group in groups.items() if batch in known])
    evidence: dict[str, Any] = {"steps": num_trained, "unseen": unseen.told(), "seen": seen.told()}
    best = unseen if unseen.num else seen
    if max(unseen.errors, seen.errors if not unseen.num else 0.0) >= SURE:
        kind = "unseen batches" if unseen.num else "the batches it was trained on"
        return passed(
            NAME, f"After {num_trained} steps the loss of {kind} is {number(best.own)}, and {number(best.shuffled)} "
            "with inputs of other samples.", **evidence,
        )  # fmt: skip
    is_compared = bool(changed.losses) and unseen.num > 1 and seen.num > 1
    if is_compared and seen.errors >= MEMORISED and unseen.errors < NOT_MORE and unseen.gain < SMALL * seen.gain:
        return failed(
            NAME, f"After {num_trained} steps the loss of unseen batches is {number(unseen.own)} with their own inputs "
            f"and {number(unseen.shuffled)} with inputs of other samples, while batches it was trained on have "
            f"{number(seen.own)} and {number(seen.shuffled)}: it learns them by heart, and nothing that tells the "
            "targets of others. Look whether inputs and targets belong together.", **evidence,
        )  # fmt: skip
    return not_tested(
        NAME, f"After {num_trained} steps the loss is {number(best.own)}, and {number(best.shuffled)} with inputs of "
        "other samples: no clear difference yet, and too early to say that there is none.", **evidence,
    )  # fmt: skip


def is_too_early(verdict: Verdict) -> bool:
    """It does better on batches that it was trained on, not yet so clearly that their memory could be told apart."""
    seen = verdict.evidence.get("seen")
    return verdict.verdict == "not-tested" and seen is not None and seen["standard_errors"] >= NOT_MORE


def confirmed(accused: Verdict, longer: Verdict) -> Verdict:
    """An accusation, after a second run with more data and more steps."""
    unseen = longer.evidence.get("unseen")
    still = unseen is not None and longer.verdict != "pass" and unseen["standard_errors"] < NOT_MORE
    return replace(accused, evidence={**accused.evidence, "with_more_data": unseen}) if still else longer


def left_open(accused: Verdict, known: Verdict) -> Verdict:
    """The data is not to blame as long as something else is known to keep the model from learning."""
    why = f"Batches are learned by heart, and nothing of others. First mend what {overfit.NAME} says."
    return not_tested(NAME, why, **accused.evidence, rule=known.evidence["rule"])


def _is_same(own: float, shuffled: list[float], zeros: list[float]) -> bool:
    return bool(zeros) and all(abs(one - own) <= SAME * abs(own) for one in [*shuffled, *zeros])


class _Gain:
    """What inputs that belong to the targets are worth, over some batches; in standard errors, too."""

    def __init__(self, groups: list[Group]) -> None:
        self.num = len(groups)
        self.own = fmean([own for own, _, _ in groups] or [0.0])
        self.shuffled = fmean([fmean(shuffled) for _, shuffled, _ in groups] or [0.0])
        self.gain = self.shuffled - self.own
        variance = fmean(
            [pvariance(shuffled) * len(shuffled) / (len(shuffled) - 1) for _, shuffled, _ in groups] or [0]
        )
        each = math.sqrt(variance * 1.25) + 1e-6 * abs(self.own)
        self.errors = self.gain / (each / math.sqrt(self.num)) if self.num and each else 0.0

    def told(self) -> dict[str, float]:
        return {"batches": self.num, "own": self.own, "shuffled": self.shuffled, "standard_errors": self.errors}


def _unpaired(looks: list[Step], num_trained: int) -> Verdict:
    own = [step.loss or 0.0 for step in looks if not step.inputs]
    shuffled = [step.loss or 0.0 for step in looks if step.inputs == "shuffled"]
    if len(own) < 4 or len(shuffled) < 4:
        return not_tested(NAME, f"It ends too early: {len(looks)} steps were left to compare inputs.")
    error = math.sqrt(stdev(own) ** 2 / len(own) + stdev(shuffled) ** 2 / len(shuffled)) + 1e-12
    errors = (fmean(shuffled) - fmean(own)) / error
    evidence = {"steps": num_trained, "own": fmean(own), "shuffled": fmean(shuffled), "standard_errors": errors}
    course = f"is {number(fmean(own))}, and {number(fmean(shuffled))} with inputs of other samples"
    if errors >= SURE:
        return passed(NAME, f"After {num_trained} steps the loss {course}.", **evidence)
    return not_tested(
        NAME, f"After {num_trained} steps the loss {course}: no clear difference. Batches are cut by hand, so none "
        "can be kept back for a sharper test.", **evidence
    )  # fmt: skip
