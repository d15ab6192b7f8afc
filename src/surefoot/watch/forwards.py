"""Calls of modules, heard only while somebody wants to: in the first steps, and in windows that are measured.

Torch has hooks for this, but with one in place it takes another way through its own code: traceback and warnings of the
program would name other lines. So the one function that calls `forward` is replaced for as long as it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.nn import Module

from surefoot.watch.recursion import LIMIT
from surefoot.watch.tap import Tap

Heard = Callable[[Module, Any, Any], None]  # the module, its positional arguments and its output


class Forwards:
    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._before: list[tuple[str, Callable[[Module], None]]] = []
        self._after: list[tuple[str, Heard]] = []
        self._put_back: Callable[[], None] | None = None

    def listen(self, probe: str, *, before: Callable[[Module], None] | None = None, after: Heard | None = None) -> None:
        if before is not None:
            self._before.append((probe, before))
        if after is not None:
            self._after.append((probe, after))
        if self._put_back is None:
            self._put_back = self._tap.replace_for_a_while(Module, "_call_impl", self._make)

    def leave(self, probe: str) -> None:
        """The probe has heard enough."""
        self._before = [one for one in self._before if one[0] != probe]
        self._after = [one for one in self._after if one[0] != probe]
        if not self._before and not self._after and self._put_back is not None:
            self._put_back()
            self._put_back = None

    def _make(self, original: Callable[..., Any]) -> Callable[..., Any]:
        tap = self._tap

        def _call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
            for probe, call in forwards._before:
                tap.run(probe, call, self)
            LIMIT.widen()
            try:
                result = original(self, *args, **kwargs)
            finally:
                LIMIT.narrow()
            for probe, heard in forwards._after:
                tap.run(probe, heard, self, args, result)
            return result

        forwards = self
        return _call_impl
