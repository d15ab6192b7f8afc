"""`loop.fit`: whole runs, on top of exactly what a hand-written loop over `loop.batches` uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.loop.evaluate import LossFunction, is_pair
from surefoot.loop.evaluated_loss import eager_of, terms_of
from surefoot.loop.every import Every, Timer, check_every
from surefoot.loop.given import check_not_swapped
from surefoot.loop.history import History
from surefoot.loop.loader import check_kind
from surefoot.loop.loss_summary import report_loss_summary
from surefoot.loop.schedulers import Schedulers

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop


class Fit:
    def __init__(
        self, loop: Loop, loss_fn: LossFunction, metrics: Mapping[str, Any], weight: Callable[[Any], float] | None
    ) -> None:
        if loop._only_updater is None:
            raise ValueError(
                "fit() trains one optimizer. With several, write the loop: loop.batches and loop.step(name)."
            )
        self._loop = loop
        self._loss_fn = loss_fn
        self._metrics = metrics
        self._weight = weight

    def run(self, loader: Any, epochs: int, validate: Any, validate_every: Any) -> History:
        loop, updater = self._loop, self._loop._only_updater
        assert updater is not None
        check_not_swapped(loader, self._loss_fn)
        if validate is not None:
            check_kind(validate)  # not after the first epoch
        elif validate_every is not None:
            raise ValueError("validate_every needs data: loop.fit(..., validate=loader, validate_every=100).")
        self._check_stop(validate is not None)
        timer = Timer(check_every("validate_every", validate_every) or Every(epochs=1), loop._ranks)
        timer.start(loop.seconds)
        after_update, at_epoch_end = (None, self._use_training_loss)
        if validate is not None:
            after_update, at_epoch_end = self._validations(validate, timer)
        for batch in loop.batches(loader, epochs, after_update=after_update, at_epoch_end=at_epoch_end):
            with loop.step(weight=None if self._weight is None else self._weight(batch)) as step:
                if updater.needs_closure:
                    step.closure(partial(self._bare_loss, batch))
                else:
                    loss, weight = self._loss(batch)
                    step.backward(loss, weight=weight)
        report_loss_summary(loop)
        return loop.history

    def _validations(self, loader: Any, timer: Timer) -> tuple[Callable[[], None], Callable[[], None]]:
        """What to do after each update, and at the end of each epoch."""
        loop = self._loop

        def after_update() -> None:
            if timer.is_due_after_update(loop.num_updates, loop.seconds):
                self._validate(loader)

        def at_epoch_end() -> None:
            if timer.is_due_after_epoch(loop.num_epochs):
                self._validate(loader)

        return after_update, at_epoch_end

    def _check_stop(self, validates: bool) -> None:
        """A condition on a name that is never measured would never be met."""
        known = ["loss", *(f"val/{name}" for name in ("loss", *self._metrics) if validates)]
        loop = self._loop
        schedulers = [updater.scheduler for updater in loop._updaters.values() if updater.scheduler is not None]
        waiting = {
            "stop": set(loop._stop.names) if loop._stop is not None else set(),
            "keep_best": {loop._best.name} if loop._best.name else set(),
            "a scheduler": {name for one in schedulers for name in one.names},
        }
        for what, names in waiting.items():
            for name in sorted(names.difference(known)):
                raise ValueError(
                    f"{what} waits for {name!r}, which fit() does not measure. There are {', '.join(known)}."
                )

    def _use_training_loss(self) -> None:
        """Nothing else will come for a scheduler that would rather follow a validation loss."""
        self._loop._each_schedule(Schedulers.epoch_begins)

    def _bare_loss(self, batch: Any) -> Tensor:
        return self._loss(batch)[0]

    def _loss(self, batch: Any) -> tuple[Tensor, float | None]:
        """And its weight, if it takes another call to know it."""
        model = next(iter(self._loop.models.values()))
        if not is_pair(batch):
            return self._loss_fn(model, batch), None
        outputs = model(batch[0])
        loss, eager = self._loss_fn(outputs, batch[1]), eager_of(self._loss_fn)
        if eager is None or self._weight is not None or not self._loop._weights_matter:
            return loss, None
        agreement = next(iter(self._loop._updaters.values())).window.agreement
        return loss, agreement.weigh(terms_of(eager, outputs, batch[1]))

    def _validate(self, loader: Any) -> None:
        loop = self._loop
        found = loop.evaluate(loader, self._loss_fn, metrics=self._metrics, weight=self._weight)
        values = {f"val/{name}": value for name, value in found.items()}
        loop.history.add_to_last(values)
        loop.see(values)
