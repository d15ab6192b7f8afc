"""An expression, read from left to right. What is wrong with it is said with the place."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.alerts.expression.function import FUNCTIONS, MOST_VALUES, newest
from surefoot.alerts.expression.node import (
    ARITHMETIC,
    COMPARISONS,
    Arithmetic,
    Comparison,
    Condition,
    Constant,
    IsFinite,
    Joined,
    Measured,
    Negative,
    Not,
    Number,
)  # fmt: skip
from surefoot.alerts.expression.series import Book, Series
from surefoot.alerts.expression.token import ExpressionError, Token, tokens

WORDS = ("and", "or", "not", "for")  # a series of such a name is written in quotes
SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}  # a duration, or more of them with an s
MOST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Expression:
    """`condition` is bound to the book that it was read for."""

    text: str
    condition: Condition
    names: frozenset[str]  # of series; none: every row matters
    for_steps: int = 0
    for_seconds: float = 0.0
    uses_clock: bool = False  # it may come true while nothing is logged


def parse(text: str, book: Book | None = None) -> Expression:
    """Refuse what can't be understood; else bind it to a book, from where its values will come."""
    return _Reader(text, Book() if book is None else book).read()


class _Reader:
    def __init__(self, text: str, book: Book) -> None:
        self._text = text
        self._book = book
        self._tokens = list(tokens(text))
        self._at = 0
        self._depth = 0
        self._names: set[str] = set()
        self._uses_clock = False

    def read(self) -> Expression:
        start = self._next
        found = self._either()
        condition = self._as_condition(found, start)
        steps, seconds = self._duration() if self._takes("for") else (0, 0.0)
        if self._next.kind != "end":
            raise self._error(f"{self._next} is not expected here; the expression could end before it")
        clock = self._uses_clock or seconds > 0
        return Expression(self._text.strip(), condition, frozenset(self._names), steps, seconds, clock)

    # --- conditions

    def _either(self) -> Number | Condition:
        return self._joined("or", self._both)

    def _both(self) -> Number | Condition:
        return self._joined("and", self._negated)

    def _joined(self, word: str, part: Callable[[], Number | Condition]) -> Number | Condition:
        start = self._next
        found = part()
        while self._takes(word):
            left = self._as_condition(found, start)
            start = self._next
            found = Joined(word == "or", left, self._as_condition(part(), start))
        return found

    def _negated(self) -> Number | Condition:
        if not self._takes("not"):
            return self._comparison()
        start = self._next
        with _Deeper(self):
            return Not(self._as_condition(self._negated(), start))

    def _comparison(self) -> Number | Condition:
        start = self._next
        left = self._sum()
        if self._next.text not in COMPARISONS or self._next.kind != "operator":
            return left
        sign = self._take()
        right_start = self._next
        right = self._as_number(self._sum(), right_start)
        if self._next.kind == "operator" and self._next.text in COMPARISONS:
            raise self._error("one comparison at a time; join two of them by `and`")
        return Comparison(sign.text, self._as_number(left, start), right)

    # --- numbers

    def _sum(self) -> Number | Condition:
        return self._calculated("+-", self._product)

    def _product(self) -> Number | Condition:
        return self._calculated("*/", self._factor)

    def _calculated(self, signs: str, part: Callable[[], Number | Condition]) -> Number | Condition:
        start = self._next
        found = part()
        while self._next.kind == "operator" and self._next.text in signs:
            sign = self._take()
            assert sign.text in ARITHMETIC
            left = self._as_number(found, start)
            right_start = self._next
            found = Arithmetic(sign.text, left, self._as_number(part(), right_start))
        return found

    def _factor(self) -> Number | Condition:
        token = self._take()
        if token.kind == "number":
            return Constant(float(token.text))
        if token.kind == "quoted":
            return newest(self._series(token))
        if token.kind == "name" and token.text not in WORDS:
            return self._call(token) if self._next.text == "(" else self._plain(token)
        if token.text == "-":
            start = self._next
            with _Deeper(self):
                return Negative(self._as_number(self._factor(), start))
        if token.text == "(":
            with _Deeper(self):
                found = self._either()
            self._expect(")")
            return found
        raise self._error("a value is missing: a number, the name of a series or a function", token)

    def _plain(self, token: Token) -> Number:
        if token.text == "step":
            return Measured(lambda book: float(book.step))
        return newest(self._series(token))

    def _call(self, token: Token) -> Number | Condition:
        self._expect("(")
        if token.text == "finite":
            found: Number | Condition = IsFinite(newest(self._series(self._name("finite"))))
            self._expect(")")
            return found
        function = FUNCTIONS.get(token.text)
        if function is None:
            known = [*FUNCTIONS, "finite"]
            near = difflib.get_close_matches(token.text, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
            raise self._error(f"there is no function {token.text}; {hint}", token)
        name = self._name(token.text)
        num = 0
        if function.needs != "no window" and self._next.text == ",":
            self._take()
            num = self._whole(function.least, f"how many values {token.text} looks at")
        elif function.needs == "a window":
            raise self._error(f"{token.text} needs to know over how many values: {token.text}({name.text}, 50)")
        self._expect(")")
        self._uses_clock |= function.uses_clock
        return function.make(self._series(name), num)

    # --- words

    def _name(self, function: str) -> Token:
        token = self._take()
        if token.kind not in ("name", "quoted") or token.text in WORDS:
            raise self._error(f"{function} takes the name of a series, got {token}", token)
        return token

    def _whole(self, least: int, what: str) -> int:
        token = self._take()
        if token.kind != "number" or not token.text.isdecimal() or not least <= int(token.text) <= MOST_VALUES:
            raise self._error(f"{what} is a whole number from {least} to {MOST_VALUES}, got {token}", token)
        return int(token.text)

    def _duration(self) -> tuple[int, float]:
        number = self._take()
        if number.kind != "number" or not float(number.text) > 0:
            raise self._error(f"`for` takes a number above 0, as in `for 200 steps`, got {number}", number)
        unit = self._take()
        word = unit.text.removesuffix("s")
        if word in SECONDS:
            return 0, float(number.text) * SECONDS[word]
        if word != "step":
            raise self._error(f"`for` counts steps, seconds, minutes or hours, got {unit}", unit)
        if not number.text.isdecimal():
            raise self._error(f"steps are counted in whole numbers, got {number}", number)
        return int(number.text), 0.0

    def _series(self, token: Token) -> Series:
        if not token.text:
            raise self._error("this name is empty", token)
        self._names.add(token.text)
        return self._book.want(token.text)

    def _as_number(self, found: Number | Condition, start: Token) -> Number:
        if isinstance(found, Condition):
            raise self._error("a number is needed here, and this is a condition", start)
        return found

    def _as_condition(self, found: Number | Condition, start: Token) -> Condition:
        if isinstance(found, Number):
            raise self._error("this is a number, and nothing is said of it; compare it, as in `loss > 3`", start)
        return found

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _takes(self, word: str) -> bool:
        if self._next.kind == "name" and self._next.text == word:
            self._at += 1
            return True
        return False

    def _expect(self, sign: str) -> None:
        token = self._take()
        if token.kind != "operator" or token.text != sign:
            raise self._error(f"`{sign}` is missing here", token)

    def _error(self, what: str, token: Token | None = None) -> ExpressionError:
        return ExpressionError(what, self._text, (token or self._next).at)


class _Deeper:
    """Brackets in brackets, up to a depth that is no accident."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def __enter__(self) -> None:
        self._reader._depth += 1
        if self._reader._depth > MOST_DEPTH:
            raise self._reader._error("this is nested too deeply")

    def __exit__(self, *error: object) -> None:
        self._reader._depth -= 1
