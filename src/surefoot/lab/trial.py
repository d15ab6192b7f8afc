"""Train with somebody's model, optimizer and settings for a few updates that are not to last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from surefoot.lab.kept import Kept, kept
from surefoot.loop import loader as kind
from surefoot.loop.batch import size_of, to_device
from surefoot.loop.evaluate import LossFunction, is_pair
from surefoot.loop.loop import Loop
from surefoot.loop.separate_pass import start_separate_pass
from surefoot.loop.update import NonFiniteError

Weight = Callable[[Any], float] | None


class Trial:
    """The user's training, with their accumulation, clipping and precision, and without log, schedule and stops."""

    def __init__(self, loop: Loop, own: Kept, loader: kind.Loader, loss_fn: LossFunction, weight: Weight) -> None:
        self._own = own
        self._loader = loader
        self._loss_fn = loss_fn
        self._weight = weight
        self._given = loop
        self._groups = [[float(group["lr"]) for group in o.param_groups] for o in loop.optimizers.values()]
        self.optimizer = next(iter(loop.optimizers.values()))
        self.num_items: int | None = None  # of the last batch
        self._loop: Loop | None = None
        self._batches: Iterator[Any] = iter(())

    def start(self) -> None:
        """From the state that the user's training is in, with the batches that it would get."""
        self.end()
        self._own.put_back()
        self._loop = _without_company(self._given)
        self._batches = _endless(self._loader)

    def end(self) -> None:
        if self._loop is not None:
            self._loop.close()
            self._loop = None

    def set_rate(self, rate: float) -> None:
        """Of the first group; the others keep their ratio to it."""
        rates = self._groups[0]
        for group, own in zip(self.optimizer.param_groups, rates, strict=True):
            value = rate * (own / rates[0] if rates[0] else 1.0)
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(value)
            else:
                group["lr"] = value

    def update(self) -> float | None:
        """Apply one update, and tell the loss before it; None if the loss or the gradients are not finite."""
        loop = self._loop
        assert loop is not None
        before = loop.num_updates + loop.num_skipped
        while loop.num_updates + loop.num_skipped == before:
            batch = to_device(next(self._batches), loop.device)
            self.num_items = size_of(batch)
            try:
                with loop.step(weight=None if self._weight is None else self._weight(batch)) as step:
                    step.backward(loss_of(loop, self._loss_fn, batch))
            except NonFiniteError:
                return None
        return float(loop.history[-1]["loss"]) if len(loop.history) else float("nan")


@contextmanager
def trial(loop: Loop, loader: kind.Loader, loss_fn: LossFunction, weight: Weight, what: str) -> Iterator[Trial]:
    check_loop(loop, what)
    with kept(loop.models.values(), loop.optimizers.values(), loader) as own:
        made = Trial(loop, own, loader, loss_fn, weight)
        try:
            yield made
        finally:
            made.end()


def check_loop(loop: Any, what: str) -> None:
    if not isinstance(loop, Loop):
        raise TypeError(f"{what} takes an sf.Loop, got {type(loop).__name__}.")
    if len(loop.optimizers) > 1:
        raise ValueError(f"{what} is about one optimizer, but the loop has {len(loop.optimizers)}.")
    if loop._ranks.size > 1:
        raise ValueError(
            f"{what} runs in one process, and this one is rank {loop._ranks.rank} of {loop._ranks.size}. "
            "Run it without torchrun, with the batch size of all ranks together."
        )


def loss_of(loop: Loop, loss_fn: LossFunction, batch: Any) -> Tensor:
    """As `loop.fit` computes it."""
    model = next(iter(loop.models.values()))
    return loss_fn(model(batch[0]), batch[1]) if is_pair(batch) else loss_fn(model, batch)


def _endless(loader: kind.Loader) -> Iterator[Any]:
    while True:
        num = 0
        for batch in start_separate_pass(loader):
            num += 1
            yield batch
        if not num:
            raise ValueError("the loader must give at least one batch, got none.")


def _without_company(loop: Loop) -> Loop:
    updater = next(iter(loop._updaters.values()))
    return Loop(
        loop.models, loop.optimizers, accumulate=loop._accumulate, clip_norm=updater.limits._norm,
        clip_value=updater.limits._value, precision=loop.precision, watch=False, log=None, progress=False,
    )  # fmt: skip
