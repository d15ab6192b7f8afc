"""A stretch of a watched program in which nothing of the sanitizer is called, for comparing within one process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

from surefoot.sanitizer import Sanitizer

GLOBAL_HOOKS: list[dict[int, Any]] = [
    hooks
    for home in (modules, optimizers)
    for name, hooks in vars(home).items()
    if name.startswith("_global_") and name.endswith("_hooks") and isinstance(hooks, dict)
]


@contextmanager
def unwatched(sanitizer: Sanitizer) -> Iterator[None]:
    """Torch's own functions are back and its lists of hooks are empty: nothing of the sanitizer is called."""
    hooked = [dict(hooks) for hooks in GLOBAL_HOOKS]
    for hooks in GLOBAL_HOOKS:
        hooks.clear()
    with sanitizer.recorder.tap.suspended():
        yield
    for hooks, entries in zip(GLOBAL_HOOKS, hooked, strict=True):
        hooks.update(entries)
