"""What a program passed to a logger in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.runlog.setting import DEEPEST


@dataclass(slots=True)
class Logged:
    """`step` None: the logger counts its calls, and no step was given."""

    scalars: Mapping[str, Any] = field(default_factory=dict)
    step: Any = None
    settings: Any = None
    media: Mapping[str, Any] = field(default_factory=dict)  # lists of what `sf.log` takes


def argument(args: tuple[Any, ...], given: Mapping[str, Any], place: int, name: str, default: Any = None) -> Any:
    """Of a call, by place (the object itself is 0) or name."""
    return args[place] if len(args) > place else given.get(name, default)


def numbers(values: Any, separator: str = ".") -> dict[str, Any]:
    """What is one number of all that is logged, with what is inside others named as wandb does it: `train.loss`."""
    return dict(_numbers(values, "", separator, 0)) if isinstance(values, Mapping) else {}


def _numbers(values: Mapping[Any, Any], lead: str, separator: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            if depth < DEEPEST:
                yield from _numbers(value, f"{lead}{key}{separator}", separator, depth + 1)
        elif is_number(value):
            yield f"{lead}{key}", value


def is_number(value: Any) -> bool:
    """A number of Python, or a tensor or array of one element."""
    if isinstance(value, bool | int | float):
        return True
    if isinstance(value, str | bytes) or not hasattr(value, "item"):
        return False
    size = getattr(value, "numel", None)  # of torch; numpy has `size`
    return (size() if callable(size) else getattr(value, "size", 0)) == 1 and not isinstance(value, complex)


def whole(step: Any) -> int | None:
    """A step as loggers take them: numbers of any library, also 3.0."""
    if step is None:
        return None
    number = step.item() if hasattr(step, "item") else step
    return int(number) if int(number) == number else None
