"""A constant in the place of a model's output: its mean loss, and the search for the best one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from surefoot.loop.batch import size_of, to_device
from surefoot.loop.evaluate import in_eval_mode

MAX_STEPS = 100  # of L-BFGS: a constant has few dimensions, and most losses are convex in it


def search(loss_fn: Callable[[Any, Any], Any], targets: Sequence[Any], output: Tensor) -> tuple[Tensor, float]:
    """The constant for one sample, of the shape that `output` has for one, and its mean loss."""
    constant = torch.zeros(output.shape[1:], dtype=output.dtype, device=output.device, requires_grad=True)

    def mean_loss() -> Tensor:
        return mean_over(targets, lambda t: loss_fn(constant.expand(num_samples(t), *constant.shape), t), num_samples)

    def closure() -> Tensor:
        loss = mean_loss()
        (constant.grad,) = torch.autograd.grad(loss, constant)  # nothing else gets a gradient
        return loss

    with torch.enable_grad():
        _check_start(mean_loss())
        optimizer = torch.optim.LBFGS([constant], max_iter=MAX_STEPS, line_search_fn="strong_wolfe")
        optimizer.step(closure)  # type: ignore[no-untyped-call]
        return constant.detach(), mean_loss().item()


def _check_start(loss: Tensor) -> None:
    if not math.isfinite(loss.item()):
        raise ValueError(
            f"loss_fn must be finite where all outputs are 0, got {loss.item()}: from there the best constant is "
            f"searched. Pass a loss of raw outputs, for example of logits."
        )
    if not loss.requires_grad:
        raise ValueError("loss_fn must have a gradient with respect to the outputs, got none. Pass the training loss.")


def mean_over(targets: Sequence[Any], measure: Callable[[Any], Any], weight_of: Callable[[Any], float]) -> Tensor:
    """The mean of a measure over batches that count differently; those that count nothing are passed over."""
    weights = [float(weight_of(target)) for target in targets]
    if not sum(weights) > 0:
        raise ValueError("the loader must give at least one target that counts, got none: all of them are ignored.")
    parts = [
        torch.as_tensor(measure(target)).double().mean() * weight
        for target, weight in zip(targets, weights, strict=True)
        if weight
    ]
    return torch.stack(parts).sum() / sum(weights)


def num_samples(target: Any) -> int:
    num = size_of(target)
    if num is None:
        raise TypeError(
            f"targets must be tensors, or hold some, got a {type(target).__name__}. Pass split= to name them."
        )
    return num


def output_of(model: Callable[..., Any], inputs: Any) -> Tensor:
    """What the model gives for one batch, in eval mode, without a trace left in it."""
    with torch.no_grad():
        output = _call_unchanged(model, inputs) if isinstance(model, nn.Module) else model(inputs)
    if not isinstance(output, Tensor) or output.dim() == 0:
        raise TypeError(
            f"model(inputs) must give a tensor with one row per sample, got a {type(output).__name__}. "
            f"Pass a function that calls the model and picks it out."
        )
    return output


def _call_unchanged(model: nn.Module, inputs: Any) -> Any:
    parameter = next(model.parameters(), None)
    if parameter is not None:
        inputs = to_device(inputs, parameter.device)
    # Counters and running statistics change even in eval mode where a module wants it so: it may, in copies.
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with in_eval_mode([model]):
        return torch.func.functional_call(model, buffers, (inputs,))
