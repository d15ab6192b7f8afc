"""Watch every call of every module, while steps are traced: shapes, values, time, memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from torch.compiler import is_dynamo_compiling
from torch.nn import Module

from surefoot.facts import Site
from surefoot.lab.trace.stage import Forward, Item, ModuleCall
from surefoot.lab.trace.tensor import glimpse, is_recorded, items_of, tensors_in
from surefoot.lab.trace.tracer import Tracer
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.probe import Probe
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

MOST_CALLS = 1024  # of modules, inside one forward


@dataclass(slots=True)
class Running:
    """An outermost call while it runs."""

    site: Site | None
    model: str
    names: dict[int, str]  # of the modules inside, by id
    grad: bool
    given: tuple[Item, ...]
    calls: list[ModuleCall] = field(default_factory=list)
    num_calls: int = 0
    depth: int = 0


@dataclass(slots=True)
class Begun:
    running: Running
    call: ModuleCall | None  # None: not looked at
    started: float  # on a clock that stands still while our own code runs


class ForwardProbe(Probe):
    name = "trace-forward"

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._here = threading.local()
        self._own_seconds = 0.0
        self._is_off = False

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        probe, tracer = self, self._tracer

        def make(original: Function) -> Function:
            def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
                if probe._is_off or is_dynamo_compiling():
                    return original(self, *args, **kwargs)
                if getattr(probe._here, "running", None) is None:
                    tracer.end_if_over()
                if not tracer.is_open:
                    return original(self, *args, **kwargs)
                begun = probe._beside(probe._begins, self, args, kwargs)
                if begun is None:
                    return original(self, *args, **kwargs)
                try:
                    result = original(self, *args, **kwargs)
                except BaseException:
                    probe._leave_call(begun)
                    raise
                probe._beside(probe._ends, begun, result, self.training)
                return result

            return __call__

        original = vars(Module)["__call__"]
        recorder.tap.replace(Module, "__call__", make)
        wrapper = vars(Module)["__call__"]

        def leave() -> None:
            probe._is_off = True
            if vars(Module)["__call__"] is wrapper:  # the compiler shall not meet it
                Module.__call__ = original  # type: ignore[method-assign]

        switch_off_when_compiling(recorder, self.name, leave)

    def _beside(self, call: Any, *args: Any) -> Any:
        """Our own time does not count."""
        begun = perf_counter()
        try:
            return self._recorder.tap.run(self.name, call, begun - self._own_seconds, *args)
        finally:
            self._own_seconds += perf_counter() - begun

    def _begins(self, now: float, module: Module, args: Any, kwargs: Any) -> Begun | None:
        running: Running | None = getattr(self._here, "running", None)
        if running is None:
            if is_recorded() or self._recorder.thread_states.here().backward_stack:
                return None  # inside a backward a checkpoint runs its block again
            if not self._tracer.begins():
                return None
            running = self._here.running = self._outermost(module, args, kwargs)
        running.depth += 1
        running.num_calls += 1
        call = None
        if running.depth == 1 or (running.grad and len(running.calls) < MOST_CALLS):
            name = running.names.get(id(module), "")
            call = ModuleCall(name, type(module).__name__, running.depth - 1)
            call.given = tuple(tuple(t.shape) for t in tensors_in([args, kwargs]))
            running.calls.append(call)
        return Begun(running, call, now)

    def _outermost(self, module: Module, args: Any, kwargs: Any) -> Running:
        site = self._recorder.sites.here()
        grad = torch.is_grad_enabled()
        names = {id(m): name for name, m in module.named_modules()} if grad else {}
        given: Any = args[0] if len(args) == 1 and not kwargs else {**dict(enumerate(args)), **kwargs}
        return Running(site, self._name(module), names, grad, items_of(given) if grad else ())

    def _name(self, module: Module) -> str:
        """The model or the part of it as messages about parameters name it, else its class."""
        for own, param in module.named_parameters():
            label = self._recorder.names.of(param)
            if label.endswith(own):
                return label.removesuffix(own).rstrip(".") or type(module).__name__
            break
        return type(module).__name__

    def _leave_call(self, begun: Begun) -> None:
        begun.running.depth -= 1
        if begun.running.depth == 0:
            self._here.running = None

    def _ends(self, now: float, begun: Begun, result: Any, training: bool) -> None:
        running, call = begun.running, begun.call
        seconds = max(0.0, now - begun.started)
        self._leave_call(begun)
        if call is not None:
            call.seconds = seconds
            if running.grad:
                _look(call, result)
        if running.depth == 0:
            self._report(running, result, training, seconds)

    def _report(self, running: Running, result: Any, training: bool, seconds: float) -> None:
        if not running.grad:
            self._tracer.evaluates(running.model, running.site, seconds)
            return
        self._tracer.add(
            Forward(
                step=0, site=running.site, model=running.model, training=training, given=running.given,
                output=items_of(result), calls=running.calls, num_left_out=running.num_calls - len(running.calls),
            )
        )  # fmt: skip


def _look(call: ModuleCall, result: Any) -> None:
    outputs = tensors_in(result)
    call.output = tuple(tuple(t.shape) for t in outputs)
    call.num_bytes = sum(t.element_size() * t.numel() for t in outputs if t.layout is torch.strided)
    if outputs:
        seen = glimpse(outputs[0])
        call.dtype, call.mean, call.spread, call.num_bad = seen.dtype, seen.mean, seen.spread, seen.num_bad
