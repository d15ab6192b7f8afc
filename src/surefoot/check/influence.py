"""Do the answers of the models depend on their inputs at all?"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from surefoot.check.asking import answer, in_mode, spread
from surefoot.check.calls import LossCall, ModelCall, raw_inputs


def measure(calls: list[ModelCall], losses: list[LossCall]) -> dict[str, Any]:
    """The largest change of any answer when inputs are replaced by zeros, beside the spread of the answers."""
    found: dict[str, Any] = {"why": "no model call takes inputs"}
    for call in calls:
        given = raw_inputs(call, losses)
        zeros = {path: zeros_like(tensor) for path, tensor in given.items()}
        if not any(not torch.equal(zeros[path], given[path]) for path in given):
            continue
        with in_mode(call.module, training=False):
            before, after = answer(call), answer(call, zeros)
        changes = [
            float((after[path] - out).abs().max()) / (spread(out) or 1.0)
            for path, out in before.items()
            if path in after and after[path].shape == out.shape
        ]
        if changes:
            found = {"change": max([*changes, found.get("change", 0.0)]), "module": type(call.module).__name__}
    return found


def zeros_like(tensor: Tensor) -> Tensor:
    """Of indices, the first one everywhere: not every table has a row 0 that may be looked up."""
    return (
        torch.zeros_like(tensor) if tensor.is_floating_point() else torch.full_like(tensor, tensor.flatten()[0].item())
    )
