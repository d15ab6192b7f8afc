"""Attributes of modules that change during training and are in no checkpoint, such as the pointer of a queue."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.checkpoint import generator
from surefoot.loop.parallel.shard import local
from surefoot.loop.plan import LoopWarning

PLAIN = (int, float, bool, str)
OF_TORCH = frozenset(Module().__dict__)
MOST_TOLD = 3


class UnsavedAttributes:
    """What attributes were when training began; tells once which of them have changed by a save.

    Only what was there from the beginning counts, and containers do not: caches and records are no state.
    """

    def __init__(self, models: Mapping[str, Module]) -> None:
        self._models = models
        self._before = {path: _mark(value) for path, value in _attributes(models)}
        self._has_told = False

    def tell(self, kept: Collection[Any]) -> None:
        """Except for what the program has `kept` itself, in `loop.state`."""
        if self._has_told:
            return
        changed = list(self._changed(kept))
        if changed:
            self._has_told = True
            more = f" and {len(changed) - MOST_TOLD} more" if len(changed) > MOST_TOLD else ""
            warnings.warn(
                f"{', '.join(changed[:MOST_TOLD])}{more} changed during training and is not in the checkpoint: a "
                "resumed run would have it as the program makes it. If training depends on it, make it a buffer "
                "(register_buffer), return it from get_extra_state(), or keep it in loop.state.",
                LoopWarning,
                stacklevel=5,
            )

    def _changed(self, kept: Collection[Any]) -> Iterator[str]:
        saved = {local(t).untyped_storage().data_ptr() for t in _saved_tensors(self._models, kept)}
        for path, value in _attributes(self._models):
            before = self._before.get(path)
            if isinstance(before, tuple) and isinstance(value, Tensor):
                if value.untyped_storage().data_ptr() not in saved and _is_another(before[0], before[1], value):
                    yield path
            elif generator.is_generator(value):
                if before != _mark(value) and not any(value is one for one in kept):
                    yield path
            elif type(before) is type(value) and before != value and not _is_kept(value, kept):
                yield f"{path} ({before!r} to {value!r})"


def _attributes(models: Mapping[str, Module]) -> Iterator[tuple[str, Any]]:
    """Those of the program's own modules that may be state."""
    for name, model in models.items():
        for path, module in model.named_modules():
            if _saves_by_itself(module):
                continue
            lead = ".".join(filter(None, (name or "model", path)))
            for attribute, value in list(vars(module).items()):
                if attribute not in OF_TORCH and _mark(value) is not None:
                    yield f"{lead}.{attribute}", value


def _saves_by_itself(module: Module) -> bool:
    kind = type(module)
    is_of_torch = kind.__module__.partition(".")[0] == "torch"
    return is_of_torch or kind.get_extra_state is not Module.get_extra_state or kind.state_dict is not Module.state_dict


def _mark(value: Any) -> Any:
    """What tells a change; None for what is no state, such as a result that a graph led to."""
    if isinstance(value, Tensor):
        is_plain = type(value) is Tensor and value.layout == torch.strided and value.grad_fn is None
        return (value, value._version) if is_plain else None
    if generator.is_generator(value):
        state = generator.states({"": value})[""]
        return state.numpy().tobytes() if isinstance(state, Tensor) else repr(state)
    return value if type(value) in PLAIN else None


def _is_another(before: Tensor, version: int, now: Tensor) -> bool:
    return now._version != version if before is now else before.shape == now.shape


def _is_kept(value: Any, kept: Collection[Any]) -> bool:
    """A copy of it, since a plain value is no object of its own."""
    return any(type(one) is type(value) and one == value for one in kept)


def _saved_tensors(models: Mapping[str, Module], kept: Collection[Any]) -> Iterator[Tensor]:
    for model in models.values():
        yield from model.parameters()
        yield from model.buffers()
    yield from (one for one in kept if isinstance(one, Tensor))
