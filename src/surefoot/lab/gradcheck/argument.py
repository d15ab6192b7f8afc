"""Tiny arguments for a function: as given, as its module makes them, or guessed from its signature."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

SEED = 0x5F00
GUESS = (3, 4)
INPUTS = "inputs"
_SHAPE = re.compile(r"\(\)|\d+(x\d+)*")


def parse_inputs(text: str) -> tuple[Any, ...]:
    """`3x4,4,(),=0.5`: tensors of these shapes, and Python values after `=`."""
    generator = torch.Generator().manual_seed(SEED)
    return tuple(_parse_one(part.strip(), text, generator) for part in text.split(","))


def _parse_one(part: str, text: str, generator: torch.Generator) -> Any:
    if part.startswith("="):
        try:
            return ast.literal_eval(part[1:])
        except (ValueError, SyntaxError):
            raise ValueError(f"after = stands a Python value such as =0.5 or =True, got {part!r}.") from None
    if not _SHAPE.fullmatch(part):
        raise ValueError(f"inputs are shapes and values such as 3x4,4,(),=0.5, got {part!r} in {text!r}.")
    shape = () if part == "()" else tuple(map(int, part.split("x")))
    return _tensor(shape, generator)


def _tensor(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_()


def arguments_for(function: Any, module: ModuleType | None, given: str | None) -> tuple[tuple[Any, ...], str]:
    """The arguments, and where they come from."""
    if given is not None:
        return parse_inputs(given), "given"
    for holder in (function, module):
        maker = getattr(holder, INPUTS, None)
        if callable(maker):
            return _made(maker, function), f"made by {INPUTS}()"
    return _guessed(function), "guessed"


def _made(maker: Callable[[], Any], function: Any) -> tuple[Any, ...]:
    made = maker()
    if isinstance(made, Mapping):
        if function.__name__ not in made:
            raise ValueError(f"{INPUTS}() tells nothing for {function.__name__}, only for {', '.join(map(str, made))}.")
        made = made[function.__name__]
    arguments = made if isinstance(made, tuple | list) else (made,)
    tensors = [arg for arg in arguments if isinstance(arg, Tensor) and arg.is_floating_point()]
    if not any(tensor.requires_grad for tensor in tensors):
        for tensor in tensors:
            tensor.requires_grad_()
    return tuple(arguments)


def _guessed(function: Any) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(SEED)
    needed = [p for p in parameters_of(function) if p.default is p.empty]
    if not needed or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in needed):
        raise ValueError("its inputs can't be guessed from its signature: give them, such as --inputs 3x4,4.")
    return tuple(_tensor(GUESS, generator) for _ in needed)


def parameters_of(function: Any) -> list[inspect.Parameter]:
    """Those that a caller gives; of a custom autograd function those of its forward, without ctx."""
    is_custom = is_custom_function(function)
    parameters = list(inspect.signature(function.forward if is_custom else function).parameters.values())
    has_context = is_custom and "setup_context" not in vars(function)
    return parameters[1:] if has_context else parameters


def is_custom_function(function: Any) -> bool:
    return isinstance(function, type) and issubclass(function, Function)
