"""Sizes of gradients, weights and updates of one optimizer's parameters on one device.

What is looked at of all parameters lies in one `Buffer` that is made once. One transfer to the host for all samples
that are read together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from surefoot.signals.buffer import MOST_BYTES, Buffer
from surefoot.signals.gradient import norms_of, values_of
from surefoot.signals.subset import Subset, local_part

PLAIN = (Tensor, torch.nn.Parameter)  # which have a version that any change counts up
MOST_MICRO_BATCHES = 1024  # in a window; steps that are never taken must not fill the memory


@dataclass(slots=True)
class Measured:
    """What one sample tells, by index of the parameter."""

    grad_norms: dict[int, float]
    norms: dict[int, float]
    update_norms: dict[int, float]
    zeros: dict[int, float]  # these two only if the gradients themselves were looked at
    descent: float | None
    overshoot: float | None = None
    squares: list[float] = field(default_factory=list)  # of the gradients of micro-batches, and of their sum


class Gauge:
    """`before` the update, `gradients` before or after it, `after` it, then `read`; of several samples `read_all`."""

    def __init__(self, params: Mapping[int, Tensor], most_bytes: int = MOST_BYTES) -> None:
        parts = {i: local_part(param) for i, param in params.items()}
        subsets = {i: Subset(part) for i, part in parts.items()}
        self.indices = sorted(params, key=lambda i: Buffer.length(subsets[i].size))  # as they lie in the buffer
        self._params = [params[i] for i in self.indices]
        self._subsets = [subsets[i] for i in self.indices]
        self._scales = [math.sqrt(subset.weight) for subset in self._subsets]
        self._device = self._params[0].device
        self._dtype = torch.float64 if any(p.dtype is torch.float64 for p in parts.values()) else torch.float32
        self._buffer = Buffer(self._subsets, self._dtype, self._device, most_bytes)
        self._places: list[int] = []  # where the weights lay when the buffer was shown them
        self._seen: list[int] = []  # positions whose gradient lies in the buffer
        self._norms: dict[int, Tensor] = {}  # of gradients, by position
        self._taken: list[dict[int, Tensor]] = []  # likewise, of each sample that is to be read
        self._has_gradients = self._has_update = self._is_split = False
        self._tells_changes = all(type(param) in PLAIN and not param.is_inference() for param in self._params)
        self._versions: list[int] = []  # of the weights after the last update, if they lie where they lay then
        self._overshoot: Tensor | None = None
        self._so_far: Tensor | None = None  # gradients after the last micro-batch
        self._squares: list[Tensor] = []
        self._look_again()

    @property
    def num_slots(self) -> int:
        """How many samples can be read together."""
        return self._buffer.num_slots

    def is_current(self) -> bool:
        """Whether the parameters are still what they were when it was made: their shapes, dtypes and device.

        To be asked `before` anything is taken: it looks where they lie now.
        """
        places = [param.data_ptr() for param in self._params]
        if places != self._places:
            pairs = zip(self._params, self._subsets, strict=True)
            if not all(p.device == self._device and local_part(p).shape == subset.shape for p, subset in pairs):
                return False
            self._show(places)
        return True

    def before(self, *, closely: bool = True, follows: bool = False) -> None:
        """`follows` as of `gradients`: then weights that nobody has changed since need not be looked at.

        What is changed through `.data` is told by nobody. So a close look finds out whether there is such a thing.
        """
        unchanged = follows and self._tells_changes and [param._version for param in self._params] == self._versions
        if unchanged and not closely:
            self._buffer.go_on()
            return
        self._buffer.take_weights()
        if unchanged and not self._buffer.has_gone_on():
            self._tells_changes = False

    def gradients(self, known: Mapping[int, Tensor], *, closely: bool, follows: bool = False) -> None:
        """`known` are norms that clipping has computed, by id of the gradient; `closely` looks at elements, too.

        `follows` says that the last update looked at is the one just before.
        """
        self._norms = {}
        unknown: list[int] = []
        values: list[Tensor] = []
        for position, param in enumerate(self._params):
            grad = param.grad
            if grad is None:
                continue
            norm = known.get(id(grad))
            if norm is None:
                unknown.append(position)
                values.append(values_of(grad))
            else:
                self._norms[position] = norm
        self._norms.update(zip(unknown, norms_of(values), strict=True))
        self._has_gradients = closely
        self._overshoot = None
        if closely:
            self._copy_gradients()
            if follows and self._has_update:
                self._overshoot = self._gradient_along_update()

    def micro_batch(self) -> None:
        """Take down what a backward has added to the gradients of the window."""
        if len(self._squares) >= MOST_MICRO_BATCHES:
            return
        self._copy_gradients()
        gradients = self._buffer.gradient_row
        added = gradients
        if self._so_far is None:
            self._so_far = torch.zeros_like(added)
        elif self._squares:
            added = added - self._so_far
        self._so_far.copy_(gradients)
        self._squares.append(torch.dot(added * self._buffer.weight_row, added))

    def after(self, *, in_place: bool = False) -> None:
        """`in_place` says that the update has left the weights where they lay."""
        if not in_place:
            self._look_again()
        self._buffer.take_update()
        if self._tells_changes:
            self._versions = [param._version for param in self._params]
        self._taken.append(self._norms)
        self._has_update = True

    def let_go(self) -> None:
        """Keep no parameter alive; what was taken can still be read."""
        self._params = []
        self._buffer.look_at([])

    def read(self) -> Measured:
        """The sample that was taken last."""
        return self.read_all()[-1]

    def read_all(self) -> list[Measured]:
        """All samples since the last time, in one transfer to the host. Only the last may be a record."""
        taken, self._taken = self._taken, []
        self._buffer.subtract()
        parts = squares = self._take_squares()
        found = [norm for norms in taken for norm in norms.values()]
        if found:
            same = all(norm.dtype is self._dtype for norm in found)
            parts = [*parts, torch.stack(found if same else [norm.to(self._dtype) for norm in found])]
        if self._has_gradients:
            parts = [*parts, *self._buffer.num_filled()]
            parts += [] if self._overshoot is None else [self._overshoot.view(1)]
            parts.append(self._gradient_along_update().view(1))
        weights, updates, numbers = self._buffer.read(parts)
        measured = [self._measured(*rows) for rows in zip(weights, updates, strict=True)]
        rest = iter(numbers[len(squares) :])
        for one, norms in zip(measured, taken, strict=True):
            one.grad_norms = {self.indices[i]: next(rest) for i in norms}
        if not self._is_split:
            measured[-1].squares = numbers[: len(squares)]
        if self._has_gradients:
            self._add_closer_look(measured[-1], list(rest))
        return measured

    def _measured(self, weights: Sequence[float], updates: Sequence[float]) -> Measured:
        at, scales = self.indices, self._scales
        return Measured(
            {},
            {i: norm * scale for i, norm, scale in zip(at, weights, scales, strict=True)},
            {i: norm * scale for i, norm, scale in zip(at, updates, scales, strict=True)},
            {},
            None,
        )

    def _add_closer_look(self, measured: Measured, numbers: Sequence[float]) -> None:
        """By position how many elements of the gradient are not zero, overshoot if it is known, descent."""
        sizes = [subset.size for subset in self._subsets]
        measured.zeros = {self.indices[i]: 1 - numbers[i] / sizes[i] for i in self._seen}
        if not self._is_split:
            measured.descent = numbers[-1]
            measured.overshoot = None if self._overshoot is None else numbers[-2]

    # --- for histograms

    @property
    def looked_at(self) -> tuple[Tensor, Tensor]:
        """Weights before the update and gradients, as `owners` has them; gradients if they were looked at closely."""
        return self._buffer.before_row, self._buffer.gradient_row

    def owners(self) -> Tensor:
        """By element of the buffer the position of its parameter; -1 where it is filled up."""
        return self._buffer.owners()

    # --- the buffer

    def _take_squares(self) -> list[Tensor]:
        """Of each micro-batch, and of all of them together."""
        squares, self._squares = self._squares, []
        if squares and self._so_far is not None:
            squares.append(torch.dot(self._so_far * self._buffer.weight_row, self._so_far))
        return [square.view(1) for square in squares]

    def _gradient_along_update(self) -> Tensor:
        buffer = self._buffer
        return torch.dot(buffer.gradient_row * buffer.weight_row, buffer.update_row)

    def _look_again(self) -> None:
        """Show the buffer the weights anew where the memory of one is another than last time."""
        places = [param.data_ptr() for param in self._params]
        if places != self._places:
            self._show(places)

    def _show(self, places: list[int]) -> None:
        views = [s.of(local_part(p)) for p, s in zip(self._params, self._subsets, strict=True)]
        self._buffer.look_at(views)
        self._versions = []
        self._places = places if all(map(_is_view, views, self._params)) else []

    def _copy_gradients(self) -> None:
        self._is_split = False
        seen, views = [], []
        for position, (param, subset) in enumerate(zip(self._params, self._subsets, strict=True)):
            if param.grad is None:
                continue
            part = values_of(param.grad)
            if part.shape == subset.shape:
                seen.append(position)
                views.append(subset.of(part))
            else:
                self._is_split = True  # sparse, so that there is no dot product
        if seen != self._seen:
            self._buffer.gradient_row.zero_()
            self._seen = seen
        self._buffer.take_gradients(seen, views)


def _is_view(view: Tensor, param: Tensor) -> bool:
    """A parameter that does not lie in one piece is copied each time."""
    return view.data_ptr() == param.data_ptr()
