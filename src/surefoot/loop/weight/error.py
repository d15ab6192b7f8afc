"""Losses that the loop refuses, and what to do instead."""

from __future__ import annotations

ADVICE = (
    "the loss {}, so the micro-batches of a window can't be weighted. Pass the number of items it is a mean over: "
    "loop.step(weight=len(targets)), or the number of valid tokens. fit() and evaluate() take weight=function(batch)."
)
A_SUM = (
    "the loss {}, so the micro-batches of a window can't be averaged. Divide it by the number of items that it adds "
    'up, or use reduction="mean".'
)
NO_ANSWER = (
    "the loss {}, which can't be put together from micro-batches. Call backward with the mean itself, or use "
    "accumulate=1 in one process; loop.step(weight=…) averages the losses of the micro-batches as they are."
)
EACH_ALONE = (
    "the loss adds up means over {} items, and their ratio is not the same in the whole window. Call step.backward() "
    "once for each of them: each is then divided by its own items."
)
DIVIDED_TWICE = (
    "the loss is divided by {0}, and accumulate={0} averages over the window as well: gradients would be {0} times too "
    "small. Pass the mean itself. If the factor belongs to the loss, apply it to the items before the mean."
)

MIXING = (
    "the loss compares {}, and one large batch would compare more of them than the micro-batches of a window. Use "
    "accumulate=1 in one process; or pass loop.step(weight=len(targets)), which averages their losses as they are."
)


class UnknownWeightError(ValueError):
    """The weight of a micro-batch matters and can't be known. `reason` goes on after "the loss"."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


def unknown(reason: str) -> UnknownWeightError:
    return UnknownWeightError(ADVICE.format(reason), reason)


def a_sum(reason: str) -> UnknownWeightError:
    return UnknownWeightError(A_SUM.format(reason), reason)


def no_answer(reason: str) -> UnknownWeightError:
    return UnknownWeightError(NO_ANSWER.format(reason), reason)


def mixing(what: str) -> UnknownWeightError:
    return UnknownWeightError(MIXING.format(what), f"compares {what}")


def each_alone(counts: str) -> UnknownWeightError:
    return UnknownWeightError(EACH_ALONE.format(counts), f"adds up means over {counts} items, whose ratio changes")


class DividedTwiceError(ValueError):
    """The program divides by the number of micro-batches, and so does the loop."""

    def __init__(self, accumulate: int) -> None:
        super().__init__(DIVIDED_TWICE.format(accumulate))
