"""Watch optimizers: their making, and every step of every one."""

from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.compiler import is_dynamo_compiling
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from surefoot.watch.patch import Function
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
        max_steps = recorder.settings.max_steps
        sleep = recorder.sleep
        running: set[int] = set()  # optimizers whose step has begun, and has not ended unless it raised
        inner: list[int] = []  # those whose step called that of their base class

        def before(optimizer: Any, args: Any, kwargs: Any) -> Any:
            if is_dynamo_compiling():  # a compiled step has no hooks
                return None
            if running and id(optimizer) in running and is_inner(optimizer):
                inner.append(id(optimizer))
                return None
            running.add(id(optimizer))
            nap = sleep.nap
            if nap is not None and nap.goes_on("step", depth=3):
                return None  # a step with a closure is never slept through
            stop = recorder.guarded("step", _begins, recorder, optimizer, args, kwargs)
            if stop is not None:
                raise stop
            return _judge_in_closure(recorder, optimizer, args, kwargs) if recorder.settings.stops else None

        def after(optimizer: Any, args: Any, kwargs: Any) -> None:
            if is_dynamo_compiling():
                return
            if inner and id(optimizer) in inner:
                inner.remove(id(optimizer))
                return
            if sleep.nap is not None:  # there is one optimizer only
                running.clear()
            else:
                running.discard(id(optimizer))
                stop = recorder.guarded("step", _ends, recorder, optimizer, args, kwargs)
                if stop is not None:
                    raise stop
            if max_steps is not None and recorder.num_steps >= max_steps and recorder.on:
                raise MaxStepsReached(max_steps)

        def make(original: Function) -> Function:
            def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
                original(self, *args, **kwargs)
                recorder.guarded("step", _made, recorder, self)

            return __init__

        recorder.patches.wrap(torch.optim.Optimizer, "__init__", make)
        recorder.patches.on_removal(register_optimizer_step_pre_hook(before).remove)
        recorder.patches.on_removal(register_optimizer_step_post_hook(after).remove)


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
    site = recorder.sites.here(3)

    def judged(*inner_args: Any, **inner_kwargs: Any) -> Any:
        result = closure(*inner_args, **inner_kwargs)
        stop = recorder.guarded("step", recorder.closure_ends, optimizer, site)
        if stop is not None:
            raise stop
        return result

    if len(args) > 1:
        return (args[0], judged, *args[2:]), kwargs
    return args, {**kwargs, "closure": judged}


def _begins(recorder: Recorder, optimizer: Any, args: Any, kwargs: Any) -> BaseException | None:
    return recorder.step_begins(optimizer, recorder.sites.here(4), closure=_closure(args, kwargs))


def _ends(recorder: Recorder, optimizer: Any, args: Any, kwargs: Any) -> BaseException | None:
    closure = _closure(args, kwargs)
    site = recorder.sites.here(4) if closure else None
    return recorder.step_ends(optimizer, site, closure=closure)


def _made(recorder: Recorder, optimizer: Any) -> None:
    recorder.account(optimizer, recorder.sites.here(4))
