"""Activation checkpointing by module names: memory for a second forward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial, wraps
from typing import Any

from torch.nn import Module
from torch.utils.checkpoint import checkpoint


def checkpoint_activations(models: Iterable[Module], patterns: Sequence[str]) -> None:
    """Have the modules whose names match run their forward again in backward, instead of keeping its results."""
    if isinstance(patterns, str):
        raise TypeError(f"the modules to checkpoint are given as a list of patterns, got {patterns!r}: write a list.")
    named = [pair for model in models for pair in model.named_modules()] if patterns else []
    for pattern in patterns:
        found = [module for name, module in named if name and fnmatchcase(name, pattern)]
        if not found:
            names = ", ".join(name for name, _ in named[1:6])
            raise ValueError(f"no module is called {pattern!r}. There are {names}, …")
        for module in found:
            _rerun_in_backward(module)


def _rerun_in_backward(module: Module) -> None:
    original: Callable[..., Any] = module.forward
    if getattr(original, "_reruns", False):
        return

    @wraps(original)
    def forward(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(partial(original, **kwargs), *args, use_reentrant=False)

    forward._reruns = True  # type: ignore[attr-defined, unused-ignore]
    module.forward = forward  # type: ignore[method-assign, unused-ignore]
