"""What a function that makes a training returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from surefoot.loop.loop import Loop


def made_by(make: Callable[..., Any], **settings: Any) -> tuple[Any, ...]:
    """Call it: a loop, a loader, a loss function, and what else the caller may know of."""
    if not callable(make):
        raise TypeError(f"name a function that returns (loop, loader, loss_fn), got {type(make).__name__}.")
    made = make(**settings)
    if not isinstance(made, tuple) or len(made) < 3 or not isinstance(made[0], Loop) or not callable(made[2]):
        got = f"({', '.join(type(part).__name__ for part in made)})" if isinstance(made, tuple) else type(made).__name__
        raise TypeError(f"the function must return (loop, loader, loss_fn), an sf.Loop first, got {got}.")
    return made
