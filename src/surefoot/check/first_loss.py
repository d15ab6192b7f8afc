"""What a loss was given at first: how many classes, and what the best constant answer would score on this batch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from surefoot.check.calls import LossCall

CLASSES = {"cross-entropy": functional.cross_entropy, "nll": functional.nll_loss}  # as they are, not as we listen


@torch.no_grad()
def describe(loss: LossCall) -> dict[str, Any]:
    """`constant` is the loss of the best constant answer, `loss` is what was scored, `classes` how many there are."""
    told: dict[str, Any] = {"kind": loss.kind}
    if loss.value is not None and loss.value.numel() == 1:
        told["value"] = float(loss.value)
    target, prediction = loss.target, loss.prediction.detach()
    if not isinstance(target, Tensor) or target.requires_grad or not target.numel():
        return told
    told["is_sequence"] = not target.is_floating_point() and (target.dim() > 1 or loss.is_inside)
    if loss.kind in CLASSES and not target.is_floating_point() and target.dim() == prediction.dim() - 1:
        ignored = int(loss.given.get("ignore_index", -100))
        counted = target[target != ignored].flatten()
        if prediction.dim() < 2 or not counted.numel():
            return told
        shares = torch.bincount(counted).float() / counted.numel()
        shares = shares[shares > 0]
        return told | {
            "loss": float(CLASSES[loss.kind](prediction.float(), target, ignore_index=ignored)),
            "constant": float(-(shares * shares.log()).sum()),
            "classes": prediction.shape[1],
            "counts_up": bool((target.flatten() == torch.arange(target.numel(), device=target.device)).all()),
        }
    if loss.kind == "mse" and target.is_floating_point():
        columns = target.reshape(len(target), -1) if target.dim() else target.reshape(1, 1)
        told["constant"] = float((columns - columns.mean(0)).square().mean())
    return told
