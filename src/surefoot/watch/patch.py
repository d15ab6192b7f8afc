"""Replace functions of torch by wrappers, and put every one of them back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import Any

from surefoot.watch.compiler import leave_alone

Function = Callable[..., Any]


def _unseen(wrapper: Function) -> Function:
    """Have the compiler leave it alone, and `warnings.warn(stacklevel=2)` pass it over, by giving it a file name.

    Python does so for its own import machinery, which it knows by these two words. Without this, warnings of torch
    would name our wrapper instead of the line that called it. The path still leads to the same file.
    """
    if isinstance(wrapper, FunctionType):
        file = Path(wrapper.__code__.co_filename)
        unseen = str(file.parent / "importlib_bootstrap" / ".." / file.name)
        wrapper.__code__ = wrapper.__code__.replace(co_filename=unseen)
        leave_alone(wrapper.__code__, and_all_they_call=False)
    return wrapper


class Patches:
    """The replacements of one recorder."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._replaced: list[tuple[Any, str, Any, Any]] = []  # owner, name, what was there, what is there now

    def wrap(self, owner: Any, name: str, make: Callable[[Function], Function]) -> None:
        """Replace `owner.name` by `make(original)`. Static methods stay static."""
        stored = vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)
        static = isinstance(stored, staticmethod)
        original = stored.__func__ if static else stored
        wrapper = wraps(original)(_unseen(make(original)))
        replacement = staticmethod(wrapper) if static else wrapper
        setattr(owner, name, replacement)

        def undo() -> None:
            # Somebody may have wrapped our wrapper since: then it stays below theirs, switched off.
            current = vars(owner).get(name)
            if current is replacement:
                setattr(owner, name, stored)

        self._undo.append(undo)
        self._replaced.append((owner, name, stored, replacement))

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """The originals are back, for what reads source code or compares functions."""
        suspended = [entry for entry in self._replaced if vars(entry[0]).get(entry[1]) is entry[3]]
        for owner, name, stored, _ in reversed(suspended):
            setattr(owner, name, stored)
        try:
            yield
        finally:
            for owner, name, _, replacement in suspended if self._undo else ():
                setattr(owner, name, replacement)

    def on_removal(self, undo: Callable[[], None]) -> None:
        self._undo.append(undo)

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()
