"""What can be read off a scheduler: its kind, its settings, after how many steps it is finished."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import LRScheduler

_LENGTHS: dict[str, str] = {
    "CosineAnnealingLR": "T_max",
    "OneCycleLR": "total_steps",
    "LinearLR": "total_iters",
    "ConstantLR": "total_iters",
    "PolynomialLR": "total_iters",
}
STEPS = "num_training_steps"
_SETTINGS = ("step_size", "gamma", "T_max", "eta_min", "total_steps", "total_iters", "T_0", "factor", "patience")


def builtin_of(scheduler: Any) -> str:
    """The name of the class of torch whose rates it computes; "" for one that computes its own."""
    kind: Any = type(scheduler)
    name: str = _builtin(kind)
    return name


@functools.lru_cache(maxsize=256)
def _builtin(kind: Any) -> str:
    for base in kind.__mro__:
        if base.__module__ == lr_scheduler.__name__ and base.__name__ not in ("LRScheduler", "_LRScheduler"):
            return str(base.__name__)
        if "get_lr" in vars(base) or "step" in vars(base):
            return ""
    return ""


def children_of(scheduler: Any) -> list[LRScheduler]:
    """The schedulers it holds and advances."""
    found: list[LRScheduler] = []
    for value in vars(scheduler).values():
        if isinstance(value, LRScheduler):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += [item for item in value if isinstance(item, LRScheduler)]
    return found


def length_of(scheduler: Any) -> int | None:
    """Steps after which it is finished; None where it has no end or hides it."""
    kind = builtin_of(scheduler)
    if kind in _LENGTHS:
        return _whole(getattr(scheduler, _LENGTHS[kind], None))
    if kind == "MultiStepLR":
        return max(scheduler.milestones, default=None)
    if kind == "SequentialLR":
        last = length_of(scheduler._schedulers[-1])
        begins = scheduler._milestones[-1] if scheduler._milestones else 0
        return None if last is None else _whole(begins + last)
    if kind == "ChainedScheduler":
        lengths = [length_of(child) for child in scheduler._schedulers]
        known = [length for length in lengths if length is not None]
        return max(known) if len(known) == len(lengths) else None
    if kind == "LambdaLR":
        return _declared(scheduler.lr_lambdas)
    return None


def _declared(lambdas: Any) -> int | None:
    """The number of training steps in the keywords of partial functions, or of objects, where all agree."""
    declared = {
        _whole(f.keywords.get(STEPS) if isinstance(f, functools.partial) else getattr(f, STEPS, None)) for f in lambdas
    }
    return declared.pop() if len(declared) == 1 else None


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 < value < 2**53 else None


def settings_of(scheduler: Any) -> tuple[tuple[str, float], ...]:
    return tuple(_settings(scheduler))


def _settings(scheduler: Any) -> Iterator[tuple[str, float]]:
    for name in _SETTINGS:
        value = getattr(scheduler, name, None)
        if isinstance(value, int | float):
            yield name, float(value)
    yield from (("milestone", float(m)) for m in _milestones(scheduler))
    if getattr(scheduler, "mode", None) == "max":
        yield "maximise", 1.0


def _milestones(scheduler: Any) -> list[int]:
    match builtin_of(scheduler):
        case "MultiStepLR":
            return sorted(scheduler.milestones.elements())
        case "LambdaLR":
            milestones = getattr(scheduler.lr_lambdas[0], "milestones", None)
            return list(milestones) if isinstance(milestones, tuple) else []
    return []


def position_of(scheduler: Any) -> int | None:
    position = getattr(scheduler, "last_epoch", None)
    if position is None and builtin_of(scheduler) == "ChainedScheduler":
        position = max((getattr(child, "last_epoch", 0) for child in scheduler._schedulers), default=None)
    return int(position) if isinstance(position, int | float) else None


def past_minimum_of(scheduler: Any) -> int:
    """How many steps ago a cosine without restarts passed its minimum; 0 where none did."""
    kind = builtin_of(scheduler)
    if kind == "CosineAnnealingLR":
        return max(0, int(scheduler.last_epoch - scheduler.T_max))
    if kind == "SequentialLR":
        return past_minimum_of(scheduler._schedulers[bisect_right(scheduler._milestones, scheduler.last_epoch)])
    if kind == "ChainedScheduler":
        return max(past_minimum_of(child) for child in scheduler._schedulers)
    return 0
