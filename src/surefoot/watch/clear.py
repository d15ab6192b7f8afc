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


class ClearProbe(Probe):
    name = "clear"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.listen(torch.optim.Optimizer, "zero_grad", self.name, before=self._optimizer_clears)
        recorder.tap.listen(torch.nn.Module, "zero_grad", self.name, before=self._module_clears)

    def _optimizer_clears(self, args: Any, kwargs: Any) -> None:
        recorder, optimizer = self._recorder, args[0]
        account = recorder.accounts.get(optimizer) or recorder.account(optimizer)
        account.clears.append(self._note(account.id, "", args, kwargs))

    def _module_clears(self, args: Any, kwargs: Any) -> None:
        module = args[0]
        clear = self._note(None, type(module).__name__, args, kwargs)
        covered: frozenset[int] | None = None

        def covers(param: Tensor) -> bool:
            nonlocal covered
            if covered is None:  # only worked out when something must be explained
                covered = frozenset(id(p) for p in parameters_of(module))
            return id(param) in covered

        self._recorder.module_clears.append(clear._replace(covers=covers))

    def _note(self, optimizer: int | None, kind: str, args: Any, kwargs: Any) -> Clear:
        recorder = self._recorder
        site, stack = recorder.sites.here(3), recorder.lanes.here().step_stack
        inside = stack[-1] if stack else None
        to_none = bool(args[1] if len(args) > 1 else kwargs.get("set_to_none", True))
        token = ("clear", id(site), optimizer, kind, to_none, inside)
        return Clear(recorder.note(token, partial(_fact, site, optimizer, kind, to_none, inside)), None, to_none)


def _fact(
    site: Site | None, optimizer: int | None, kind: str, to_none: bool, inside: int | None, at: int
) -> ClearFacts:
    return ClearFacts(at, site, optimizer, kind, to_none, inside)
