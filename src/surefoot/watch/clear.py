"""Watch `zero_grad` of optimizers and modules. Other spellings are seen by what happens to the tensors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import ClearFacts, Site
from surefoot.watch.inventory.module import parameters_of
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import Clear

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer


class ClearProbe(Probe):
    name = "clear"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        for owner, call in ((torch.optim.Optimizer, self.by_optimizer), (torch.nn.Module, self._by_module)):
            recorder.tap.listen(owner, "zero_grad", self.name, before=call, observers=(call, None))

    def by_optimizer(self, args: Any, kwargs: Any) -> None:
        recorder, optimizer = self._recorder, args[0]
        tracked = recorder.optimizers.by_id.get(id(optimizer))
        if tracked is None or tracked.optimizer() is not optimizer:
            tracked = recorder.tracked(optimizer)
        to_none = bool(args[1] if len(args) > 1 else kwargs.get("set_to_none", True))
        if recorder.tap.is_steady:
            site, tracked.ledger.cleared = recorder.sites.near(3), to_none
            recorder.steady.marks.append((id(site), tracked.id, to_none))
            recorder.steady.calls.append((self._optimizer_cleared, site, tracked, to_none))
        else:
            self._optimizer_cleared(recorder.sites.here(3), tracked, to_none)

    def _optimizer_cleared(self, site: Site | None, tracked: TrackedOptimizer, to_none: bool) -> None:
        tracked.clears.append(Clear(self._note(site, tracked.id, "", to_none), None, to_none))

    def _by_module(self, args: Any, kwargs: Any) -> None:
        to_none = bool(args[1] if len(args) > 1 else kwargs.get("set_to_none", True))
        recorder, module = self._recorder, args[0]
        if recorder.tap.is_steady:
            site = recorder.sites.near(3)
            recorder.steady.note((id(site), id(module), to_none), self._module_cleared, site, module, to_none)
        else:
            self._module_cleared(recorder.sites.here(3), module, to_none)

    def _module_cleared(self, site: Site | None, module: torch.nn.Module, to_none: bool) -> None:
        covered: frozenset[int] | None = None

        def covers(param: Tensor) -> bool:
            nonlocal covered
            if covered is None:  # only worked out when something must be explained
                covered = frozenset(id(p) for p in parameters_of(module))
            return id(param) in covered

        at = self._note(site, None, type(module).__name__, to_none)
        self._recorder.module_clears.append(Clear(at, covers, to_none))

    def _note(self, site: Site | None, optimizer: int | None, kind: str, to_none: bool) -> int:
        stack = self._recorder.thread_states.here().step_stack
        inside = stack[-1] if stack else None
        token = ("clear", id(site), optimizer, kind, to_none, inside)
        return self._recorder.note(token, partial(_fact, site, optimizer, kind, to_none, inside))


def _fact(
    site: Site | None, optimizer: int | None, kind: str, to_none: bool, inside: int | None, at: int
) -> ClearFacts:
    return ClearFacts(at, site, optimizer, kind, to_none, inside)
