"""All micro-batches of a window, read alike: otherwise their weights can't be added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from zlib import crc32

from surefoot.loop.weight.error import a_sum, each_alone, no_answer, unknown
from surefoot.loop.weight.known_as import BY_CLASS_WEIGHTS, TIMES

Readings = Mapping[str, float]


class Agreement:
    """What the weights of a window are known as, so far.

    A divisor may be two things by chance: the number of items, and the sum of a mask that is all ones. Only what it is
    in every micro-batch is what the program divides by.
    """

    def __init__(self) -> None:
        self._times: dict[int, float] = {}  # of terms that were multiplied by their own number: what it was
        self._earlier: list[set[str]] = []  # of the window before: decides where there is nothing else
        self.reset()

    def reset(self) -> None:
        self._known_as: list[set[str]] = []
        self._ratios: tuple[float, ...] = ()

    def weigh(self, terms: Sequence[Readings]) -> float:
        """The weight of one more micro-batch."""
        if not terms:
            raise unknown("depends on no item of the micro-batch")
        if len(terms) != len(self._known_as) and self._known_as:
            self._known_as = self._of_other_length(terms)
        weights = [self._choose(i, readings) for i, readings in enumerate(terms)]
        if any(weights):
            self._compare(weights)
        return weights[0]

    def _of_other_length(self, terms: Sequence[Readings]) -> list[set[str]]:
        """Loops may add up any number of terms that are all of one kind."""
        common = set.intersection(*self._known_as)
        if not common or set(self._ratios) - {1.0}:
            raise unknown(f"has {len(terms)} terms, and had {len(self._known_as)} before in the same window")
        self._ratios = (1.0,) * len(terms)
        return [set(common) for _ in terms]

    def _choose(self, i: int, readings: Readings) -> float:
        is_first = i >= len(self._known_as)
        allowed = set(readings) if is_first else self._known_as[i] & set(readings)
        if not allowed and BY_CLASS_WEIGHTS in min(readings):
            raise no_answer("has other class weights than before in the same window")
        if not allowed:
            raise unknown(f"is {_in_words(readings)}, and was {_in_words(self._known_as[i])} before in the same window")
        if len({readings[name] for name in allowed}) > 1:
            allowed = self._likelier(i, allowed, readings)
        chosen = readings[min(allowed)]
        self._refuse_sum(i, chosen, is_times=TIMES in allowed)
        allowed = {name for name in allowed if readings[name] == chosen}
        if is_first:
            self._known_as.append(allowed)
        else:
            self._known_as[i] = allowed
        if len(self._earlier) <= i:
            self._earlier.append(allowed)
        else:
            self._earlier[i] = allowed & self._earlier[i] or allowed
        return chosen

    def _refuse_sum(self, i: int, weight: float, *, is_times: bool) -> None:
        """A constant factor is a number of items once, by chance, but not each time that this number changes."""
        if not is_times:
            self._times.pop(i, None)
        elif self._times.setdefault(i, weight) != weight:
            raise a_sum(TIMES_IN_WORDS)

    def _likelier(self, i: int, allowed: set[str], readings: Readings) -> set[str]:
        """Nothing is left by the mask, and the divisor is one: was it held at one, or is it the number of rows?"""
        before = allowed & self._earlier[i] if i < len(self._earlier) else set()
        plain = {name for name in allowed if name.startswith("mean") and "/" not in name}
        return before or plain or {name for name in allowed if readings[name] == 0.0}

    def _compare(self, weights: Sequence[float]) -> None:
        """A sum of means over different numbers is weighted by one of them only if all grow alike."""
        first = weights[0]
        ratios = tuple(weight / first if first else float("inf") for weight in weights)
        before, self._ratios = self._ratios or ratios, ratios
        if len(before) != len(ratios) or not all(
            isclose(a, b, rel_tol=1e-6) for a, b in zip(before, ratios, strict=True)
        ):
            counts = " and ".join(dict.fromkeys(f"{weight:g}" for weight in weights))
            raise each_alone(counts)

    @property
    def multiplied_by(self) -> float | None:
        """The number of items, if the first term was multiplied by it."""
        return self._times.get(0)

    @property
    def mark(self) -> float | None:
        """A number that is the same on ranks whose losses are put together alike; None before any weight is known."""
        if not self._ratios:
            return None
        own = f"mean / {len(self._known_as)}"  # the average of the terms, of which other ranks may have more
        means = {name for known in self._known_as for name in known if name.startswith("mean") and name != own}
        mixed = sum(i * (ratio - 1.0) for i, ratio in enumerate(self._ratios))
        return mixed + crc32(" ".join(sorted(means)).encode()) / 2**32


TIMES_IN_WORDS = "multiplies a mean by its number of items, which makes it a sum"
_WORDS = {
    "mask": "divided by the sum of a mask or of weights",
    "masks": "divided by the sum of a product of masks",
    "nonzero": "divided by the number of items that a mask keeps",
    "kept": "divided by the number of items that a mask keeps",
    "valid": "divided by the number of valid targets",
    "rows": "divided by the number of items",
    "positions": "divided by the number of items",
    "as": "divided by what another term is divided by",
}


def _in_words(names: Iterable[str]) -> str:
    kind, *rest = min(names).split()
    if kind in _WORDS:
        return _WORDS[kind]
    return " ".join(["a mean", *rest]).replace(" / ", " divided by ").replace(" * ", " times ")


def marks_of(agreement: Agreement) -> list[float]:
    """What tells, added up over ranks, whether all weigh alike: number, sum and sum of squares of two numbers."""
    return [*_powers(agreement.mark), *_powers(agreement.multiplied_by)]


def _powers(number: float | None) -> list[float]:
    return [0.0, 0.0, 0.0] if number is None else [1.0, number, number * number]


def refuse_different_marks(sums: Sequence[float]) -> None:
    if _differ(*sums[:3]):
        raise unknown("adds up means over numbers of items whose ratio differs between ranks")
    if sums[0] == sums[3] and _differ(*sums[3:]):
        raise a_sum(TIMES_IN_WORDS)


def _differ(num: float, total: float, squares: float) -> bool:
    return num * squares - total * total > 1e-9 * (1.0 + total * total)
