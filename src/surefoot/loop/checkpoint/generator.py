"""Generators that an object holds: `loader.generator`, `sampler.generator`, `dataset.rng`, a closure's `g`."""

import inspect
import random
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch

DEPTH = 4  # loader, batch sampler, sampler, its own; dataset, subset, transform, its own
LONGEST = 32  # a list of transforms is looked into, a list of samples is not


def find(holder: object) -> dict[str, Any]:
    """Every generator that `holder` leads to, each once, by the path to it."""
    seen: set[int] = set()
    return dict(_walk(holder, "", DEPTH, seen))


def states(generators: Mapping[str, Any]) -> dict[str, Any]:
    return {path: _state(generator) for path, generator in generators.items()}


def put(generators: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
    """Put saved states back, where such a generator is. One that is made later is made the same way again."""
    for path, generator in generators.items():
        if path in saved:
            _put(generator, saved[path])


def plain(value: Any) -> Any:
    """Arrays and integers of numpy, nested in dicts, as values that load with `weights_only=True`."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if type(value).__module__ == "numpy":
        if getattr(value, "ndim", 0):
            return {"array of": str(value.dtype), "values": value.tolist()}
        return value.item()
    return value


def unplain(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "array of" in value:
        import numpy

        return numpy.array(value["values"], dtype=value["array of"])
    return {key: unplain(item) for key, item in value.items()}


def _walk(value: object, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if is_generator(value):
        yield path, value
    elif depth:
        for name, part in _parts(value):
            yield from _walk(part, f"{path}.{name}" if path else name, depth - 1, seen)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, list | tuple | dict):
        named = value.items() if isinstance(value, dict) else enumerate(value)
        yield from ((str(name), item) for name, item in (named if len(value) <= LONGEST else ()))
    elif isinstance(value, FunctionType):
        variables = inspect.getclosurevars(value)
        yield from variables.nonlocals.items()
        # Everything else a function names is shared with the rest of the program.
        yield from ((name, item) for name, item in variables.globals.items() if is_generator(item))
    elif isinstance(value, MethodType):
        yield "self", value.__self__
    elif isinstance(value, partial):
        yield from (("func", value.func), ("args", value.args), ("keywords", value.keywords))
    elif not isinstance(value, torch.Tensor | torch.nn.Module | ModuleType | type):
        yield from list(getattr(value, "__dict__", {}).items())


def is_generator(value: object) -> bool:
    if isinstance(value, torch.Generator):
        return True
    if isinstance(value, random.Random):
        return not isinstance(value, random.SystemRandom)  # it has no state
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.random.Generator | numpy.random.RandomState)


def _state(generator: Any) -> Any:
    if isinstance(generator, torch.Generator):
        return generator.get_state()
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "bit_generator"):
        return plain(generator.bit_generator.state)
    return plain(generator.get_state(legacy=False))


def _put(generator: Any, state: Any) -> None:
    if isinstance(generator, torch.Generator):
        generator.set_state(state)
    elif isinstance(generator, random.Random):
        generator.setstate(state)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = unplain(state)
    else:
        generator.set_state(unplain(state))
