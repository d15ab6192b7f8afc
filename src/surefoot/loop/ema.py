"""`ema=0.999`: a moving average of the weights, on which a loop evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.parallel.shard import local, pack_as, part_of
from surefoot.loop.setup import name_rest

if TYPE_CHECKING:
    from surefoot.loop.update import Updater

HALVES = (torch.float16, torch.bfloat16)


class Average:
    """Of one optimizer's parameters, and of the buffers of the models that have them.

    The decay is lower in the first updates, min(decay, (1 + n) / (10 + n)), so that the first weights are soon
    forgotten. Half-precision weights are averaged in fp32: 0.001 of a step would be rounded away.
    """

    def __init__(self, decay: float, updater: Updater, models: Mapping[str, Module]) -> None:
        self._decay = decay
        self._updater = updater
        own = {id(p) for p in self._params()}
        holders = [model for model in models.values() if any(id(p) in own for p in model.parameters())]
        self._buffers = [b for model in holders for b in model.buffers() if b.is_floating_point()]
        self._averages: dict[int, tuple[Tensor, Tensor]] = {}  # by id of the tensor, which is kept with it
        self.num_updates = 0
        self._follow()

    def _params(self) -> list[Tensor]:
        return [p for group in self._updater.optimizer.param_groups for p in group["params"] if p.requires_grad]

    def _follow(self) -> list[tuple[Tensor, Tensor]]:
        """Each tensor and its average; groups may have been added."""
        for tensor in (*self._params(), *self._buffers):
            if id(tensor) not in self._averages:
                dtype = torch.float32 if tensor.dtype in HALVES else tensor.dtype
                self._averages[id(tensor)] = (tensor, local(tensor.detach()).to(dtype, copy=True))
        return list(self._averages.values())

    @torch.no_grad()
    def update(self) -> None:
        decay = min(self._decay, (1 + self.num_updates) / (10 + self.num_updates))
        self.num_updates += 1
        pairs = self._follow()
        averages = [average for _, average in pairs]
        torch._foreach_lerp_(averages, [local(t.detach()).to(a.dtype) for t, a in pairs], 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        pairs = self._follow()
        live = [local(tensor.detach()) for tensor, _ in pairs]
        held = [tensor.clone() for tensor in live]
        with torch.no_grad():
            torch._foreach_copy_(live, [average for _, average in pairs])
        try:
            yield
        finally:
            with torch.no_grad():
                torch._foreach_copy_(live, held)

    def state(self) -> dict[str, Any]:
        return {
            "num_updates": self.num_updates,
            "averages": [pack_as(average, tensor) for tensor, average in self._follow()],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        pairs = self._follow()
        saved = [part_of(one, tensor).to(a.device) for one, (tensor, a) in zip(state["averages"], pairs, strict=True)]
        torch._foreach_copy_([average for _, average in pairs], saved)
        self.num_updates = state["num_updates"]


class Averages:
    """Those of all optimizers that have one."""

    def __init__(self, ema: Any, updaters: Mapping[str, Updater], models: Mapping[str, Module]) -> None:
        self._by_name: dict[str, Average] = {}
        self.is_in_place = False
        for name, decay in name_rest("ema", ema, list(updaters)).items():
            if decay is not None:
                self._by_name[name] = Average(_check(decay), updaters[name], models)

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def update(self, name: str) -> None:
        if name in self._by_name:
            self._by_name[name].update()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The models have the averaged weights inside, and afterwards exactly their own."""
        if self.is_in_place:
            yield
            return
        with ExitStack() as stack:
            for average in self._by_name.values():
                stack.enter_context(average.in_place())
            self.is_in_place = True
            try:
                yield
            finally:
                self.is_in_place = False

    def refuse_in_place(self, what: str) -> None:
        if self.is_in_place:
            raise RuntimeError(f"{what} inside loop.averaged(): the models have the averaged weights there.")

    def state(self) -> dict[str, Any]:
        return {name: average.state() for name, average in self._by_name.items()}

    def difference(self, saved: Mapping[str, Any]) -> str | None:
        for name, average in self._by_name.items():
            if name not in saved:
                return "ema= is here but not in the checkpoint; leave it out to go on without it"
            num_here, num_saved = len(average.state()["averages"]), len(saved[name]["averages"])
            if num_here != num_saved:
                return f"ema has {num_saved} tensors in the checkpoint and {num_here} here"
        return None

    def restore(self, saved: Mapping[str, Any]) -> None:
        for name, average in self._by_name.items():
            average.restore(saved[name])


def _check(decay: Any) -> float:
    if isinstance(decay, bool) or not isinstance(decay, float) or not 0.0 < decay < 1.0:
        raise ValueError(f"ema must be a decay between 0 and 1, such as 0.999, got {decay!r}.")
    return decay
