"""`sf.noise_scale`: measure it on a model as it is now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.lab.kept import kept
from surefoot.lab.noise.estimate import Estimate, estimate
from surefoot.lab.trial import check_loop
from surefoot.loop import loader as kind
from surefoot.loop.batch import size_of, to_device
from surefoot.loop.evaluate import LossFunction, is_pair
from surefoot.loop.loop import Loop
from surefoot.loop.precision import autocast
from surefoot.loop.separate_pass import start_separate_pass

FEWEST = 8  # batches
GROUPS = 8  # that are left out in turn; as many gradients are in memory


@dataclass(frozen=True)
class NoiseScale:
    """`value` samples: a batch of that many has as much noise as gradient. `low` and `high`: where it surely lies.

    None where the gradient can't be told from its noise in what was looked at; it is above `low` then.
    """

    value: float | None
    low: float
    high: float
    batch_size: int
    num_batches: int
    num_left_out: int  # batches of another size

    def share(self, batch: int) -> float:
        """What an update of `batch` samples brings, of what an endless batch would."""
        if self.value is None:
            raise ValueError(
                f"the noise scale is not known, only that it is above {self.low:.3g}: look at more batches."
            )
        return batch / (batch + self.value)

    def accumulate(self, micro_batch: int) -> int:
        """How many micro-batches make up a batch as large as the noise scale; more hardly pay."""
        if isinstance(micro_batch, bool) or not isinstance(micro_batch, int) or micro_batch < 1:
            raise ValueError(f"micro_batch must be at least 1, got {micro_batch!r}.")
        return max(1, round((self.value if self.value is not None else self.low) / micro_batch))

    def __str__(self) -> str:
        looked = f"from {self.num_batches} batches of {self.batch_size}"
        if self.num_left_out:
            looked += f", {self.num_left_out} of another size left out"
        if self.value is None:
            return (
                f"gradient noise scale: above {self.low:.3g} samples ({looked}). The gradient can't be told from its "
                "noise: larger batches or more accumulation pay, and num_batches= looks at more."
            )
        mine, more = self.batch_size, self.accumulate(self.batch_size)
        with_more = f"; accumulate={more} would bring {self.share(mine * more):.0%}" if more > 1 else ""
        return (
            f"gradient noise scale: {self.value:.3g} samples, between {self.low:.3g} and {self.high:.3g} ({looked})\n"
            f"- below it, twice the batch needs almost half the updates; above it, more accumulation stops paying\n"
            f"- an update of {mine} brings {self.share(mine):.0%} of what an endless batch would{with_more}\n"
            "It grows as training goes on: measure again when the loss has fallen."
        )


def noise_scale(loop: Loop | Module, loader: Any, loss_fn: LossFunction, *, num_batches: int = 64) -> NoiseScale:
    """Measure the gradient noise scale of a model as it is now: tr(Sigma) / |G|^2, in samples.

    `num_batches` micro-batches are drawn from `loader`, over as many passes as it takes; no update is applied. Losses
    are means over a batch's samples, computed as by `loop.fit`, and gradients are of the parameters that are trained.
    Model, random numbers and loader are afterwards as before, bit for bit.
    """
    if isinstance(num_batches, bool) or not isinstance(num_batches, int) or num_batches < FEWEST:
        raise ValueError(f"num_batches must be at least {FEWEST}, got {num_batches!r}. With fewer, nothing is sure.")
    if isinstance(loop, Loop):
        check_loop(loop, "noise_scale()")
    elif not isinstance(loop, Module):
        raise TypeError(f"noise_scale() takes an sf.Loop or a model, got {type(loop).__name__}.")
    with kept(_models(loop), (), loader):
        return _Measurement(loop, loss_fn).run(loader, num_batches)


class _Measurement:
    def __init__(self, loop: Loop | Module, loss_fn: LossFunction) -> None:
        self._loop = loop if isinstance(loop, Loop) else None
        self._model = next(iter(_models(loop)))
        self._loss_fn = loss_fn
        self._params = _trained(loop)
        if not self._params:
            raise ValueError("the model has no parameter that requires gradients.")
        self._size: int | None = None  # of the batches that count
        self._num_left_out = 0

    def run(self, loader: kind.Loader, num_batches: int) -> NoiseScale:
        num_groups = min(GROUPS, num_batches)
        sums: list[list[Tensor] | None] = [None] * num_groups
        squares, counts = [0.0] * num_groups, [0] * num_groups
        for number, gradient in enumerate(self._gradients(loader, num_batches)):
            group = number % num_groups
            squares[group] += _product(gradient, gradient)
            counts[group] += 1
            before = sums[group]
            if before is None:
                sums[group] = gradient
            else:
                torch._foreach_add_(before, gradient)
        assert self._size is not None
        whole = [part for part in sums if part is not None]
        found = estimate([[_product(a, b) for b in whole] for a in whole], squares, counts, self._size)
        return self._describe(found, num_batches)

    def _describe(self, found: Estimate, num_batches: int) -> NoiseScale:
        assert self._size is not None
        if not math.isfinite(found.low) and found.value is None:
            raise ValueError("the gradients are zero or not finite: there is no noise scale.")
        return NoiseScale(found.value, found.low, found.high, self._size, num_batches, self._num_left_out)

    def _gradients(self, loader: kind.Loader, num: int) -> Iterator[list[Tensor]]:
        """Of `num` batches of one size, that of the first; others, such as a short last one, are left out."""
        while num:
            num_counted = 0
            for given in start_separate_pass(loader):
                size = size_of(given)
                if size is None:
                    raise TypeError(f"the batches hold no tensor to tell their size by, got a {type(given).__name__}.")
                self._size = self._size or size
                if size != self._size:
                    self._num_left_out += 1
                    continue
                num_counted += 1
                yield self._gradient(given)
                if num_counted == num:
                    return
            if not num_counted:
                raise ValueError("the loader must give at least one batch, got none.")
            num -= num_counted

    def _gradient(self, given: Any) -> list[Tensor]:
        device = self._params[0].device
        batch = to_device(given, device)
        precision = "fp32" if self._loop is None else self._loop.precision
        with torch.enable_grad(), autocast(precision, device):
            model = self._model
            loss = self._loss_fn(model(batch[0]), batch[1]) if is_pair(batch) else self._loss_fn(model, batch)
        found = torch.autograd.grad(loss, self._params, allow_unused=True)
        return [
            torch.zeros_like(p) if g is None else g.detach().clone() for p, g in zip(self._params, found, strict=True)
        ]


def _models(loop: Loop | Module) -> list[Module]:
    return [loop] if isinstance(loop, Module) else list(loop.models.values())


def _trained(loop: Loop | Module) -> list[Tensor]:
    if isinstance(loop, Module):
        return [p for p in loop.parameters() if p.requires_grad]
    groups = [group for optimizer in loop.optimizers.values() for group in optimizer.param_groups]
    return [p for group in groups for p in group["params"] if p.requires_grad]


def _product(first: Sequence[Tensor], second: Sequence[Tensor]) -> float:
    return sum(float(torch.sum(a.double() * b.double())) for a, b in zip(first, second, strict=True))
