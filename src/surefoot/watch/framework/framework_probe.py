"""Name the user's function in place of the line that starts a framework's loop, as `trainer.fit(model, data)`."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from surefoot.launch.hook.surefoot_import import when_any_imported
from surefoot.watch.framework.entry_points import ENTRY_POINTS, EntryPoint
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


class FrameworkProbe(Probe):
    name = "framework"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.on_removal(
            when_any_imported({entry.module: partial(self._listen, entry) for entry in ENTRY_POINTS})
        )

    def _listen(self, entry: EntryPoint) -> None:
        owner = getattr(sys.modules[entry.module], entry.owner, None)
        if entry.method not in vars(owner or object):  # another version
            return
        self._catch_up(entry, code_of(vars(owner)[entry.method]))
        self._recorder.tap.listen(owner, entry.method, self.name, before=partial(self._begins, entry))

    def _catch_up(self, entry: EntryPoint, code: CodeType | None) -> None:
        """A callback of the framework may be what starts the watch: its loop is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code is code:
                names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
                values = [frame.f_locals[name] for name in names if name in frame.f_locals]
                self._begins(entry, values, {}, frame)
                return
            frame = frame.f_back

    def _begins(self, entry: EntryPoint, args: Any, kwargs: Any, frame: FrameType | None = None) -> None:
        sites = self._recorder.sites
        codes = [code for code in _codes(entry, args, kwargs) if sites.is_user(code.co_filename)]
        sites.stand_in(codes[0] if codes else None, frame or sys._getframe(1))


def _codes(entry: EntryPoint, args: Any, kwargs: Any) -> Iterator[CodeType]:
    with suppress(AttributeError):  # a version of the framework in which something has another name
        for candidate in entry.candidates(*args, **kwargs):
            code = code_of(candidate)
            if code is not None:
                yield code


def code_of(function: Any) -> CodeType | None:
    """Of what is called in the end: behind decorators, partials, methods and objects with `__call__` or `forward`."""
    for _ in range(8):
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        elif isinstance(function, FunctionType):
            inner = inspect.unwrap(function)
            return inner.__code__ if isinstance(inner, FunctionType) else None
        else:
            function = getattr(type(function), "forward", None) or vars(type(function)).get("__call__")
    return None
