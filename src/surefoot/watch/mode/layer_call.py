"""On whose behalf a layer runs: the modules on the stack, and the line of user code that called the outermost."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.facts import Site
from surefoot.watch.inventory.module import parameters_of, part
from surefoot.watch.site import Sites

_TORCH = Path(torch.__file__).parent
_CALL = Module._call_impl.__code__
_MARK = "__surefoot_seen__"
# Forwards without gradient that are not the program's own: a block that is run again in backward, and the
# recalibration of batch-norm statistics.
_TORCHS_OWN = frozenset({str(_TORCH / "utils" / "checkpoint.py"), str(_TORCH / "optim" / "swa_utils.py")})


@dataclass(slots=True)
class LayerCall:
    """A call of a model by the program, seen from a layer inside it."""

    modules: list[Module]  # from the layer outwards
    site: Site | None
    input: Tensor | None  # the first tensor the model was given
    is_new: bool  # not looked at before
    is_torchs_own: bool

    @property
    def model(self) -> Module:
        return self.modules[-1]


def find_call(sites: Sites, depth: int, *, mark: bool = True) -> LayerCall | None:
    """The outermost module call above the frame at `depth`; None if no module is being called.

    A call that was marked is not new when it is found again.
    """
    modules: list[Module] = []
    torchs_own = False
    outermost: FrameType | None = None
    outermost_depth = depth
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        called = _called(frame)
        if called is not None:
            outermost, outermost_depth = frame, depth
            if not modules or modules[-1] is not called:
                modules.append(called)
        elif frame.f_code.co_filename in _TORCHS_OWN:
            torchs_own = True
        frame = frame.f_back
        depth += 1
    if outermost is None:
        return None
    given, is_new = _look_at(outermost, mark)
    return LayerCall(modules, sites.here(outermost_depth + 2), given, is_new, torchs_own)


def find_frozen_call(sites: Sites, depth: int) -> Site | None:
    """The line that calls the largest module around a layer that has several modules and no weight that trains."""
    largest = None
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        called = _called(frame)
        if called is not None:
            if any(param.requires_grad for param in parameters_of(called)):
                break
            if next(iter(part(called, "_modules")), None) is not None:
                largest = depth
        frame = frame.f_back
        depth += 1
    return None if largest is None else sites.here(largest + 2)


def _called(frame: FrameType) -> Module | None:
    """The module whose call the frame runs, or whose `forward`, where that was called by name."""
    code = frame.f_code
    if code is not _CALL and (code.co_name != "forward" or _is_called_by_torch(frame)):
        return None
    owner = frame.f_locals.get("self")
    return owner if issubclass(type(owner), Module) else None


def _is_called_by_torch(frame: FrameType) -> bool:
    return frame.f_back is not None and frame.f_back.f_code is _CALL


def _look_at(frame: FrameType, mark: bool) -> tuple[Tensor | None, bool]:
    """The first tensor the model was given, and whether this call was not looked at before."""
    if frame.f_code is not _CALL:
        return None, True  # a frame of user code is left alone
    names: dict[str, Any] = frame.f_locals
    given = next((v for v in (*names["args"], *names["kwargs"].values()) if isinstance(v, Tensor)), None)
    is_new = _MARK not in names
    # Nothing else tells this call from the next one, whose frame may lie at the same address.
    if mark:
        names[_MARK] = True
    return given, is_new
