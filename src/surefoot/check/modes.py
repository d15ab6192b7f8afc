"""How do the answers of a model in train mode and in eval mode differ, and what makes them differ?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from surefoot.check.asking import answer, in_mode
from surefoot.check.calls import ModelCall

DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")


def measure(calls: list[ModelCall]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "layers": [], "differs": False, "is_random_in_eval": False, "left_on": [], "left_off": [], "num_calls": 0
    }  # fmt: skip
    for call in calls:
        found["num_calls"] += 1
        found["layers"] += _layers(call.module)
        with in_mode(call.module, training=True), _dropout_calls() as heard:
            trained = answer(call)
        in_train = {line: on for line, on, _ in heard}
        with in_mode(call.module, training=False), _dropout_calls() as heard:
            first, other = answer(call), answer(call, seed=8)
        found["differs"] |= _differ(trained, first)
        found["is_random_in_eval"] |= _differ(first, other)
        for line, is_on, is_default in heard:
            if is_on and (is_default or not in_train.get(line, True)):
                found["left_on"].append(line)
    found["left_on"] = sorted(set(found["left_on"]))
    found["layers"] = sorted(set(found["layers"]))
    return found


def _differ(one: dict[Any, torch.Tensor], other: dict[Any, torch.Tensor]) -> bool:
    both = [path for path in one if path in other and one[path].shape == other[path].shape]
    return any(not torch.allclose(one[path], other[path], rtol=1e-4, atol=1e-6, equal_nan=True) for path in both)


def _layers(module: nn.Module) -> list[str]:
    """Kinds of layers that say that they depend on the mode."""
    found = []
    for one in module.modules():
        is_dropout = isinstance(one, nn.modules.dropout._DropoutNd) and one.p > 0
        is_norm = isinstance(one, nn.modules.batchnorm._NormBase) and one.track_running_stats
        has_dropout = isinstance(getattr(one, "dropout", None), float) and getattr(one, "dropout", 0.0) > 0
        if is_dropout or is_norm or has_dropout:
            found.append(type(one).__name__)
    return found


Heard = list[tuple[str, bool, bool]]  # a line of the program; whether dropout is on there; whether by default


@contextmanager
def _dropout_calls() -> Iterator[Heard]:
    heard: Heard = []
    originals = {name: getattr(nn.functional, name) for name in DROPOUTS}

    def listening(original: Callable[..., Any]) -> Callable[..., Any]:
        def dropout(input: Any, p: float = 0.5, training: Any = None, inplace: bool = False) -> Any:  # noqa: A002
            frame = sys._getframe(1)
            is_on = p > 0 and training is not False
            if not frame.f_code.co_filename.startswith(nn.__file__.removesuffix("__init__.py")):
                heard.append((f"{frame.f_code.co_filename}:{frame.f_lineno}", is_on, training is None))
            return original(input, p, True if training is None else training, inplace)

        return dropout

    for name, original in originals.items():
        setattr(nn.functional, name, listening(original))
    try:
        yield heard
    finally:
        for name, original in originals.items():
            setattr(nn.functional, name, original)
