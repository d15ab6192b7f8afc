"""The last step of a watched run, before its backward: what the models' answers depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from surefoot.check import future, independence, influence, modes
from surefoot.check.calls import ModelCall, raw_inputs
from surefoot.check.feed import Feed
from surefoot.check.observer import Observer
from surefoot.check.tensors import digest


class CloseLook:
    def __init__(self, observer: Observer, feed: Feed) -> None:
        self._observer = observer
        self._feed = feed
        self._marks: set[int] = set()  # inputs of the models, over the steps
        self._targets: set[int] = set()
        self._is_blank = True  # all samples of a batch are alike, to the models
        observer.at_backward.append(self._look)

    def _look(self) -> None:
        observer = self._observer
        calls = observer.calls
        if not observer.result.steps and any(map(_is_pretrained, calls.models)):
            observer.result.loaded.append("from_pretrained")
        given = [one for call in calls.models for one in raw_inputs(call, calls.losses).values()]
        if given:
            self._marks.add(sum(digest(one + 0) for one in given))  # -0.0 is 0.0
            self._is_blank &= all(len(one) > 1 and bool((one == one[:1]).all()) for one in given)
        self._targets |= {digest(loss.target) for loss in calls.losses if isinstance(loss.target, Tensor)}
        if not observer.is_last or observer.result.measured:
            return
        calls.is_paused = True
        try:
            self._measure()
        finally:
            calls.is_paused = False

    @property
    def _batch_size(self) -> int | None:
        """Where two optimizers take turns, what a loader gives need not be what a model gets."""
        return self._feed.batch_size if self._observer.result.num_optimizers < 2 else None

    def _measure(self) -> None:
        calls, result = self._observer.calls, self._observer.result
        num_inputs, num_targets = len(self._marks), max(len(self._targets), len(self._feed.marks))
        result.measured = {"num_inputs": num_inputs, "num_targets": num_targets, "is_blank": self._is_blank}
        looks: dict[str, Callable[[], dict[str, Any]]] = {
            "inputs": lambda: influence.measure(calls.models, calls.losses),
            "samples": lambda: independence.measure(calls.models, calls.losses, self._batch_size),
            "future": lambda: future.measure(calls.models, calls.losses),
            "modes": lambda: modes.measure(calls.models),
        }
        for name, look in looks.items():
            try:
                result.measured[name] = look()
            except Exception as error:  # a model that can't be asked again, in whatever way
                why = f"the model could not be called again: {type(error).__name__}: {error}"
                result.measured[name] = {"why": why.splitlines()[0][:200]}


def _is_pretrained(call: ModelCall) -> bool:
    """As transformers marks its models."""
    return bool(getattr(getattr(call.module, "config", None), "_name_or_path", ""))
