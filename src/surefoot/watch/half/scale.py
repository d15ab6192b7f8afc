"""Which gradients still carry the scale of a GradScaler."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.watch.provenance import Provenance

KEPT_BACKWARDS = 256  # more than any window has
FIRST_ATTEMPTS = 32  # of fused steps on a GPU


class Scaler:
    """What is kept about one GradScaler."""

    def __init__(self, number: int, scaler: Any) -> None:
        self.id = number
        self.ref = weakref.ref(scaler)
        self.num_skipped: dict[int, int] = {}  # by id of the optimizer, in a row
        self._num_attempts = 0
        self.last_scale = self.init_scale = float(getattr(scaler, "_init_scale", 1.0))

    @property
    def tensor(self) -> Tensor | None:
        scale = getattr(self.ref(), "_scale", None)
        return scale if isinstance(scale, Tensor) else None

    @property
    def scale(self) -> float:
        """Costs a synchronisation where the scale lies on a GPU: only for facts."""
        tensor = self.tensor
        if tensor is not None:
            self.last_scale = float(tensor)
        return self.last_scale

    def attempt(self, optimizer: Optimizer) -> bool:
        """A step begins; whether the optimizer will leave the weights alone.

        A fused optimizer is called even when the scaler found Inf, and told of it. On a GPU asking would stall every
        step: after the first ones it is taken as applied.
        """
        found = getattr(optimizer, "found_inf", None)
        if isinstance(found, Tensor) and (found.device.type == "cpu" or self._num_attempts < FIRST_ATTEMPTS):
            self._num_attempts += 1
            if found:
                self.skipped(optimizer)
                return True
        self.taken(optimizer)
        return False

    def leaves_to(self, optimizer: Optimizer) -> bool:
        """Whether a step that is attempted is taken: a fused optimizer may still decide against it."""
        return getattr(optimizer, "found_inf", None) is None

    def taken(self, optimizer: Optimizer) -> None:
        self.num_skipped[id(optimizer)] = 0

    def skipped(self, optimizer: Optimizer) -> None:
        self.num_skipped[id(optimizer)] = self.num_skipped.get(id(optimizer), 0) + 1


class Scales:
    """Backwards by the scaler that scaled their loss, and how far each optimizer's gradients are unscaled."""

    def __init__(self) -> None:
        self.by_backward: dict[int, Scaler] = {}  # by its ordinal
        self._unscaled: dict[int, int] = {}  # by optimizer: backwards up to this one
        self.asked_at = -2  # number of backwards when the program last asked for a scale
        self.asked_by: tuple[str, int] | None = None  # the line that did

    def asked(self, num_backwards: int, place: tuple[str, int] | None) -> None:
        self.asked_at, self.asked_by = num_backwards, place

    def scaled(self, backward: int, scaler: Scaler) -> None:
        if len(self.by_backward) >= KEPT_BACKWARDS:
            del self.by_backward[next(iter(self.by_backward))]
        self.by_backward[backward] = scaler

    def nested(self, backward: int, outer: int) -> None:
        if outer in self.by_backward:
            self.scaled(backward, self.by_backward[outer])

    def unscaled(self, optimizer: int, backward: int) -> None:
        self._unscaled[optimizer] = backward

    def of(self, optimizer: int, provenances: Iterable[Provenance]) -> Scaler | None:
        """The scaler whose scale is still in gradients of this optimizer, if it is for certain."""
        if not self.by_backward:
            return None
        done = self._unscaled.get(optimizer, 0)
        for p in provenances:
            if p.edited or p.by_hand:
                continue
            for ordinal in p.sources:
                if ordinal > done and ordinal in self.by_backward:
                    return self.by_backward[ordinal]
        return None
