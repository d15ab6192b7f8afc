"""accumulation-is-equivalent: k batches of b samples must give the gradient of one batch of k × b."""

from __future__ import annotations

from collections import Counter

from surefoot.check.experiment import Result
from surefoot.check.judge.reasons import nothing_seen, number
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "accumulation-is-equivalent"
SAME, OTHER = 1e-3, 1e-2  # relative difference of gradients: rounding is a thousand times less
NO_OPTIONS = "Name the program's options with --accumulate-option and --batch-option."


def judge(
    small: Result, large: Result, compared: tuple[float, float] | None, num: int, batch: int, timeout: float
) -> Verdict:
    """`compared`: the relative difference of the gradients of the first update, and the factor between them."""
    what = f"{num} x {batch} and 1 x {num * batch}"
    for result in (small, large):
        why = nothing_seen(result, timeout)
        if why is not None:
            return not_tested(NAME, f"With {what}: {why}")
    if small.norms:
        return not_tested(NAME, f"{small.norms[0]} computes with each batch by itself, so {what} differ rightly.")
    if Counter(small.samples) != Counter(large.samples) or not small.samples:
        counts = f"{len(small.samples)} and {len(large.samples)}"
        return not_tested(
            NAME, f"The first updates with {what} were not made of the same samples ({counts} of them), so their "
            "gradients can't be compared. Do the options mean what they were taken for?",
            samples=[len(small.samples), len(large.samples)],
        )  # fmt: skip
    if compared is None:
        return not_tested(NAME, "The first update has no gradients to compare.")
    difference, factor = compared
    evidence = {"difference": difference, "factor": factor, "accumulate": num, "batch": batch}
    if difference <= SAME:
        return passed(NAME, f"The gradients with {what} agree, up to {number(difference)} of their norm.", **evidence)
    if difference < OTHER:
        return not_tested(NAME, f"The gradients with {what} differ by {number(difference)} of their norm.", **evidence)
    is_scaled = factor > 1 and abs(difference - (factor - 1)) < OTHER * factor  # the same direction
    by = f"by a factor of {number(factor)}" if is_scaled else f"by {number(difference)} of their norm"
    advice = "Divide the loss of each micro-batch by the length of the window." if is_scaled else (
        "Weight each micro-batch by what it counts, and clip once, after the last."
    )  # fmt: skip
    return failed(NAME, f"The gradients of the first update with {what} differ {by}. {advice}", **evidence)
