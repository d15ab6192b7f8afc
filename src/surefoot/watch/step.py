"""Watch optimizers: their making, and every step of every one."""

from __future__ import annotations

import sys
from threading import get_ident
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _len_torch_dispatch_stack, _len_torch_function_stack
from torch.compiler import is_dynamo_compiling
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


class MaxStepsReached(SystemExit):
    """Raised after the last step that was asked for; ends the program as `sys.exit(0)` does."""

    def __init__(self, max_steps: int) -> None:
        super().__init__(0)
        self.max_steps = max_steps


_OPTIMIZER_FILE = torch.optim.Optimizer.profile_hook_step.__code__.co_filename


class StepProbe(Probe):
    name = "step"

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._running: set[int] = set()  # optimizers whose step has begun, and has not ended unless it raised
        self._inner: list[int] = []  # those whose step called that of their base class
        recorder.tap.listen(torch.optim.Optimizer, "__init__", self.name, after=self._made)
        recorder.tap.listen(torch.optim.Optimizer, "add_param_group", self.name, after=self._grew)
        recorder.tap.on_removal(register_optimizer_step_pre_hook(self.before).remove)
        recorder.tap.on_removal(register_optimizer_step_post_hook(self.after).remove)

    def _made(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        if getattr(args[0], "param_groups", None):  # else it raised
            self._recorder.tracked(args[0], self._recorder.sites.here())

    def _grew(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        if self._recorder.optimizers.get(args[0]) is not None:  # else it is being made
            self._recorder.tracked(args[0])

    def before(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        if is_dynamo_compiling():  # a compiled step has no hooks
            return None
        key = id(optimizer)
        if self._running and key in self._running and is_inner(optimizer):
            self._inner.append(key)
            return None
        self._running.add(key)
        recorder = self._recorder
        closure = len(args) > 1 or kwargs
        if (
            recorder.tap.is_steady and not closure and get_ident() == recorder.tap.steady_thread
            and not _len_torch_function_stack() and not _len_torch_dispatch_stack()
        ):  # fmt: skip
            try:  # a window that was only observed may be like one before
                if recorder.steady.step(optimizer, recorder.by_scaler_at or recorder.sites.near(3)):
                    return None
            except Exception as error:
                recorder.tap.fail_observing(error)
        stop = recorder.tap.run(self.name, recorder.step_begins, optimizer, bool(closure and _closure(args, kwargs)))
        if stop is not None:
            raise stop
        return _judge_in_closure(recorder, optimizer, args, kwargs) if recorder.settings.stops and closure else None

    def after(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if is_dynamo_compiling():
            return
        key = id(optimizer)
        if self._inner and key in self._inner:
            self._inner.remove(key)
            return
        self._running.discard(key)
        recorder = self._recorder
        if not recorder.tap.is_steady or not recorder.steady.step_ended():
            closure = (len(args) > 1 or kwargs) and _closure(args, kwargs)
            stop = recorder.tap.run(self.name, recorder.step_ends, optimizer, bool(closure))
            if stop is not None:
                raise stop
        max_steps = recorder.settings.max_steps
        if max_steps is not None and recorder.num_steps >= max_steps and recorder.tap.on:
            raise MaxStepsReached(max_steps)


def _closure(args: Any, kwargs: Any) -> bool:
    return (len(args) > 1 and callable(args[1])) or callable(kwargs.get("closure"))


def is_inner(optimizer: Any) -> bool:
    """Torch hooks `step` of every class: one that calls its base class's runs the hooks twice for one step."""
    frame: FrameType | None = sys._getframe(2)
    num_running = 0
    while frame is not None:
        if frame.f_code.co_filename == _OPTIMIZER_FILE and frame.f_code.co_name == "wrapper":
            num_running += frame.f_locals.get("self") is optimizer
        frame = frame.f_back
    return num_running > 1


def _judge_in_closure(recorder: Recorder, optimizer: Any, args: Any, kwargs: Any) -> Any:
    """New arguments whose closure is judged when it first returns: gradients are there, the update is yet to come."""
    if not _closure(args, kwargs):
        return None
    closure = args[1] if len(args) > 1 else kwargs["closure"]
    site = recorder.sites.here()

    def judged(*inner_args: Any, **inner_kwargs: Any) -> Any:
        result = closure(*inner_args, **inner_kwargs)
        stop = recorder.tap.run("step", recorder.closure_ends, optimizer, site)
        if stop is not None:
            raise stop
        return result

    if len(args) > 1:
        return (args[0], judged, *args[2:]), kwargs
    return args, {**kwargs, "closure": judged}
