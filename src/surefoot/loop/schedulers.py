"""The schedulers of one optimizer, each advanced at its own time: per update, per epoch, or by a measured value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch.optim import Optimizer
from torch.optim.lr_scheduler import ReduceLROnPlateau

from surefoot.loop.given import check_scheduler
from surefoot.loop.setup import name_rest

VALIDATION = "val/loss"
TRAINING = "loss"


@dataclass(frozen=True)
class PerEpoch:
    """A scheduler that is advanced once an epoch."""

    scheduler: Any


@dataclass(frozen=True)
class OnMetric:
    """A scheduler that is advanced with each new value of a metric."""

    scheduler: Any
    name: str | None  # None: the validation loss, or that of training as long as there is no other


def per_epoch(scheduler: Any) -> PerEpoch:
    """Advance `scheduler` at the end of every epoch, with settings counted in epochs: `per_epoch(StepLR(opt, 30))`."""
    _check(scheduler)
    return PerEpoch(scheduler)


def on_metric(scheduler: Any, name: str) -> OnMetric:
    """Advance `scheduler`, a ReduceLROnPlateau, with each new value of `name`, such as "val/accuracy".

    Values are those of `fit(validate=…)` and `loop.see({name: value})`; "loss" is the mean of an epoch of training.
    """
    _check(scheduler)
    return OnMetric(scheduler, name)


class Schedulers:
    def __init__(self, given: Sequence[PerEpoch | OnMetric | Any]) -> None:
        self._all = [one.scheduler if isinstance(one, PerEpoch | OnMetric) else one for one in given]
        self.per_update = [one for one in given if not isinstance(one, PerEpoch | OnMetric)]
        self._per_epoch = [one.scheduler for one in given if isinstance(one, PerEpoch)]
        self._on_metric = [one for one in given if isinstance(one, OnMetric)]
        self._total, self._num = 0.0, 0  # of the losses in this epoch
        self._unused: float | None = None  # the mean of the epoch before, until it is clear that nothing else comes
        self._has_validation = False
        self._places: dict[int, Any] = {}  # where the loop has left each of them

    def __len__(self) -> int:
        return len(self._all)

    @property
    def kinds(self) -> list[str]:
        return [type(scheduler).__name__ for scheduler in self._all]

    @property
    def names(self) -> set[str]:
        """Values that schedulers wait for."""
        return {one.name for one in self._on_metric if one.name not in (None, TRAINING)}

    def step(self, loss: float) -> None:
        """An update was applied."""
        for scheduler in self.per_update:
            self._step(scheduler)
        self._total, self._num = self._total + loss, self._num + 1

    def _step(self, scheduler: Any) -> None:
        place = getattr(scheduler, "last_epoch", None)
        if self._places.get(id(scheduler), place) != place:
            raise RuntimeError(
                f"{type(scheduler).__name__}.step() was called by the program, and the loop advances it already: leave "
                "it out. For one step an epoch pass scheduler=sf.schedule.per_epoch(scheduler)."
            )
        scheduler.step()
        self._places[id(scheduler)] = getattr(scheduler, "last_epoch", None)

    def epoch_begins(self) -> None:
        """No validation loss came after the epoch before: its training loss has to do."""
        if self._unused is not None:
            self._advance(None, self._unused)
            self._unused = None

    def epoch_ends(self) -> None:
        for scheduler in self._per_epoch:
            self._step(scheduler)
        if self._num:
            mean, self._total, self._num = self._total / self._num, 0.0, 0
            self._advance(TRAINING, mean)
            self._unused = None if self._has_validation else mean

    def see(self, values: Mapping[str, float]) -> None:
        """Something was measured."""
        for name, value in values.items():
            if name != TRAINING:
                self._advance(name, value)
        if VALIDATION in values:
            self._has_validation, self._unused = True, None
            self._advance(None, values[VALIDATION])

    def _advance(self, name: str | None, value: float) -> None:
        for one in self._on_metric:
            if one.name == name:
                one.scheduler.step(value)

    def state_dict(self) -> dict[str, Any]:
        return {
            "schedulers": [scheduler.state_dict() for scheduler in self._all],
            "kinds": self.kinds,
            "losses": [self._total, self._num, self._unused, self._has_validation],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for scheduler, saved in zip(self._all, saved_schedulers(state), strict=True):
            scheduler.load_state_dict(saved)
        self._places.clear()
        self._total, self._num, self._unused, self._has_validation = state.get("losses", (0.0, 0, None, False))


def saved_schedulers(state: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Of a checkpoint; older ones hold the state of one scheduler by itself."""
    if state is None:
        return []
    return list(state["schedulers"]) if "losses" in state else [state]


