"""`sf.track`: chosen values of parameters, recorded as training goes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from time import monotonic
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim.optimizer import register_optimizer_step_post_hook

from surefoot.loop.parallel.shard import local
from surefoot.runlog.write.current import current_run, is_decided, log_folder, start_run
from surefoot.runlog.write.layout import Key
from surefoot.runlog.write.run import Run
from surefoot.watch.inventory.registry import all_roots

MOST_VALUES = 256
SPACING_SECONDS = 1.0
SPEC = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<index>[^\[\]]*)\])?")


@dataclass(slots=True)
class Tracked:
    """Some elements of one parameter."""

    param: Tensor
    index: tuple[Any, ...]
    keys: tuple[Key, ...]  # of their series


@dataclass(slots=True)
class Tracker:
    """All that is tracked in this process."""

    current: ClassVar[Tracker | None] = None

    tracked: list[Tracked] = field(default_factory=list)
    due: float = 0.0
    num_steps: int = 0
    hook: Any = None


def track(*names: str, model: Module | Mapping[str, Module] | None = None) -> None:
    """Record values of parameters about once a second: `sf.track("fc.bias", "head.weight[0, :4]")`.

    Names are those of `model.named_parameters()`, with an index of plain numbers and slices where a parameter is
    large. `model` tells which model is meant; without it, all models of the process are looked through.
    `sf.track()` with no name ends it.
    """
    if not names:
        stop_tracking()
        return
    params = _params(model)
    tracked = [_tracked(spec, params) for spec in names]
    if is_decided() and current_run() is None:
        return
    tracker = Tracker.current
    if tracker is None:
        tracker = Tracker.current = Tracker()
        tracker.hook = register_optimizer_step_post_hook(_after_step)
    tracker.tracked += tracked


def stop_tracking() -> None:
    tracker, Tracker.current = Tracker.current, None
    if tracker is not None:
        tracker.hook.remove()


def sample_tracked(run: Run, step: int) -> None:
    """Write the values if they are due."""
    tracker = Tracker.current
    if tracker is None or monotonic() < tracker.due:
        return
    for one in tracker.tracked:
        with torch.no_grad():
            values = local(one.param.detach())[one.index].reshape(-1).tolist()
        run.others(step, one.keys, values)
    tracker.due = monotonic() + SPACING_SECONDS


def _after_step(optimizer: Any, args: Any, kwargs: Any) -> None:
    """In programs without a loop of ours."""
    tracker = Tracker.current
    if tracker is None:
        return
    tracker.num_steps += 1
    if monotonic() < tracker.due:
        return
    run = current_run()
    if run is None and not is_decided() and log_folder(True) is not None:
        run = start_run()
    if run is not None and not run.num_loops:
        sample_tracked(run, tracker.num_steps if run.step is None else run.step())


def _params(model: Module | Mapping[str, Module] | None) -> dict[str, Tensor]:
    models = all_roots() if model is None else [model] if isinstance(model, Module) else list(model.values())
    found: dict[str, Tensor] = {}
    for one in models:
        for name, param in one.named_parameters():
            found.setdefault(name, param)
    return found


def _tracked(spec: str, params: Mapping[str, Tensor]) -> Tracked:
    match = SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f'what to track is a name, or a name with an index such as "fc.weight[0, :4]", got {spec!r}.')
    name = match["name"].strip()
    param = params.get(name)
    if param is None:
        near = get_close_matches(name, params, n=1, cutoff=0.0)
        hint = f"The nearest name is {near[0]!r}." if near else "There is no model yet: make it first."
        raise ValueError(f"no parameter is called {name!r}. {hint}")
    shape = tuple(local(param.detach()).shape)
    index = _index(spec, match["index"], shape)
    places = _places(spec, index, shape)
    return Tracked(param, index, tuple(("param", name, place) for place in places))


def _index(spec: str, text: str | None, shape: tuple[int, ...]) -> tuple[Any, ...]:
    parts = [] if text is None or not text.strip() else [part.strip() for part in text.split(",")]
    try:
        index = tuple(_part(part) for part in parts)
    except ValueError:
        raise ValueError(f"an index is made of numbers and slices, such as [0, :4], got {spec!r}.") from None
    if len(index) > len(shape):
        raise ValueError(f"{spec!r} has {len(index)} indices, but the parameter has shape {shape}.")
    return index


def _part(text: str) -> int | slice:
    if ":" not in text:
        return int(text)
    return slice(*(int(bound) if bound.strip() else None for bound in text.split(":")))


def _places(spec: str, index: Sequence[int | slice], shape: tuple[int, ...]) -> list[str]:
    """The index of each element that is meant, in the order in which torch gives them."""
    ranges = []
    for i, size in enumerate(shape):
        chosen = index[i] if i < len(index) else slice(None)
        if isinstance(chosen, int) and not -size <= chosen < size:
            raise ValueError(f"{spec!r} is out of range: the parameter has shape {shape}.")
        ranges.append([chosen % size] if isinstance(chosen, int) else list(range(size))[chosen])
    num_values = 1
    for one in ranges:
        num_values *= len(one)
    if not 0 < num_values <= MOST_VALUES:
        raise ValueError(
            f"{spec!r} has {num_values} values, and 1 to {MOST_VALUES} can be tracked. Take a slice of it, such as "
            f'"{spec.partition("[")[0]}[{", ".join(["0"] * (len(shape) - 1) + [":4"])}]".'
        )
    return [",".join(map(str, place)) for place in product(*ranges)]
