"""Watch copies of a model that are called a target or an average, and that nothing ever moves.

A copy has the model's weights, bit for bit, before these first move, and no optimizer holds it. That its name says what
it is for tells it from a teacher or a reference, which are meant to stay as they are.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter
from torch.optim import Optimizer
from torch.optim.swa_utils import AveragedModel

from surefoot.facts import IdleCopyFacts, Site
from surefoot.watch.inventory.module import named_parameters, parameters_of, part
from surefoot.watch.mode.moving_source import may_be_moved
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

SAMPLE = 256  # elements of each parameter
MOST_COPIES = 16
LOOKS_EVERY = 64  # updates, and at powers of two: models may be gone at the end of the run
SUSPICIOUS = 16  # updates after which a copy that has not moved is looked at whether windows are armed or not
MADE_UP_TO = 8  # updates of a model after which copies of it are not looked for any more
FOLLOWERS = re.compile(r"(?:^|_)(?:target|targ|tgt|ema|momentum|averaged?|shadow|key|k)(?:_|$|\d)")


class IdleCopy:
    """A copy and the model that it was made of, before either has moved."""

    def __init__(self, copy: Module, model: Module, name: str, of: str, tracked: int) -> None:
        self.copy, self.model, self.name, self.of, self.tracked = (
            weakref.ref(copy),
            weakref.ref(model),
            name,
            of,
            tracked,
        )
        self.start = _weights(copy)
        self.marks = _marks(copy)
        self.idle_at = 0  # updates of the model's optimizer at the last look; the copy had not moved, and the model had

    def look(self, num_updates: int) -> bool:
        """Whether it is worth another look."""
        copy, model = self.copy(), self.model()
        if copy is None or model is None:
            return True  # what was last seen holds
        if _marks(copy) != self.marks or not _equal(_weights(copy), self.start):
            return False
        if not _equal(_weights(model), self.start):
            self.idle_at = num_updates
        return True


class IdleCopyProbe(Probe):
    name = "idle-copy"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._copies: list[IdleCopy] = []
        self._looks_in_every_window = False
        self._known: set[int] = set()  # identities of copies
        self._sites: dict[int, Site | None] = {}  # of the step, by tracked optimizer

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or (tracked.num_updates % LOOKS_EVERY and tracked.num_updates & (tracked.num_updates - 1)):
            return
        self._copies = [c for c in self._copies if c.tracked != tracked.id or c.look(tracked.num_updates)]
        if self._copies and tracked.num_updates >= SUSPICIOUS and not self._looks_in_every_window:
            self._looks_in_every_window = True
            self._recorder.ask_in_every_window(self, "step_begins")
        if tracked.num_updates <= MADE_UP_TO and len(self._known) < MOST_COPIES:
            self._meet(tracked.id, tracked.ids)

    def _meet(self, number: int, ids: Any) -> None:
        modules = list(_models(self._recorder.names.registry.alive()))
        owned = self._recorder.optimizers.owners()
        trained = [m for m in modules if _is_trained(m, ids)]
        for copy in modules:
            if id(copy) in self._known or any(id(p) in owned for p in parameters_of(copy)):
                continue
            name = self._follower(copy)
            inner = copy.module if isinstance(copy, AveragedModel) else copy
            model = next((m for m in trained if name and type(m) is type(inner) and _same(m, inner)), None)
            if model is not None:
                self._known.add(id(copy))
                self._copies.append(IdleCopy(inner, model, name, self._name(model), number))

    def _follower(self, copy: Module) -> str:
        """Its name, if that says that it is to follow the model."""
        if isinstance(copy, AveragedModel):
            return "the AveragedModel"
        name = self._name(copy)
        return name if FOLLOWERS.search(name.rsplit(".", 1)[-1].lower()) else ""

    def _name(self, module: Module) -> str:
        """What comes before the names of its own parameters."""
        first, param = next(named_parameters(module))
        name = self._recorder.names.of(param)
        return name[: -len(first) - 1] if name.endswith("." + first) else ""

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is not None and self._copies:
            self._sites[tracked.id] = tracked.step_site

    def end_facts(self) -> dict[str, Any]:
        found = []
        updates = self._recorder.updates
        for one in self._copies:
            num = updates.get(one.tracked, 0)
            leaf = one.name.rsplit(".", 1)[-1]
            if one.look(num) and one.idle_at and not may_be_moved(leaf, self._recorder.sites.files()):
                found.append(IdleCopyFacts(one.name, one.of, num, one.idle_at, self._sites.get(one.tracked)))
        return {"idle_copies": tuple(found)} if found else {}


def _is_trained(model: Module, ids: Any) -> bool:
    held = [id(param) in ids for param in parameters_of(model) if param.requires_grad]
    return bool(held) and all(held)


def _models(alive: list[Module]) -> Iterator[Module]:
    """Modules with parameters that no module holds, and what these hold, two levels deep."""
    held = {id(child) for module in alive for child in part(module, "_modules").values()}
    level = [module for module in alive if id(module) not in held]
    for _ in range(3):
        yield from (m for m in level if _is_plain(m))
        level = [child for module in level for child in part(module, "_modules").values() if child is not None]


def _is_plain(model: Module) -> bool:
    params = list(parameters_of(model))
    return bool(params) and all(type(p) in (Tensor, Parameter) and not p.is_meta and p.is_cpu for p in params)


@torch.no_grad()
def _weights(model: Module) -> list[Tensor]:
    flat = [param.detach().reshape(-1) for param in parameters_of(model)]
    return [values[:: max(1, values.numel() // SAMPLE)].clone() for values in flat]


def _marks(model: Module) -> list[tuple[int, int]]:
    """What changes whenever somebody writes, even the very same values."""
    return [(param.data_ptr(), param._version) for param in parameters_of(model)]


def _equal(some: list[Tensor], others: list[Tensor]) -> bool:
    return len(some) == len(others) and all(torch.equal(a, b) for a, b in zip(some, others, strict=True))


def _same(model: Module, copy: Module) -> bool:
    """Equal in all parameters, in memory of their own, and not only because all are 0 or 1."""
    pairs = list(zip(parameters_of(model), parameters_of(copy), strict=False))
    shapes = [p.shape for p in parameters_of(model)] == [p.shape for p in parameters_of(copy)]
    return (
        shapes
        and model is not copy
        and any(p.dim() > 1 and bool(p.any()) for p, _ in pairs)
        and all(p.data_ptr() != c.data_ptr() for p, c in pairs)
        and _equal(_weights(model), _weights(copy))
    )
