"""Watch re-entrant activation checkpointing, which drops gradients when no input requires one.

`torch.utils.checkpoint` with `use_reentrant=True` runs its block without gradients inside an autograd function. If no
input requires a gradient, the function's output requires none either, whatever the block's own parameters want.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.utils.checkpoint import CheckpointFunction

from surefoot.facts import CheckpointFacts, Site
from surefoot.watch.build_facts import NAMED
from surefoot.watch.compiler import leave_alone
from surefoot.watch.inventory.module import own_parameters
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

MAX_LOOKS = 256  # at what runs inside, over the whole run


class CheckpointProbe(Probe):
    name = "checkpoint"

    def __init__(self) -> None:
        self._num_looks = 0
        self._since_step: dict[Site | None, list[weakref.ref[Tensor]]] = {}  # parameters that ran inside
        self._facts: tuple[CheckpointFacts, ...] = ()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        original: Callable[..., Any] = CheckpointFunction.apply
        suspicious = self._is_suspicious

        def apply(*args: Any) -> Any:
            if (
                torch.compiler.is_compiling()
                or not recorder.tap.armed
                or not recorder.tap.run(self.name, suspicious, args)
            ):
                return original(*args)
            return self._look_inside(original, args)

        leave_alone(apply.__code__, and_all_they_call=False)
        replacement = staticmethod(apply)
        setattr(CheckpointFunction, "apply", replacement)  # noqa: B010 - inherited, so there is nothing to put back

        def undo() -> None:
            if vars(CheckpointFunction).get("apply") is replacement:
                delattr(CheckpointFunction, "apply")

        recorder.tap.on_removal(undo)

    def _is_suspicious(self, args: tuple[Any, ...]) -> bool:
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        wants = any(tensor.requires_grad for tensor in tensors)
        return bool(tensors) and not wants and torch.is_grad_enabled() and self._num_looks < MAX_LOOKS

    def _look_inside(self, original: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        self._num_looks += 1
        site = self._recorder.sites.here()
        inside: list[weakref.ref[Tensor]] = self._since_step.setdefault(site, [])

        def note(module: torch.nn.Module) -> None:
            inside.extend(weakref.ref(p) for p in own_parameters(module) if p.requires_grad)

        self._recorder.forwards.listen(self.name, before=note)
        try:
            return original(*args)
        finally:
            self._recorder.forwards.leave(self.name)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if not self._since_step:
            return None
        tracked = self._recorder.optimizers.get(optimizer)
        self._facts = () if tracked is None else tuple(self._fold(tracked))
        return self._facts

    def _fold(self, tracked: TrackedOptimizer) -> list[CheckpointFacts]:
        index = {id(p): i for i, p in enumerate(tracked.ledger.params)}
        facts = []
        for site, refs in self._since_step.items():
            params = {id(p): p for ref in refs if (p := ref()) is not None and id(p) in index}
            without = [p for p in params.values() if not tracked.ledger.provenances[index[id(p)]].fresh]
            if params:
                names = tuple(self._recorder.names.of(p) for p in (without or list(params.values()))[:NAMED])
                facts.append(CheckpointFacts(site, names, len(params), len(without)))
        return facts

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"checkpoints": self._facts} if self._facts else {}

    def step_ends(self, optimizer: Optimizer) -> None:
        if self._since_step:
            self._since_step, self._facts = {}, ()
