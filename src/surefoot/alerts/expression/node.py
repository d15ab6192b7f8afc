"""The parts of an expression: numbers and conditions. What is not known yet is None, and makes nobody alarm."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from surefoot.alerts.expression.series import Book

Compare = Callable[[float, float], bool]

COMPARISONS: Mapping[str, Compare] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
ARITHMETIC: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


class Number:
    """Something with a value, once that is known."""

    def of(self, book: Book) -> float | None:
        raise NotImplementedError


class Condition:
    """Something that holds or does not, once that is known."""

    def holds(self, book: Book) -> bool | None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Number):
    value: float

    def of(self, book: Book) -> float | None:
        return self.value


@dataclass(frozen=True, slots=True)
class Measured(Number):
    """A function of a book, bound to the series and the window it is about."""

    measure: Callable[[Book], float | None]

    def of(self, book: Book) -> float | None:
        return self.measure(book)


@dataclass(frozen=True, slots=True)
class Negative(Number):
    operand: Number

    def of(self, book: Book) -> float | None:
        value = self.operand.of(book)
        return None if value is None else -value


@dataclass(frozen=True, slots=True)
class Arithmetic(Number):
    sign: str
    left: Number
    right: Number

    def of(self, book: Book) -> float | None:
        left, right = self.left.of(book), self.right.of(book)
        if left is None or right is None:
            return None
        try:
            return ARITHMETIC[self.sign](left, right)
        except (ZeroDivisionError, OverflowError):
            return math.nan


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """As everywhere, nothing but `!=` holds for a NaN."""

    sign: str
    left: Number
    right: Number

    def holds(self, book: Book) -> bool | None:
        left, right = self.left.of(book), self.right.of(book)
        return None if left is None or right is None else COMPARISONS[self.sign](left, right)


@dataclass(frozen=True, slots=True)
class IsFinite(Condition):
    operand: Number

    def holds(self, book: Book) -> bool | None:
        value = self.operand.of(book)
        return None if value is None else math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Not(Condition):
    operand: Condition

    def holds(self, book: Book) -> bool | None:
        known = self.operand.holds(book)
        return None if known is None else not known


@dataclass(frozen=True, slots=True)
class Joined(Condition):
    """Both, or with `is_or` at least one; it may be decided though one of them is not known."""

    is_or: bool
    left: Condition
    right: Condition

    def holds(self, book: Book) -> bool | None:
        left = self.left.holds(book)
        if left is self.is_or:
            return left
        right = self.right.holds(book)
        return right if right is self.is_or or left is not None else None
