"""Look at what a loss function was given."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

from surefoot.facts import InputFacts, TargetFacts

MAX_ELEMENTS = 1 << 18  # more are cut down to the first rows
_NORMALISED = 1e-2  # how far from one probabilities may sum in half precision
_PROBABILITIES = frozenset({"cross-entropy", "nll", "kl"})
_TARGETS = frozenset({"cross-entropy", "nll", "mse", "l1", "smooth-l1", "huber", "bce"})


def is_readable(tensor: Any) -> bool:
    """A plain tensor with values, not one that stands for a shard, a batch of vmap or a trace."""
    return (
        type(tensor) in (Tensor, Parameter)
        and not tensor.is_meta
        and tensor.layout == torch.strided
        and not torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        and not (tensor.is_cuda and torch.cuda.is_current_stream_capturing())
    )


@torch.no_grad()
def read_input(kind: str, tensor: Any) -> InputFacts | None:
    if not isinstance(tensor, Tensor):
        return None
    if kind not in _PROBABILITIES or not is_readable(tensor) or not tensor.is_floating_point() or not tensor.numel():
        return InputFacts(tuple(tensor.shape))
    values = _some(tensor)
    # A KL divergence has its classes last, the others in dimension 1 behind that of the batch.
    dim = values.dim() - 1 if kind == "kl" else min(1, values.dim() - 1)
    low, high = values.aminmax()
    return InputFacts(
        tuple(tensor.shape),
        float(low),
        float(high),
        is_log_probability=_sums_to_one(values.float().exp(), dim),
        is_probability=bool(low >= 0) and _sums_to_one(values, dim),
    )


@torch.no_grad()
def read_target(kind: str, tensor: Any) -> TargetFacts | None:
    if kind not in _TARGETS or not is_readable(tensor) or not tensor.numel() or tensor.is_complex():
        return None
    values = _some(tensor)
    low, high = values.aminmax()
    facts = TargetFacts(tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."), float(low), float(high))
    if not values.is_floating_point():
        own_index = values.dim() == 1 and bool((values == torch.arange(len(values), device=values.device)).all())
        return replace(facts, is_whole=True, is_same_in_row=values.dim() == 1, counts_up=own_index)
    rows = values.reshape(values.shape[0], -1) if values.dim() > 1 else values.reshape(-1, 1)
    is_whole = bool((values == values.round()).all())
    is_same = bool((rows == rows[:, :1]).all())
    return replace(
        facts,
        num_distinct=len(set(rows[:, 0].tolist())) if is_whole and is_same else None,
        is_whole=is_whole,
        is_same_in_row=is_same,
        is_distribution=bool(low >= 0) and rows.shape[1] > 1 and _sums_to_one(rows, 1) and not _sums_to_one(rows, 0),
    )


def _sums_to_one(values: Tensor, dim: int) -> bool:
    return bool(((values.float().sum(dim) - 1).abs() < _NORMALISED).all())


def _some(tensor: Tensor) -> Tensor:
    values = tensor.detach()
    if values.numel() <= MAX_ELEMENTS or values.dim() == 0:
        return values
    return values[: max(1, MAX_ELEMENTS * len(values) // values.numel())]
