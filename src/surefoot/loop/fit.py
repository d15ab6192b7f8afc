"""`loop.fit`: whole runs, on top of exactly what a hand-written loop over `loop.batches` uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.loop.evaluate import LossFunction, is_pair
from surefoot.loop.history import History
from surefoot.loop.outlook import tell_outlook

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop


class Fit:
    def __init__(
        self, loop: Loop, loss_fn: LossFunction, metrics: Mapping[str, Any], weight: Callable[[Any], float] | None
    ) -> None:
        if len(loop.optimizers) > 1:
            raise ValueError(
                "fit() trains one optimizer. With several, write the loop: loop.batches and loop.step(name)."
            )
        self._loop = loop
        self._loss_fn = loss_fn
        self._metrics = metrics
        self._weight = weight

    def run(self, loader: Any, epochs: int, validate: Any) -> History:
        loop = self._loop
        self._check_stop(validate is not None)
        for batch in loop.batches(loader, epochs, at_epoch_end=None if validate is None else self._validate(validate)):
            with loop.step(weight=None if self._weight is None else self._weight(batch)) as step:
                step.backward(self._loss(batch))
        tell_outlook(loop)
        return loop.history

    def _check_stop(self, validates: bool) -> None:
        """A condition on a name that is never measured would never be met."""
        waits_for = self._loop._stop.names if self._loop._stop is not None else ()
        known = ["loss", *(f"val/{name}" for name in ("loss", *self._metrics) if validates)]
        unknown = sorted(set(waits_for).difference(known))
        if unknown:
            raise ValueError(
                f"stop waits for {unknown[0]!r}, which fit() does not measure. There are {', '.join(known)}."
            )

    def _loss(self, batch: Any) -> Tensor:
        model = next(iter(self._loop.models.values()))
        if is_pair(batch):
            return self._loss_fn(model(batch[0]), batch[1])
        return self._loss_fn(model, batch)

    def _validate(self, loader: Any) -> Callable[[], None]:
        def validate() -> None:
            loop = self._loop
            found = loop.evaluate(loader, self._loss_fn, metrics=self._metrics, weight=self._weight)
            values = {f"val/{name}": value for name, value in found.items()}
            loop.history.add_to_last(values)
            loop.see(values)

        return validate
