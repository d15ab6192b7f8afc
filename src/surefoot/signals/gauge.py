"""Sizes of gradients, weights and updates of one optimizer's parameters on one device, in one transfer to the host."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from surefoot.signals.buffer import Buffer, padded
from surefoot.signals.subset import Subset
from surefoot.signals.tensors import is_readable, local, norms_of, real_part, values_of

MOST_MICRO_BATCHES = 1024  # in a window; steps that are never taken must not fill the memory


@dataclass(slots=True)
class Measured:
    """The numbers of one sample, by index of the parameter."""

    grad_norms: dict[int, float] = field(default_factory=dict)
    norms: dict[int, float] = field(default_factory=dict)
    update_norms: dict[int, float] = field(default_factory=dict)
    zeros: dict[int, float] = field(default_factory=dict)  # this and what follows only of a record
    descent: float | None = None
    overshoot: float | None = None
    squares: list[float] = field(default_factory=list)  # of the gradients of micro-batches, and of their sum

    @classmethod
    def join(cls, parts: Iterable[Measured]) -> Measured:
        """Of parameters on several devices."""
        first, *rest = parts
        for part in rest:
            first.grad_norms |= part.grad_norms
            first.norms |= part.norms
            first.update_norms |= part.update_norms
            first.zeros |= part.zeros
            first.descent = _sum(first.descent, part.descent)
            first.overshoot = _sum(first.overshoot, part.overshoot)
            first.squares = [a + b for a, b in zip(first.squares, part.squares, strict=False)]
        return first


class Gauge:
    """For each sample call `before` the update, `gradients` before or after it, `after` it, then `read`.

    All of it within `plain_torch`.
    """

    def __init__(self, params: Mapping[int, Tensor]) -> None:
        parts = {i: real_part(local(param)) for i, param in params.items()}
        subsets = {i: Subset(part) for i, part in parts.items()}
        self.indices = sorted(params, key=lambda i: padded(subsets[i].size))  # as they lie in the buffer
        self._params = [params[i] for i in self.indices]
        self._subsets = [subsets[i] for i in self.indices]
        self._scales = [math.sqrt(subset.weight) for subset in self._subsets]
        self._device = self._params[0].device
        self._dtype = torch.float64 if any(p.dtype is torch.float64 for p in parts.values()) else torch.float32
        self._buffer = Buffer(self._subsets, self._dtype, self._device)
        self._places: list[int] = []  # where the weights lay when views of them were made
        self._views: list[Tensor] = []
        self._norms: dict[int, Tensor] = {}  # of gradients, by position
        self._copied: list[int] = []  # positions whose gradient lies in the buffer
        self._has_elements = self._has_update = self._is_partial = False
        self._overshoot: Tensor | None = None
        self._so_far: Tensor | None = None  # gradients after the last micro-batch
        self._squares: list[Tensor] = []
        self.is_current()

    def is_current(self) -> bool:
        """Whether the parameters can be read as when this was made: same shapes, same device. Finds where they lie."""
        parts = [local(param) for param in self._params]
        places = [part.data_ptr() for part in parts]
        if places == self._places:
            return True
        if not all(is_readable(part) and part.device == self._device for part in parts):
            return False
        parts = [real_part(part) for part in parts]
        if any(part.shape != subset.shape for part, subset in zip(parts, self._subsets, strict=True)):
            return False
        self._views = [subset.of(part) for part, subset in zip(parts, self._subsets, strict=True)]
        # A parameter that does not lie in one piece was copied, and has to be copied again each time.
        self._places = places if [view.data_ptr() for view in self._views] == places else []
        return True

    def before(self) -> None:
        self._buffer.take_weights(self._views)

    def gradients(self, known: Mapping[int, Tensor], *, elements: bool, follows: bool = False) -> None:
        """`known` are norms that clipping has computed, by id of the gradient; `elements` are for records.

        `follows` says that the last update measured is the one just before.
        """
        self._norms = {}
        unknown: dict[int, Tensor] = {}
        for position, param in enumerate(self._params):
            grad = param.grad
            if grad is None:
                continue
            norm = known.get(id(grad))
            if norm is not None:
                self._norms[position] = norm
            elif (values := values_of(grad)) is not None:
                unknown[position] = values
        self._norms.update(zip(unknown, norms_of(list(unknown.values())), strict=True))
        self._has_elements = elements
        self._overshoot = None
        if elements:
            self._copy_gradients()
            if follows and self._has_update:
                self._overshoot = self._buffer.dot(self._buffer.gradients, self._buffer.update)

    def micro_batch(self) -> None:
        """Note what a backward has added to the gradients of the window."""
        if len(self._squares) >= MOST_MICRO_BATCHES:
            return
        self._copy_gradients()
        added = gradients = self._buffer.gradients
        if self._so_far is None:
            self._so_far = torch.zeros_like(gradients)
        elif self._squares:
            added = gradients - self._so_far
        self._so_far.copy_(gradients)
        self._squares.append(self._buffer.dot(added, added))

    def after(self) -> None:
        self._buffer.take_update(self._views)
        self._has_update = True

    def read(self) -> Measured:
        """The sample that was just taken."""
        squares, self._squares = self._squares, []
        if squares and self._so_far is not None:
            squares.append(self._buffer.dot(self._so_far, self._so_far))
        norms = [norm.to(self._dtype) for norm in self._norms.values()]
        singles = [*squares, *norms]
        if self._has_elements:
            singles.append(self._buffer.dot(self._buffer.gradients, self._buffer.update))
            singles += [] if self._overshoot is None else [self._overshoot]
        parts = [*self._buffer.norms(), *([torch.stack(singles)] if singles else [])]
        if self._has_elements:
            parts += self._buffer.num_filled()
        numbers = iter(torch.cat(parts).tolist())
        measured = Measured()
        at = list(zip(self.indices, self._scales, strict=True))
        measured.norms = {i: next(numbers) * scale for i, scale in at}
        measured.update_norms = {i: next(numbers) * scale for i, scale in at}
        added = [next(numbers) for _ in squares]
        measured.grad_norms = {self.indices[position]: next(numbers) for position in self._norms}
        if self._has_elements:
            descent = next(numbers)
            overshoot = None if self._overshoot is None else next(numbers)
            if not self._is_partial:
                measured.descent, measured.overshoot, measured.squares = descent, overshoot, added
            filled = list(numbers)
            measured.zeros = {self.indices[i]: 1 - filled[i] / self._subsets[i].size for i in self._copied}
        return measured

    # --- for histograms

    @property
    def elements(self) -> tuple[Tensor, Tensor]:
        """Weights before the update and gradients, each element where `owners` names its parameter."""
        return self._buffer.weights, self._buffer.gradients

    def owners(self) -> Tensor:
        """By element the position in `indices`; -1 for none."""
        return self._buffer.owners()

    def _copy_gradients(self) -> None:
        self._is_partial = False
        copied, views = [], []
        for position, (param, subset) in enumerate(zip(self._params, self._subsets, strict=True)):
            if param.grad is None:
                continue
            values = values_of(param.grad)
            if values is not None and values.shape == subset.shape:
                copied.append(position)
                views.append(subset.of(values))
            else:
                self._is_partial = True  # sparse, or one that can't be read: there is no dot product
        if copied != self._copied:
            self._buffer.gradients.zero_()
            self._copied = copied
        self._buffer.take_gradients(copied, views)


def _sum(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b
