"""resume-is-equivalent: killed and resumed, a run goes on as the one that was not interrupted."""

from __future__ import annotations

from surefoot.check.experiment import Result, Step
from surefoot.check.judge.reasons import nothing_seen, sentence
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "resume-is-equivalent"
NO_ARGS = "Say how the program is resumed with --resume-with ARGS."
PARTS = ("weights", "optimizer", "rate", "batch", "updated weights")
ADVICE = {
    "optimizer": "Save and load optimizer.state_dict().",
    "rate": "Save and load scheduler.state_dict().",
    "batch": "Save the position in the data and the state of the sampler's generator.",
    "random numbers": "Save and load the states of random, numpy and torch.",
    "updated weights": "Something else that makes the update is not in the checkpoint.",
}
WHAT = {"rate": "learning rate", "optimizer": "state of the optimizer", "batch": "data order"}


def judge(whole: Result, again: Result, killed: Result, resumed: Result, timeout: float) -> Verdict:
    if not killed.num_saves:
        reason = nothing_seen(killed, timeout) or f"it saved no checkpoint by torch.save in {len(killed.steps)} steps."
        return not_tested(NAME, sentence(reason))
    why = nothing_seen(resumed, timeout)
    if why is not None:
        return not_tested(NAME, f"Resumed, {why}")
    if _first(whole.steps, again.steps) is not None:
        return not_tested(NAME, "Two uninterrupted runs differ, so a resumed one can't be compared: seed the program.")
    start = _taken_up_at(whole, resumed)
    first = resumed.steps[0]
    if start is None:
        is_fresh = first.digests["weights"] == whole.steps[0].digests["weights"]
        how = "the initial ones" if is_fresh else "none that the uninterrupted run ever had"
        return failed(
            NAME, f"The weights of the resumed run are {how}. Save and load model.state_dict().",
            differs="weights", killed_at=len(killed.steps),
        )  # fmt: skip
    return _compared(whole.steps[start:], resumed.steps, start)


def _taken_up_at(whole: Result, resumed: Result) -> int | None:
    """The step of the uninterrupted run that begins with the weights of the resumed one, the first step left out."""
    wanted = resumed.steps[0].digests["weights"]
    return next((i for i, step in enumerate(whole.steps) if i and step.digests["weights"] == wanted), None)


def _compared(whole: list[Step], resumed: list[Step], start: int) -> Verdict:
    num = min(len(whole), len(resumed))
    found = _first(whole, resumed)
    if found is None and whole[0].digests.get("schedule") != resumed[0].digests.get("schedule"):
        return not_tested(
            NAME, f"Resumed at step {start}, {num} steps are those of the uninterrupted run, but a schedule is at "
            "another place. Its rate has not changed in these steps; later it may. Save and load "
            "scheduler.state_dict().", steps=num, differs="schedule",
        )  # fmt: skip
    if found is None:
        return passed(NAME, f"Resumed at step {start}, {num} steps are those of the uninterrupted run.", steps=num)
    number, part = found
    mine, yours = whole[number], resumed[number]
    values = [mine.rate, yours.rate] if part == "rate" else [mine.loss, yours.loss]
    shown = WHAT.get(part, part)
    told = f" ({values[0]:.4g} and {values[1]:.4g})" if part == "rate" and None not in values else ""
    are = "are others" if part in ("random numbers", "updated weights") else "is another"
    return failed(
        NAME, f"Resumed at step {start}, the {shown} {are} at step {start + number}{told}. {ADVICE.get(part, '')}",
        differs=shown, step=start + number, values=values,
    )  # fmt: skip


def _cause(part: str, mine: Step, yours: Step) -> str:
    """Other random numbers are harmless unless an update depends on them."""
    is_random = mine.digests.get("random numbers") != yours.digests.get("random numbers")
    return "random numbers" if part == "updated weights" and is_random else part


def _first(one: list[Step], other: list[Step]) -> tuple[int, str] | None:
    for number, (mine, yours) in enumerate(zip(one, other, strict=False)):
        for part in PARTS:
            same = mine.rate == yours.rate if part == "rate" else mine.digests.get(part) == yours.digests.get(part)
            if not same:
                return number, _cause(part, mine, yours)
    return None
