"""One row: a small program, what is right, and what surefoot did."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    RIGHT = "right"
    REFUSED = "refused"
    TOLD = "told"  # it goes on, and says what is wrong
    WRONG = "wrong"
    BROKEN = "broken"  # an error that does not say what to do


class NotEqual(AssertionError):  # noqa: N818 - what was computed instead of the right answer
    """The program ran, and its weights are others."""


@dataclass(frozen=True, slots=True)
class Row:
    title: str
    run: Callable[[], object]  # raises NotEqual where the weights are not the right ones
    right: Mark = Mark.RIGHT  # REFUSED, TOLD: no other answer is right
    is_own: bool = False  # it needs a feature that other loops do not have


@dataclass(frozen=True, slots=True)
class Outcome:
    mark: Mark
    said: str = ""

    def is_right(self, row: Row) -> bool:
        """Refusing is always right, as long as it says what to do."""
        return self.mark in (row.right, Mark.REFUSED)


def outcome_of(row: Row) -> Outcome:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            row.run()
        except NotEqual as error:
            return Outcome(Mark.WRONG, str(error))
        except (ValueError, TypeError, RuntimeError, ArithmeticError) as error:
            is_ours = type(error).__module__.startswith("surefoot") or _is_raised_by_surefoot(error)
            return Outcome(Mark.REFUSED if is_ours else Mark.BROKEN, f"{type(error).__name__}: {error}")
    said = [str(one.message) for one in caught if one.category.__module__.startswith("surefoot")]
    if row.right is Mark.RIGHT:
        return Outcome(Mark.RIGHT)
    return Outcome(Mark.TOLD, said[0]) if said else Outcome(Mark.WRONG, "nothing said")


def _is_raised_by_surefoot(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and "surefoot" in trace.tb_frame.f_globals.get("__name__", "")
