"""equal-seeds-agree: two runs of a program that seeds itself are the same, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.check.experiment import Result, Step
from surefoot.check.verdict import Verdict, failed, not_tested, passed

NAME = "equal-seeds-agree"
ORDER = ("weights", "batch", "updated weights")  # what a step begins with comes first
MEANING = {"weights": "initial weights", "batch": "batch that the model is given", "updated weights": "update"}


def why_not(watched: Result) -> str | None:
    if "torch.manual_seed" not in watched.seeds:
        others = f"; it only calls {', '.join(watched.seeds)}" if watched.seeds else ""
        return f"The program does not call torch.manual_seed{others}: two runs need not agree."
    return None


def first_difference(one: Sequence[Step], other: Sequence[Step]) -> tuple[int, str] | None:
    """The number of a step, from 1, and what differs in it."""
    for number, (mine, yours) in enumerate(zip(one, other, strict=False), 1):
        for what in ORDER:
            if mine.digests.get(what) != yours.digests.get(what):
                return number, what
        if mine.loss != yours.loss and mine.loss == mine.loss:
            return number, "loss"
    return None


def judge(one: Result, other: Result, traces: tuple[Result, Result] | None) -> Verdict:
    num = min(len(one.steps), len(other.steps))
    if not num:
        return not_tested(NAME, "No optimizer step was seen in both runs.")
    found = first_difference(one.steps, other.steps)
    if found is None:
        return passed(NAME, f"Two runs have the same batches, losses and weights in all {num} steps.", steps=num)
    step, what = found
    evidence: dict[str, object] = {"step": step, "differs": MEANING.get(what, what)}
    evidence["losses"] = [one.steps[step - 1].loss, other.steps[step - 1].loss]
    both = first_operation(*traces) if traces is not None else None
    by = ""
    if both is not None:
        where = module, operation, line = both[0]
        evidence |= {"module": module, "operation": operation, "line": line}
        by = f" The first operation that differs is {shown(where)}."
    return failed(
        NAME, f"Two runs with the same seeds differ from step {step} on, first in the {MEANING.get(what, what)}.{by} "
        f"It seeds by {', '.join(one.seeds)}: seed also what else draws random numbers, in order.", **evidence,
    )  # fmt: skip


Operation = tuple[str, str, str]  # module, name and line


def first_operation(one: Result, other: Result) -> tuple[Operation, Operation] | None:
    """Of both programs: the same one with another result, or what each computes where the other does not."""
    for (*mine, line), (*yours, other_line) in zip(one.operations, other.operations, strict=False):
        if mine != yours:
            return (str(mine[0]), str(mine[1]), line), (str(yours[0]), str(yours[1]), other_line)
    return None


def shown(operation: Operation) -> str:
    module, name, line = operation
    return f"{name}{f' in {module}' if module else ', outside of modules'}{f', called from {line}' if line else ''}"
