"""Watch the first steps for user code that calls `model.forward(x)`, past the hooks that `model(x)` runs."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable
from types import FrameType
from typing import TYPE_CHECKING, Any

from torch.nn import Module
from torch.optim import Optimizer

from surefoot.facts import DirectForwardFacts, Site
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.graph.scope import find_forward_calls
from surefoot.watch.inventory.module import modules_of, parameters_of
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

NUM_STEPS = 3  # for which modules are watched; what they do not show then, they rarely show later
MAX_DEPTH = 60  # frames between a layer and the loop
_TORCH_CALLS = frozenset(("_call_impl", "inner", "_slow_forward"))


class BareForwardProbe(Probe):
    name = "forward"

    def __init__(self) -> None:
        self._called: dict[int, weakref.ref[Module]] = {}  # by identity
        self._direct: dict[DirectForwardFacts, weakref.ref[Module]] = {}
        self._facts: tuple[DirectForwardFacts, ...] = ()
        self._files: set[str] = set()
        self._watches = True

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        switch_off_when_compiling(recorder, self.name, lambda: recorder.forwards.leave(self.name))
        if self.name in recorder.tap.off:
            return

        recorder.forwards.listen(self.name, before=self._is_called)

    def _is_called(self, module: Module) -> None:
        if not self._was_called(module):
            self._note_call(module)

    def _was_called(self, module: Module) -> bool:
        known = self._called.get(id(module))
        return known is not None and known() is module

    def _note_call(self, module: Module) -> None:
        self._called[id(module)] = weakref.ref(module)
        frame: FrameType | None = sys._getframe(3)
        for _ in range(MAX_DEPTH):
            if frame is None or frame.f_back is None:
                return
            if frame.f_code.co_name == "forward" and frame.f_back.f_code.co_name not in _TORCH_CALLS:
                self._note_direct(frame, frame.f_back)
            frame = frame.f_back

    def _note_direct(self, forward: FrameType, caller: FrameType) -> None:
        if not self._recorder.sites.is_user(caller.f_code.co_filename):
            return
        module = _self(forward)
        if issubclass(type(module), Module) and not self._was_called(module) and not _is_in_a_module(caller):
            code = caller.f_code
            site = Site(code.co_filename, caller.f_lineno, code.co_qualname)
            self._direct[_fact(module, site)] = weakref.ref(module)

    def backward_begins(self, backward: Backward) -> None:
        if self._watches and backward.site is not None:
            self._files |= {backward.site.file, *(file for file, _ in backward.site.callers)}

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if not self._watches:
            return None
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is not None:
            self._note_childless(tracked.ids)
        direct = {fact: ref for fact, ref in self._direct.items() if (m := ref()) is None or not self._was_called(m)}
        self._facts = tuple(direct)
        return self._facts

    def _note_childless(self, stepped: frozenset[int]) -> None:
        """Models that train and were not called, nor any part of them: their forward ran no module."""
        calls = [call for file in sorted(self._files) for call in find_forward_calls(file)]
        for ref in self._recorder.names.scan.roots if calls else ():
            root = ref()
            if root is None or any(self._was_called(module) for module in modules_of(root)):
                continue
            if any(p.grad is not None and id(p) in stepped for p in parameters_of(root)):
                self._direct[_fact(root, calls[0])] = ref

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"direct_forwards": self._facts} if self._facts else {}

    def step_ends(self, optimizer: Optimizer) -> None:
        if self._watches and self._recorder.num_steps >= NUM_STEPS:
            self._watches = False
            self._recorder.forwards.leave(self.name)
            self._facts = ()


def _fact(module: Module, site: Site) -> DirectForwardFacts:
    hooks = [*module._forward_pre_hooks.values(), *module._forward_hooks.values(), *module._backward_hooks.values()]
    names = tuple(getattr(hook, "__qualname__", type(hook).__name__) for hook in hooks)
    return DirectForwardFacts(site, type(module).__name__, names)


def _is_in_a_module(frame: FrameType) -> bool:
    """Whether a method of a module runs here; a comprehension in it has a frame of its own and need not know `self`."""
    around: FrameType | None = frame
    wanted = frame.f_code.co_qualname
    while around is not None:
        code = around.f_code
        if code.co_qualname == wanted and code.co_filename == frame.f_code.co_filename:
            if issubclass(type(_self(around)), Module):
                return True
            wanted = wanted.rpartition(".<locals>.")[0]
            if not wanted:
                return False
        around = around.f_back
    return False


def _self(frame: FrameType) -> Any:
    """The object whose method runs in a frame, or whose method made the function that does; None if there is none."""
    code = frame.f_code
    if "." not in code.co_qualname.removeprefix("<module>") or "self" not in (*code.co_varnames, *code.co_freevars):
        return None
    values = frame.f_locals
    found = values.get("self")
    if sys.version_info < (3, 13):
        values.clear()  # a copy, which would keep the values alive as long as the frame
    return found
