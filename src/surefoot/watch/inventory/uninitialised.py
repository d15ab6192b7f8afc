"""Parameters made by `torch.empty(...)`: does anything write to them before a loss uses them?

Where one comes from is read off the line that registers it. Whether it was written to shows in its version, or, after
a write through `.data`, in its values.
"""

from __future__ import annotations

import ast
import re
import sys
import weakref
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Module, Parameter, ParameterDict, ParameterList
from torch.optim import Optimizer

from surefoot.facts import Site, UninitialisedFacts
from surefoot.watch.inventory.registering import on_parameter
from surefoot.watch.probe import Probe
from surefoot.watch.source import parse, text_of

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

SAMPLE = 1024  # elements by which a parameter is known to have changed
EMPTY = ("empty", "empty_like", "new_empty", "empty_strided")
SIZED = ("Tensor", "FloatTensor", "DoubleTensor", "HalfTensor")  # of two sizes and more, or of one plain number
_TORCH_MODULES = str(Path(torch.__file__).parent / "nn" / "modules")
_CONTAINERS = (ParameterList, ParameterDict)
UNSEEN_WRITES = re.compile(r"\.data\b|\.detach\(|\.numpy\(|from_dlpack|set_\(")


class Made:
    """A parameter when it was registered."""

    def __init__(self, param: Tensor, made_by: str, site: Site) -> None:
        self.ref = weakref.ref(param)
        self.made_by, self.site = made_by, site
        self.version = param._version
        self.sample = _bits(param)

    def is_untouched(self, param: Tensor) -> bool:
        if param._version != self.version or param.dtype != self.sample.dtype:
            return False
        return torch.equal(_bytes(_some(param)).cpu(), _bytes(self.sample))

    @property
    def is_zero(self) -> bool:
        return not bool(self.sample.count_nonzero())


class UninitialisedProbe(Probe):
    name = "uninitialised"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._made: dict[int, Made] = {}
        self._found: dict[str, UninitialisedFacts] = {}
        on_parameter(recorder.tap, self._registers)

    def _registers(self, owner: Module, name: str, param: Any) -> None:
        kind = type(owner)
        if type(param) is Parameter and (kind in _CONTAINERS or not kind.__module__.startswith("torch.nn.")):
            self._recorder.tap.run(self.name, self._note, param)

    def _note(self, param: Tensor) -> None:
        if not self._is_registered_by_user():
            return
        site = self._recorder.sites.here(3)
        made_by = "" if site is None else maker_at(site.file, site.line)
        if site is not None and made_by and not param.is_meta and param.numel():
            self._made[id(param)] = Made(param, made_by, site)

    def _is_registered_by_user(self) -> bool:
        """Not by a library on behalf of a line of the user, which may speak of other parameters."""
        frame: FrameType | None = sys._getframe(4)  # torch's own, which calls the hook
        while frame is not None and frame.f_code.co_filename.startswith(_TORCH_MODULES):
            frame = frame.f_back
        return frame is not None and self._recorder.sites.is_user(frame.f_code.co_filename)

    def step_begins(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or not self._made or tracked.num_updates > 1:
            return
        for param in tracked.ledger.params:
            made = self._made.pop(id(param), None)
            if made is None or made.ref() is not param or param.grad is None or not made.is_untouched(param):
                continue
            if made.is_zero and self._may_be_written_unseen(made.site):
                continue
            name = self._recorder.names.of(param)
            self._found[name] = UninitialisedFacts(name, tuple(param.shape), made.made_by, made.site)
            self._recorder.setup_due = True

    def _may_be_written_unseen(self, site: Site) -> bool:
        """Whether zeros may have been written over zeros, in a way that leaves no trace."""
        files = {site.file, *self._recorder.sites.files()}
        return any(UNSEEN_WRITES.search(text_of(file)) for file in files)

    def setup_facts(self) -> dict[str, Any]:
        return {"uninitialised": tuple(self._found.values())} if self._found else {}


def maker_at(file: str, line: int) -> str:
    """The function whose result a line gives to `Parameter`, if it leaves memory as it is; "" for others or several."""
    tree = parse(file)
    makers = set()
    for node in [] if tree is None else ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr) and node.lineno <= line <= (node.end_lineno or 0):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and _name(call.func) == "Parameter":
                    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "data")]
                    makers.add(_leaves_memory(given[0]) if len(given) == 1 else "")
    return makers.pop() if len(makers) == 1 else ""


def _leaves_memory(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    name = _name(node.func)
    if name in EMPTY:
        return name
    sizes = [arg for arg in node.args if isinstance(arg, ast.Name | ast.Attribute | ast.Constant | ast.BinOp)]
    is_sized = len(sizes) == len(node.args) and (
        len(sizes) > 1 or any(isinstance(size, ast.Constant) and type(size.value) is int for size in sizes)
    )
    return name if name in SIZED and is_sized else ""


def _name(node: ast.expr) -> str:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _some(param: Tensor) -> Tensor:
    flat = param.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLE)]


def _bits(param: Tensor) -> Tensor:
    return _some(param).clone().cpu()


def _bytes(values: Tensor) -> Tensor:
    """So that NaN equals itself."""
    return values.contiguous().view(torch.uint8)
