"""Compare what a custom autograd function's backward says with finite differences of its forward."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

MAX_COORDINATES = 48  # of each input, spread over it
SEED = 0x5F00
TOLERANCE = {torch.float64: 1e-3, torch.float32: 5e-2}  # relative, by the precision of the forward
STEP = {torch.float64: 1e-6, torch.float32: 1e-2}  # relative to the value, and absolute near zero
KINK = 0.5  # left and right slopes that differ by more, relatively, mean a kink: not compared


@dataclass(frozen=True, slots=True)
class Comparison:
    """Of one input: the slopes along single elements, of a random mix of the outputs."""

    input: int
    analytic: list[float]
    numeric: list[float]
    tolerance: float

    @property
    def wrong(self) -> list[int]:
        scale = max((abs(v) for v in (*self.analytic, *self.numeric)), default=0.0)
        return [
            i for i, (a, n) in enumerate(zip(self.analytic, self.numeric, strict=True))
            if not abs(a - n) <= self.tolerance * max(abs(a), abs(n), 0.1 * scale)
        ]  # fmt: skip

    @property
    def is_flat(self) -> bool:
        return all(n == 0.0 for n in self.numeric)

    @property
    def worst(self) -> int:
        return max(self.wrong, key=lambda i: abs(self.analytic[i] - self.numeric[i]))


class Subject:
    """A custom function with the arguments of one call, ready to be called again and again."""

    def __init__(self, apply: Callable[..., Any], args: tuple[Any, ...], dtype: torch.dtype) -> None:
        self._apply = apply
        self._args = tuple(_copy(arg, dtype) for arg in args)
        self.inputs = [i for i, arg in enumerate(args) if isinstance(arg, Tensor) and arg.requires_grad]
        self.dtype = dtype
        self._devices = sorted({a.device.index or 0 for a in args if isinstance(a, Tensor) and a.device.type == "cuda"})

    def is_repeatable(self) -> bool:
        return all(torch.equal(a, b) for a, b in zip(self.call(), self.call(), strict=True))

    def call(self, moved: int | None = None, value: Tensor | None = None, *, grad: bool = False) -> list[Tensor]:
        """The differentiable outputs, with one input replaced. The same random numbers are drawn every time."""
        seed_generators(self._devices)
        args = list(self._args)
        for i in self.inputs:
            args[i] = (value if i == moved and value is not None else args[i]).detach().clone().requires_grad_(grad)
        with torch.set_grad_enabled(grad):
            # A custom function may write to its inputs, which it must not do to a leaf.
            result = self._apply(*[arg.clone() if isinstance(arg, Tensor) else arg for arg in args])
        self._last = args
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        return [out for out in outputs if isinstance(out, Tensor) and out.is_floating_point()]

    def compare(self, *, coarse: bool = False) -> Iterator[Comparison]:
        """By tiny steps where the outputs are of double precision; by larger ones if that may only look so."""
        outputs = self.call(grad=True)
        leaves = [self._last[i] for i in self.inputs]
        mix = _mix(outputs)
        total = sum((w * out).sum() for w, out in zip(mix, outputs, strict=True) if out.requires_grad)
        if not isinstance(total, Tensor):
            return
        gradients = torch.autograd.grad(total, leaves, allow_unused=True)
        exact = not coarse and self.dtype is torch.float64 and all(out.dtype is torch.float64 for out in outputs)
        precision = torch.float64 if exact else torch.float32
        for i, leaf, gradient in zip(self.inputs, leaves, gradients, strict=True):
            yield self._compare_input(i, leaf.detach(), gradient, mix, precision)

    def _compare_input(
        self, i: int, at: Tensor, gradient: Tensor | None, mix: list[Tensor], precision: torch.dtype
    ) -> Comparison:
        flat = torch.zeros(at.numel()) if gradient is None else gradient.detach().flatten()
        middle = self._mixed(i, at, mix)
        analytic, numeric = [], []
        for j in _spread(at.numel()):
            step = STEP[precision] * max(1.0, abs(float(at.flatten()[j])))
            right = (self._mixed(i, _shifted(at, j, step), mix) - middle) / step
            left = (middle - self._mixed(i, _shifted(at, j, -step), mix)) / step
            if abs(right - left) > KINK * max(abs(right), abs(left)):
                continue
            analytic.append(float(flat[j]))
            numeric.append((right + left) / 2)
        return Comparison(i, analytic, numeric, TOLERANCE[precision])

    def _mixed(self, i: int, value: Tensor, mix: list[Tensor]) -> float:
        outputs = self.call(i, value)
        return float(sum((w * out).double().sum() for w, out in zip(mix, outputs, strict=True)))

    def is_identity(self) -> bool:
        """Whether forward hands a differentiable input through unchanged, as functions that only touch gradients do."""
        outputs = self.call()
        return any(_same(out, self._args[i]) for out in outputs for i in self.inputs)


def seed_generators(devices: list[int]) -> None:
    """Of the CPU and of these GPUs only: `torch.manual_seed` would reach all, also those nobody puts back."""
    torch.default_generator.manual_seed(SEED)
    for device in devices:
        torch.cuda.default_generators[device].manual_seed(SEED)


@contextmanager
def kept_generators(args: Iterable[Any]) -> Iterator[None]:
    """Put all random number generators back afterwards: torch's, Python's and NumPy's."""
    devices = sorted({a.device.index or 0 for a in args if isinstance(a, Tensor) and a.device.type == "cuda"})
    numpy: Any = sys.modules.get("numpy.random")
    python, numbers = random.getstate(), None if numpy is None else numpy.get_state()
    try:
        with torch.random.fork_rng(devices=devices):
            yield
    finally:
        random.setstate(python)
        if numpy is not None:
            numpy.set_state(numbers)


def _copy(arg: Any, dtype: torch.dtype) -> Any:
    if not isinstance(arg, Tensor):
        return arg
    copy = arg.detach().clone()
    return copy.to(dtype) if copy.is_floating_point() else copy


def _mix(outputs: list[Tensor]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(SEED)
    return [
        (torch.rand(out.shape, generator=generator, dtype=torch.float64) + 0.5).to(out.device, out.dtype)
        for out in outputs
    ]


def _spread(numel: int) -> list[int]:
    if numel <= MAX_COORDINATES:
        return list(range(numel))
    return sorted({round(k * (numel - 1) / (MAX_COORDINATES - 1)) for k in range(MAX_COORDINATES)})


def _shifted(at: Tensor, j: int, step: float) -> Tensor:
    moved = at.clone().flatten()
    moved[j] += step
    return moved.view(at.shape)


def _same(out: Tensor, given: Tensor) -> bool:
    return out.numel() == given.numel() and torch.equal(out.flatten(), given.to(out.dtype).flatten())
