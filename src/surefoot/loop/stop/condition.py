"""What every stop condition is: it sees what is new, remembers it, and gives a reason to stop or none.

A condition keeps what it observed, never its verdict: the reason is worked out from it whenever it is asked for. So one
part of `a & b` holds until its own value changes, though the other's values come at other moments, and a resumed run
may ask for another limit than the run that was saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One moment of a run: after an applied update, or after a validation."""

    update: int  # applied updates so far
    epoch: int  # epochs finished so far
    seconds: float  # of training so far, over all resumes
    values: Mapping[str, float]  # only what is new at this moment


class Condition(ABC):
    """A reason to stop, some day. `a | b` stops when either holds, `a & b` when both do."""

    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """The conditions it is made of, each once."""

    @abstractmethod
    def reason(self) -> str | None:
        """Why to stop, by all that was seen so far; None while there is no reason."""

    def see(self, seen: Seen) -> str | None:
        """Take notice of what is new; the reason to stop, or None."""
        for part in self.parts():
            part.observe(seen)
        return self.reason()

    @property
    def names(self) -> frozenset[str]:
        """The names of the values it waits for."""
        return frozenset(part.name for part in self.parts() if part.name)

    def reset(self) -> None:
        """Forget everything seen."""
        for part in self.parts():
            part.forget()

    def state_dict(self) -> dict[str, Any]:
        """What was seen, as plain values."""
        return {key: part.remembered() for key, part in self._keyed()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what another run saw; a condition that it did not have starts afresh."""
        for key, part in self._keyed():
            part.forget()
            if key in state:
                part.recall(state[key])

    def _keyed(self) -> Iterator[tuple[str, Part]]:
        """Each part with a key that stays the same when others are added; like ones are numbered."""
        num_alike: dict[str, int] = {}
        for part in self.parts():
            key = f"{part.kind}({part.name})"
            num_alike[key] = num_alike.get(key, 0) + 1
            yield f"{key}#{num_alike[key]}", part

    def __or__(self, other: Condition) -> Condition:
        return Either(self, other) if isinstance(other, Condition) else NotImplemented

    def __and__(self, other: Condition) -> Condition:
        return Both(self, other) if isinstance(other, Condition) else NotImplemented

    def __bool__(self) -> bool:
        raise TypeError(
            "a stop condition is neither true nor false by itself. Combine conditions with | and &, not with "
            "'or' and 'and'."
        )


class Part(Condition):
    """A condition that is not made of others. Its parameters stay; `remembered` is what it saw."""

    kind: str
    name: str = ""  # the value it is about

    def parts(self) -> tuple[Part, ...]:
        return (self,)

    @abstractmethod
    def observe(self, seen: Seen) -> None:
        """Remember what is new in `seen`; a value that is absent changes nothing."""

    @abstractmethod
    def forget(self) -> None: ...

    @abstractmethod
    def remembered(self) -> dict[str, Any]: ...

    @abstractmethod
    def recall(self, state: Mapping[str, Any]) -> None: ...


class _Pair(Condition):
    def __init__(self, first: Condition, second: Condition) -> None:
        self.first, self.second = first, second
        # By identity: a condition that is used twice must still see everything once.
        self._parts = tuple({id(part): part for part in (*first.parts(), *second.parts())}.values())

    def parts(self) -> tuple[Part, ...]:
        return self._parts


class Either(_Pair):
    """`a | b`."""

    def reason(self) -> str | None:
        reasons = [reason for reason in (self.first.reason(), self.second.reason()) if reason is not None]
        return "; ".join(reasons) or None


class Both(_Pair):
    """`a & b`: both hold at once, each by the latest value it saw."""

    def reason(self) -> str | None:
        first, second = self.first.reason(), self.second.reason()
        return None if first is None or second is None else f"{first} and {second}"
