"""Does the answer at one position change when a later token is replaced?"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from surefoot.check.asking import answer, in_mode, spread
from surefoot.check.calls import LossCall, ModelCall, raw_inputs
from surefoot.watch.seq.align import laid

LEAST = 1e-3  # change of an answer, beside the spread of all answers
FEWEST_POSITIONS = 4
NO_SEQUENCE = "no loss compares predictions with the next values of the model's own input"


def measure(calls: list[ModelCall], losses: list[LossCall]) -> dict[str, Any]:
    """{"change": …} of predictions before the first replaced position, or {"why": …}."""
    why = NO_SEQUENCE
    for call in calls:
        for path, given in raw_inputs(call, losses).items():
            for loss in losses:
                time = _time_of(given, loss)
                if time is not None:
                    found = _look(call, path, given, time)
                    if "change" in found:
                        return found
                    why = found["why"]
    return {"why": why}


def _time_of(given: Tensor, loss: LossCall) -> int | None:
    """The dimension of time, if targets are the input moved by one position."""
    target = loss.target
    if not isinstance(target, Tensor) or target.requires_grad:
        return None
    if given.is_floating_point() and given.dim() >= 2 and given.shape == target.shape:
        return next((dim for dim in (1, 0) if _is_next(given, target, dim)), None)
    if given.dtype is not torch.int64 or target.dtype is not torch.int64 or given.dim() != 2:
        return None
    layouts, shift = laid(given, target, int(loss.given.get("ignore_index", -100)), None)
    turned = {layout.is_turned for layout in layouts}
    return int(not turned.pop()) if shift == 1 and len(turned) == 1 else None


def _is_next(given: Tensor, target: Tensor, dim: int) -> bool:
    length = given.shape[dim]
    if length < FEWEST_POSITIONS or not bool((given != target).any()):
        return False
    return torch.equal(target.narrow(dim, 0, length - 1), given.narrow(dim, 1, length - 1))


def _look(call: ModelCall, path: Any, given: Tensor, time: int) -> dict[str, Any]:
    length, at = given.shape[time], given.shape[time] // 2
    if length < FEWEST_POSITIONS:
        return {"why": f"sequences of {length} positions are too short to tell"}
    changed = given.clone()
    later = changed.narrow(time, at, length - at)
    later.copy_(later.flip(time).roll(1, 1 - time) if given.dim() == 2 else later.flip(time))
    if torch.equal(changed, given):
        return {"why": "the later tokens of the batch are all alike"}
    with in_mode(call.module, training=False):
        before = answer(call)
        if any(not torch.equal(before[name], again) for name, again in answer(call).items()):
            return {"why": "the model's answers to equal inputs differ"}
        after = answer(call, {path: changed})
    for name, out in before.items():
        rows = _by_position(out, given, time)
        if rows is None:
            continue
        difference = _by_position((after[name] - out).abs(), given, time)
        assert difference is not None
        largest = difference.flatten(1).amax(1) / (spread(out) or 1.0)
        early = largest[:at]
        seeing = (early > LEAST).nonzero().flatten().tolist()
        return {
            "change": float(early.max()), "later_change": float(largest[at:].max()), "replaced_from": at,
            "length": length, "positions": seeing[:8], "module": type(call.module).__name__,
        }  # fmt: skip
    return {"why": "the model does not return one row for each position"}


def _by_position(out: Tensor, given: Tensor, time: int) -> Tensor | None:
    """(position, sequence, …), whatever shape the model gives its scores."""
    first = tuple(given.shape[:2])
    if out.dim() < 2:
        return None
    if tuple(out.shape[:2]) == first:
        return out.transpose(0, 1) if time == 1 else out
    if tuple(out.shape[:2]) == first[::-1] and first[0] != first[1]:
        return out if time == 1 else out.transpose(0, 1)
    if out.dim() == 3 and out.shape[0] == first[0] and out.shape[2] == first[1] and time == 1:
        return out.permute(2, 0, 1)
    if out.dim() == 2 and out.shape[0] == first[0] * first[1]:
        rows = out.reshape(*first, -1)
        return rows.transpose(0, 1) if time == 1 else rows
    return None
