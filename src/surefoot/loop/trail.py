"""The random states from which a loader drew, where somebody else had drawn in between.

A loader that keeps random choices for later batches, such as a shuffle buffer, can be brought back to a batch only by
giving it the same random numbers again. Those that dropout drew between its batches would be missing: so the state
before such a batch is noted.
"""

import ctypes
import random
import struct
import sys
from collections.abc import Mapping
from typing import Any

import torch

from surefoot.loop.checkpoint.generator import plain, unplain

MOST_BATCHES = 4096  # at most 40 MB
MT19937_BYTES = 625 * 4  # 624 words and a position


_SHARED: random.Random = random.random.__self__  # type: ignore[attr-defined]  # what `random.random()` draws from


def _state_offset(generator: random.Random) -> int | None:
    """Where in the object its state lies: position and words. None where that can't be said, as in other Pythons."""
    offset = object.__basicsize__
    if sys.implementation.name != "cpython" or type(generator).__basicsize__ < offset + MT19937_BYTES:
        return None
    *words, position = generator.getstate()[1]
    seen = list(struct.unpack_from(f"{len(words) + 1}I", ctypes.string_at(id(generator) + offset, MT19937_BYTES)))
    return offset if seen == [position, *words] else None


class _Torch:
    """`mark` changes whenever something is drawn and is cheap; `capture` is what `put` takes back."""

    def mark(self) -> Any:
        return torch.get_rng_state().numpy().tobytes()

    def capture(self) -> Any:
        return torch.get_rng_state()

    def put(self, state: Any) -> None:
        torch.set_rng_state(state)


class _Python:
    def __init__(self) -> None:
        self._offset = _state_offset(random.Random(1))

    def mark(self) -> Any:
        if self._offset is None:
            return random.getstate()
        return ctypes.string_at(id(_SHARED) + self._offset, MT19937_BYTES)  # `getstate` takes 12 µs

    def capture(self) -> Any:
        return random.getstate()

    def put(self, state: Any) -> None:
        random.setstate(state)


class _Numpy:
    def mark(self) -> Any:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return b""
        bits = numpy.random.get_bit_generator()
        if type(bits).__name__ != "MT19937":
            return repr(bits.state)
        return ctypes.string_at(bits.ctypes.state_address, MT19937_BYTES)  # reading it all as a dict takes 40 µs

    def capture(self) -> Any:
        return plain(sys.modules["numpy"].random.get_state(legacy=False))

    def put(self, state: Any) -> None:
        sys.modules["numpy"].random.set_state(unplain(state))


SOURCES: dict[str, _Torch | _Python | _Numpy] = {"torch": _Torch(), "python": _Python(), "numpy": _Numpy()}


class Trail:
    """States by number of the batch in its epoch. Where it is not noting, nobody need tell it of batches."""

    def __init__(self, noting: bool) -> None:
        self.is_whole = True
        self.is_noting = noting
        self._states: dict[int, dict[str, Any]] = {}
        self._after: dict[str, Any] = {}  # marks after the last batch
        self._before: dict[str, Any] = {}  # marks before this one
        self._captured: dict[str, Any] = {}  # states before this one, of what others have drawn from

    def begin(self) -> None:
        """A new epoch: nobody draws between its start and its first batch."""
        self._states, self._after, self.is_whole = {}, {}, True

    def before_batch(self) -> None:
        before = self._before = {name: source.mark() for name, source in SOURCES.items()}
        moved = [name for name, mark in self._after.items() if mark != before[name]]
        self._captured = {name: SOURCES[name].capture() for name in moved}

    def after_batch(self, index: int) -> None:
        after = self._after = {name: source.mark() for name, source in SOURCES.items()}
        used = {name: state for name, state in self._captured.items() if after[name] != self._before[name]}
        if used and len(self._states) >= MOST_BATCHES:
            self.is_whole = False
        elif used:
            self._states[index] = used

    def retrace(self, index: int) -> None:
        """Put the states back that the batch was drawn from, where the batch before did not leave them so."""
        for name, state in self._states.get(index, {}).items():
            SOURCES[name].put(state)

    def state(self) -> dict[str, Any]:
        return {"states": dict(self._states), "after": self._after, "is_whole": self.is_whole}

    def load(self, state: Mapping[str, Any]) -> None:
        self._states, self._after, self.is_whole = dict(state["states"]), state["after"], state["is_whole"]
