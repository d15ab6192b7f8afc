"""Replace functions of other packages by wrappers that also tell us what they were given, or what they returned."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any

from surefoot.capture.logged import Logged
from surefoot.watch.exception import is_the_programs
from surefoot.watch.unseen import unseen

OnLogged = Callable[[str, Logged], None]  # source, what was passed to it
Captured = Logged | Iterable[Logged] | None
Reads = Callable[[tuple[Any, ...], dict[str, Any]], Captured]  # from the arguments
ReadsResult = Callable[[Any, tuple[Any, ...], dict[str, Any]], Captured]


class Listening:
    """The original is called as ever and decides what is returned or raised; its warnings name the same lines.

    What fails on our side ends there; what a signal handler of the program raises while we run goes to the program.
    A source that calls itself, as `parse_args` calls `parse_known_args`, is captured once: at the outermost call.
    """

    def __init__(self, on_logged: OnLogged, failed: Callable[[str, Exception], None]) -> None:
        self._on_logged = on_logged
        self._failed = failed
        self._undo: list[Callable[[], None]] = []
        self._inside = threading.local()
        self._is_on = True

    def listen(self, owner: Any, name: str, source: str, reads: Reads, *, unless_captured: bool = False) -> None:
        """Arguments are read before the call, which may change them, and passed on after it, if it has not raised.

        With `unless_captured` the function passes values on to loggers, and counts only if none of these was captured.
        """

        def call(original: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
            if not self._enters(source):
                return original(*args, **given)
            try:
                captured, number = self._attempt(source, reads, args, given), self._num_captured
                result = original(*args, **given)
                if not unless_captured or number == self._num_captured:
                    self._attempt(source, self._pass_on, source, captured)
                return result
            finally:
                self._leave(source)

        self._replace(owner, name, call)

    def listen_first(self, owner: Any, name: str, source: str, reads: Reads) -> None:
        """For what runs the whole program: captured before it."""

        def call(original: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
            if self._is_on:
                self._attempt(source, lambda: self._pass_on(source, reads(args, given)))
            return original(*args, **given)

        self._replace(owner, name, call)

    def listen_to_result(
        self, owner: Any, name: str, source: str, reads: ReadsResult, *, unless_captured: bool = False
    ) -> None:
        """The same for what is known after the call only."""

        def call(original: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
            is_outermost, number = self._enters(source), self._num_captured
            try:
                result = original(*args, **given)
            finally:
                if is_outermost:
                    self._leave(source)
            if is_outermost and (not unless_captured or number == self._num_captured):
                self._attempt(source, lambda: self._pass_on(source, reads(result, args, given)))
            return result

        self._replace(owner, name, call)

    def stop(self) -> None:
        """Wrappers that nobody has wrapped since are taken out; the others pass everything on."""
        self._is_on = False
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()

    def _replace(self, owner: Any, name: str, call: Any) -> None:
        found = vars(owner).get(name)
        original = found.__func__ if isinstance(found, staticmethod) else found
        if not callable(original):  # another version of the package
            return

        def wrapper(*args: Any, **given: Any) -> Any:
            return call(original, args, given)

        for function in (wrapper, call):
            function.__code__ = unseen(function.__code__)
        functools.update_wrapper(wrapper, original)
        ours = staticmethod(wrapper) if isinstance(found, staticmethod) else wrapper
        setattr(owner, name, ours)

        def undo() -> None:
            if vars(owner).get(name) is ours:
                setattr(owner, name, found)

        self._undo.append(undo)

    def _enters(self, source: str) -> bool:
        inside: set[str] = self._inside.__dict__.setdefault("sources", set())
        if not self._is_on or source in inside:
            return False
        inside.add(source)
        return True

    def _leave(self, source: str) -> None:
        self._inside.sources.discard(source)

    def _pass_on(self, source: str, captured: Captured) -> None:
        for logged in [captured] if isinstance(captured, Logged) else captured or ():
            self._inside.num_captured = self._num_captured + bool(logged.scalars or logged.media)
            self._on_logged(source, logged)

    @property
    def _num_captured(self) -> int:
        """How often loggers received numbers in this thread."""
        return int(self._inside.__dict__.get("num_captured", 0))

    def _attempt(self, source: str, call: Callable[..., Any], *args: Any) -> Any:
        try:
            return call(*args)
        except Exception as error:
            if is_the_programs(error):
                raise
            self._failed(source, error)
            return None
