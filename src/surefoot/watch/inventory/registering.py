"""Torch's hooks on parameters and modules that are registered, taken away where that can't hurt.

A watch may end inside the garbage collector, which may run while torch goes through these hooks: to take one away then
would raise in the program, in the middle of `nn.Linear(8, 3)`. There they stay until the next watch begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from torch.nn.modules.module import (
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)

if TYPE_CHECKING:
    from surefoot.watch.tap import Tap

Hook = Callable[[Any, str, Any], None]

_left: list[Any] = []  # handles of hooks that listen no more
_is_collecting = False


def on_parameter(tap: Tap, hook: Hook) -> None:
    """`hook` is to do nothing once the tap is off."""
    _listen(tap, register_module_parameter_registration_hook(hook))


def on_module(tap: Tap, hook: Hook) -> None:
    _listen(tap, register_module_module_registration_hook(hook))


@contextmanager
def collecting() -> Iterator[None]:
    """What happens inside may happen in the garbage collector."""
    global _is_collecting
    before, _is_collecting = _is_collecting, True
    try:
        yield
    finally:
        _is_collecting = before


def _listen(tap: Tap, handle: Any) -> None:
    while _left:
        _left.pop().remove()
    tap.on_removal(lambda: _left.append(handle) if _is_collecting else handle.remove())
