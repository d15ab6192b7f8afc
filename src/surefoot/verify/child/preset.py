"""Changes that a preset makes to a program while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.check.tensors import replaced
from surefoot.watch.inventory.registry import all_roots

NAME = "verify"  # among those who listen

if TYPE_CHECKING:
    from surefoot.verify.child.recorder import StepRecorder


def apply(name: str, recorder: StepRecorder) -> None:
    """Models are changed when the first optimizer over them is made: they are complete, and have not been called."""
    if name == "fused":
        recorder.made.append(lambda optimizer: _fuse(optimizer, recorder))
    elif name in MODEL_CHANGES:
        changed: list[Module] = []

        def change(optimizer: Optimizer) -> None:
            for model in _models(optimizer):
                if all(model is not one for one in changed):
                    changed.append(model)
                    MODEL_CHANGES[name](model, recorder)

        recorder.made.append(change)


def _models(optimizer: Optimizer) -> list[Module]:
    params = {id(param) for group in optimizer.param_groups for param in group["params"]}
    return [root for root in all_roots() if any(id(param) in params for param in root.parameters())]


def _compile(model: Module, recorder: StepRecorder) -> None:
    """Only calls of the whole model are heard: a listener inside would keep the compiler from compiling it."""
    from torch._dynamo.utils import counters  # takes seconds, and is needed here only

    compiled: Callable[..., Any] = torch.compile(model.forward)
    forwards, run = recorder.forwards, recorder.tap.run

    def forward(*args: Any, **kwargs: Any) -> Any:
        run(NAME, forwards.begins, model, args, kwargs)
        output = compiled(*args, **kwargs)
        run(NAME, forwards.ends, model, output)
        if not counters["stats"]["unique_graphs"]:
            recorder.recording.error = "torch.compile made no graph of its model. Compile it in the script instead."
        return output

    model.forward = forward


def _autocast(model: Module, recorder: StepRecorder) -> None:
    """What accelerate and Lightning do: the forward in bf16, its output in fp32, so that the loss is exact."""
    forward: Callable[..., Any] = model.forward
    device = next(model.parameters()).device.type

    def in_bf16(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(device, torch.bfloat16):
            output = forward(*args, **kwargs)
        return replaced(output, lambda path, one: one.float() if one.dtype == torch.bfloat16 else one)

    model.forward = in_bf16


MODEL_CHANGES: dict[str, Callable[[Module, StepRecorder], None]] = {"compile": _compile, "bf16": _autocast}


def _fuse(optimizer: Optimizer, recorder: StepRecorder) -> None:
    for group in optimizer.param_groups:
        option = next((name for name in ("fused", "foreach") if name in group), None)
        if option is None:
            kind = type(optimizer).__name__
            recorder.recording.error = f"{kind} has neither fused nor foreach. Leave --fused out for this script."
            return
        group["foreach"], group["fused"] = None, None
        group[option] = True
