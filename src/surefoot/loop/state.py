"""`loop.state`: what else a program's training goes on from, saved with every checkpoint and put back by `resume()`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from torch import Tensor

from surefoot.loop.checkpoint import generator
from surefoot.loop.checkpoint.file import refuse_unloadable
from surefoot.loop.plan import LoopWarning


class State(MutableMapping[str, Any]):
    """By name: objects with `state_dict` and `load_state_dict`, random generators, tensors and plain values.

    loop.state["teacher"] = teacher     # loaded in place on resume, as generators and tensors are
    loop.state["pointer"] = 0           # replaced on resume: read it from here
    """

    def __init__(self) -> None:
        self._held: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._held[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"loop.state keeps things by name, got {name!r} as a name.")
        if _kind(value) == "value":
            refuse_unloadable(value, _at(name))
        self._held[name] = value

    def __delitem__(self, name: str) -> None:
        del self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"State({self._held!r})"

    def saved(self) -> dict[str, dict[str, Any]]:
        """For a checkpoint."""
        state = {name: {"kind": _kind(held), "state": _state_of(held)} for name, held in self._held.items()}
        for name, one in state.items():
            if _holds_a_part(one["state"]):
                raise TypeError(
                    f"{_at(name)} holds a sharded tensor, of which a rank has a part only. Give the model to sf.Loop, "
                    "or keep whole tensors."
                )
        return state

    def difference(self, saved: Mapping[str, Mapping[str, Any]]) -> str | None:
        """Why a checkpoint's state can't be put back."""
        for name, one in saved.items():
            kind = "nothing" if name not in self._held else _kind(self._held[name])
            if kind == "nothing" and one["kind"] in ("object", "generator"):
                return f"{_at(name)} is in the checkpoint but not here; set it before resume()"
            if kind not in ("nothing", one["kind"]):
                return f"{_at(name)} was {_NAMES[one['kind']]} and is {_NAMES[kind]} here"
        return None

    def restore(self, saved: Mapping[str, Mapping[str, Any]]) -> None:
        for name, one in saved.items():
            held = self._held.get(name)
            if one["kind"] == "object":
                held.load_state_dict(one["state"])  # type: ignore[union-attr]
            elif one["kind"] == "generator":
                generator.put({"": held}, {"": one["state"]})
            elif _is_alike(held, one["state"]):
                held.detach().copy_(one["state"])  # type: ignore[union-attr]
            else:
                self._held[name] = one["state"]
        new = [name for name in self._held if name not in saved]
        if new:
            warnings.warn(
                f"{', '.join(map(_at, new))} is not in the checkpoint and stays as the program made it.",
                LoopWarning,
                stacklevel=5,
            )


_NAMES = {"object": "an object with state_dict", "generator": "a random generator", "value": "a plain value"}


def _at(name: str) -> str:
    return f"loop.state[{name!r}]"


def _kind(value: Any) -> str:
    if callable(getattr(value, "state_dict", None)) and callable(getattr(value, "load_state_dict", None)):
        return "object"
    return "generator" if generator.is_generator(value) else "value"


def _state_of(held: Any) -> Any:
    kind = _kind(held)
    if kind == "object":
        return held.state_dict()
    if kind == "generator":
        return generator.states({"": held})[""]
    return held.detach() if isinstance(held, Tensor) else held


def _is_alike(held: Any, saved: Any) -> bool:
    """Then it is filled in place: the program may know the tensor by other names."""
    tensors = isinstance(held, Tensor) and isinstance(saved, Tensor)
    return tensors and (held.shape, held.dtype) == (saved.shape, saved.dtype)


def _holds_a_part(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_a_part, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_a_part, value))
    return hasattr(value, "_local_tensor")
