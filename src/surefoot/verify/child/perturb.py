"""Rounding made larger: what a reference may move by is measured, not guessed.

Several roundings at once, because small movements say little about larger ones: Adam turns a gradient that changes its
sign into a whole step, and one that almost does into nothing.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from surefoot.check.tensors import replaced

ROUNDINGS = 8  # a module rounds its inputs, its parameters, its sums and its output


class _Perturbed(torch.autograd.Function):
    """Each value times 1 ± unit, forwards and backwards."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, unit: float, generator: torch.Generator) -> Tensor:
        ctx.unit, ctx.generator = unit, generator
        return (values * _factors(values, unit, generator)).to(values.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (gradient,) = gradients
        return (gradient * _factors(gradient, ctx.unit, ctx.generator)).to(gradient.dtype), None, None


def _factors(like: Tensor, unit: float, generator: torch.Generator) -> Tensor:
    """More exact than the values themselves, so that the product is rounded to a neighbour of theirs."""
    drawn = torch.rand(like.shape, generator=generator, dtype=torch.float64)
    return (1 + unit * (2 * drawn - 1)).to(like.device)


class Perturbation:
    """Of the outputs of all modules without modules inside, and of the gradients that come back to them.

    Each by some roundings of the unit given, or of its own type if that is less precise.

    Its generator is its own: the program draws the random numbers that it would have drawn.
    """

    def __init__(self, unit: float, seed: int) -> None:
        self._unit = unit
        self._generator = torch.Generator().manual_seed(seed)

    def install(self) -> None:
        register_module_forward_hook(lambda module, args, output: self.output(module, output))

    def output(self, module: nn.Module, output: Any) -> Any:
        if any(True for _ in module.children()) or not torch.is_grad_enabled():
            return output
        return replaced(output, lambda path, tensor: self._perturb(tensor))

    def _perturb(self, tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point() or not tensor.requires_grad:
            return tensor
        unit = ROUNDINGS * max(self._unit, torch.finfo(tensor.dtype).eps / 2)
        perturbed: Tensor = _Perturbed.apply(tensor, unit, self._generator)  # type: ignore[no-untyped-call]
        return perturbed
