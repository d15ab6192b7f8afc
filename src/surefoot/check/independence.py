"""Does the answer for one sample change when another sample of the batch is replaced?

Asked in eval mode, in which batch-norm uses its running statistics and dropout is off.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from surefoot.check.asking import answer, in_mode, spread
from surefoot.check.calls import LossCall, ModelCall, raw_inputs
from surefoot.watch.seq.align import laid

FEWEST = 3  # samples
LEAST = 1e-3  # change of an answer, beside the spread of all answers; rounding is a thousand times less


def measure(calls: list[ModelCall], losses: list[LossCall], batch_size: int | None) -> dict[str, Any]:
    """{"change": …} of the call that depends most on others, or {"why": …} if that can't be told."""
    why = "in the step that was looked at, no model call takes inputs and returns one row for each sample"
    found: dict[str, Any] = {}
    for call in calls:
        one = _of_call(call, losses, batch_size)
        why = one.get("why", why)
        if "change" in one and one["change"] > found.get("change", -1.0):
            found = one
    return found or {"why": why}


def _of_call(call: ModelCall, losses: list[LossCall], batch_size: int | None) -> dict[str, Any]:
    given = _of_samples(raw_inputs(call, losses), batch_size)
    supervised = [loss for loss in losses if _is_target(loss.target)]
    if not given:
        return {}
    if not supervised and (losses or batch_size is None):
        return {"why": "no loss function of torch compares predictions with targets of the samples"}
    size = _num_samples(given, supervised, batch_size)
    if size is None:
        return {"why": "which dimension of the inputs is the batch can't be told"}
    whole = _statistics_of_batch(call.module)
    if whole:
        return {"why": f"{whole} normalises by the batch in eval mode, too, as it was asked to"}
    with in_mode(call.module, training=False):
        before = answer(call)
        if any(not torch.equal(before[path], again) for path, again in answer(call).items()):
            return {"why": "the model's answers to equal inputs differ"}
        rows = {path: out for path, out in before.items() if len(out) == size and tuple(out.shape) != (size, size)}
        if not rows:
            return {"why": "the model does not return one row for each sample"}
        replaced_row = size // 2
        after = answer(call, {path: _with_another(tensor, replaced_row) for path, tensor in given.items()})
    return {"module": type(call.module).__name__, "replaced": replaced_row, **_change(rows, after, replaced_row)}


def _of_samples(given: dict[Any, Tensor], batch_size: int | None) -> dict[Any, Tensor]:
    """Without masks and tables that all samples share, where the loader tells how many samples there are."""
    own = {path: tensor for path, tensor in given.items() if len(tensor) == batch_size}
    return own or given


def _is_target(target: Any) -> bool:
    """Values of its own for samples: neither constants, as in a GAN, nor 0, 1, 2, …, as in a contrastive loss."""
    if not isinstance(target, Tensor) or target.requires_grad or target.dim() == 0 or len(target) < FEWEST:
        return False
    flat = target.flatten()
    is_index = not target.is_floating_point() and bool((flat == torch.arange(len(flat), device=flat.device)).all())
    return bool((flat != flat[0]).any()) and not is_index


def _num_samples(given: dict[Any, Tensor], losses: list[LossCall], batch_size: int | None) -> int | None:
    """The rows of all inputs, if that is what the batch has for sure."""
    sizes = {len(tensor) for tensor in given.values()}
    if len(sizes) != 1:
        return None
    (size,) = sizes
    first = next(iter(given.values()))
    if size < FEWEST or any(tuple(t.shape) == (size, size) for t in given.values()):
        return None
    if size == batch_size and (first.dim() < 2 or first.shape[1] != size):
        return size
    target = losses[0].target if losses else None
    if target is None:
        return None
    if len(target) == size and (target.dim() == 1 or target[0].numel() == 1):
        return size
    if first.dim() == 2 and not first.is_floating_point() and target.dtype is torch.int64:
        layouts, shift = laid(first, target, int(losses[0].given.get("ignore_index", -100)), None)
        if shift and layouts and not any(layout.is_turned for layout in layouts):
            return size
    return None


def _statistics_of_batch(module: nn.Module) -> str:
    for one in module.modules():
        if isinstance(one, nn.modules.batchnorm._BatchNorm) and one.running_mean is None:
            return type(one).__name__
    return ""


def _with_another(tensor: Tensor, row: int) -> Tensor:
    """One sample is replaced by what the others have in its place: values that the model knows."""
    changed = tensor.clone()
    other = tensor[row - 1]
    if torch.equal(other, tensor[row]):
        other = next((one for one in tensor if not torch.equal(one, tensor[row])), other)
    changed[row] = other
    return changed


def _change(before: dict[Any, Tensor], after: dict[Any, Tensor], row: int) -> dict[str, Any]:
    found: dict[str, Any] = {"change": 0.0, "own_change": 0.0, "changed": []}
    for path, out in before.items():
        size = spread(out) or 1.0
        difference = (after[path] - out).abs().flatten(1).amax(1) / size if out.dim() > 1 else (after[path] - out).abs()
        if not bool(difference.isfinite().all()):
            continue
        own = float(difference[row])
        difference[row] = 0.0
        largest = float(difference.max())
        if largest >= found["change"]:
            changed = (difference > LEAST).nonzero().flatten().tolist()
            found = {"change": largest, "own_change": own, "changed": changed[:8], "num_changed": len(changed)}
            found["num_samples"] = len(out)
    return found
