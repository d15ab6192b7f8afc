"""Watch `zero_grad` of optimizers and modules. Other spellings are seen by what happens to the tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling

from surefoot.facts import ClearFacts
from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import Clear

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


class ClearProbe(Probe):
    name = "clear"

    def install(self, recorder: Recorder) -> None:
        sleep = recorder.sleep

        def make(original: Function) -> Function:
            def zero_grad(self: Any, set_to_none: bool = True) -> None:
                if not is_dynamo_compiling() and ((nap := sleep.nap) is None or not nap.goes_on("clear")):
                    recorder.guarded("clear", _note, recorder, self, set_to_none)
                original(self, set_to_none)

            return zero_grad

        recorder.patches.wrap(torch.optim.Optimizer, "zero_grad", make)
        recorder.patches.wrap(torch.nn.Module, "zero_grad", make)


def _note(recorder: Recorder, owner: Any, set_to_none: bool) -> None:
    site = recorder.sites.here(4)
    inside = recorder.inside_step
    if isinstance(owner, torch.optim.Optimizer):
        account = recorder.account(owner)
        number, kind = account.id, ""
        covered = account.ids
    else:
        number, kind = None, type(owner).__name__
        covered = None

    def covers(param: Tensor) -> bool:
        nonlocal covered
        if covered is None:  # only worked out when something must be explained
            covered = frozenset(id(p) for p in owner.parameters())
        return id(param) in covered

    at = recorder.journal.note(
        ("clear", site, number, kind, set_to_none, inside),
        lambda at: ClearFacts(at, site, number, kind, set_to_none, inside),
    )
    recorder.lanes.here().clears.append(Clear(at, covers, set_to_none))