def make_schedulers(given: Any, optimizers: Mapping[str, Sequence[Optimizer]]) -> dict[str, Schedulers | None]:
    """By optimizer: those given for it by name, or those that were made for it."""
    if isinstance(given, Mapping):
        named = {name: _listed(one) for name, one in name_rest("scheduler", given, list(optimizers)).items()}
    else:
        named = {name: [] for name in optimizers}
        for one in _listed(given):
            named[_name_of_own(one, optimizers)].append(one)
    for name, schedulers in named.items():
        for one in schedulers:
            _refuse_other_optimizer(one, optimizers[name])
        plain = [id(one.scheduler if isinstance(one, PerEpoch | OnMetric) else one) for one in schedulers]
        if len(set(plain)) < len(plain):
            raise ValueError("a scheduler is given twice: it would be advanced twice. Give each of them once.")
    return {name: Schedulers(schedulers) if schedulers else None for name, schedulers in named.items()}


def _listed(given: Any) -> list[Any]:
    listed = list(given) if isinstance(given, list | tuple) else [] if given is None else [given]
    return [_wrapped(one) for one in listed]


def _wrapped(one: Any) -> Any:
    if isinstance(one, PerEpoch | OnMetric):
        return one
    _check(one)
    if not isinstance(one, ReduceLROnPlateau):
        return one
    if one.mode == "max":
        raise ValueError(
            'ReduceLROnPlateau(mode="max") can\'t follow a loss. Name what it follows: '
            'scheduler=sf.schedule.on_metric(scheduler, "val/accuracy").'
        )
    return OnMetric(one, None)


def _check(scheduler: Any) -> None:
    check_scheduler(scheduler)
    if isinstance(scheduler, type):
        name = scheduler.__name__
        raise TypeError(f"the scheduler must be made first: {name}(optimizer, …), got the class {name}.")
    if not callable(getattr(scheduler, "step", None)) or not callable(getattr(scheduler, "state_dict", None)):
        raise TypeError(
            f"a scheduler has step() and state_dict(), got {type(scheduler).__name__}. Pass one of torch's or of "
            "sf.schedule, or a list of them."
        )


def _optimizer_of(one: Any) -> Any:
    """None for schedulers that do not tell."""
    scheduler = one.scheduler if isinstance(one, PerEpoch | OnMetric) else one
    return getattr(scheduler, "optimizer", None)


def _name_of_own(one: Any, optimizers: Mapping[str, Sequence[Optimizer]]) -> str:
    own = _optimizer_of(one)
    found = [name for name, parts in optimizers.items() if any(part is own for part in parts)]
    if not found and own is None and len(optimizers) > 1:
        raise ValueError(
            "this scheduler does not name its optimizer: pass a dict, "
            f"scheduler={{{next(iter(optimizers))!r}: scheduler}}."
        )
    return found[0] if found else next(iter(optimizers))


def _refuse_other_optimizer(one: Any, parts: Sequence[Optimizer]) -> None:
    own = _optimizer_of(one)
    if own is None or any(own is part for part in parts):
        return
    kind = type(one.scheduler if isinstance(one, PerEpoch | OnMetric) else one).__name__
    raise ValueError(
        f"the scheduler, {kind}, was made for another optimizer: it would never change the rates of this one. Make it "
        "from the optimizer that the loop is given."
    )
