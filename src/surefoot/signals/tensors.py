"""Read the program's tensors without being noticed, and pass over those that can't be read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ContextDecorator
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter

GUARDS: tuple[Any, ...] = (
    torch._C.DisableTorchFunction, torch._C._DisableTorchDispatch,
    torch._C._DisableFuncTorch, torch._C._DisableAutocast,
)  # fmt: skip
COMPRESSED = (torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)


class plain_torch(ContextDecorator):  # noqa: N801  it is used as a function
    """Operations in the block keep the precision of their tensors, and none of the user's modes sees them."""

    __slots__ = ("_guards", "_has_grad")

    def __enter__(self) -> None:
        guards = [guard() for guard in GUARDS]
        if torch.is_inference_mode_enabled():
            guards.append(torch._C._InferenceMode(False))
        for guard in guards:
            guard.__enter__()
        self._guards = guards
        self._has_grad = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)

    def __exit__(self, *error: object) -> None:
        torch._C._set_grad_enabled(self._has_grad)
        for guard in reversed(self._guards):
            guard.__exit__(*error)

    def _recreate_cm(self) -> plain_torch:
        """For a decorated function that is called inside another one."""
        return plain_torch()


def can_read_now() -> bool:
    """Nobody takes down what is computed, to run it again later: what we compute would be among it."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    uses_cuda: bool = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    return not (uses_cuda and torch.cuda.is_current_stream_capturing())


def local(tensor: Tensor) -> Tensor:
    """What this process holds of it: its shard of a DTensor."""
    return tensor if _is_plain(type(tensor)) else getattr(tensor, "_local_tensor", tensor)


def is_readable(part: Tensor) -> bool:
    """Whether it has numbers in memory that torch reads as they are: not quantised, nested, fake, or freed by FSDP."""
    if not _is_plain(type(part)) or part.layout is not torch.strided or part.is_meta or part.is_nested:
        return False
    dtype = part.dtype
    if not dtype.is_complex and not (dtype.is_floating_point and dtype.itemsize > 1):
        return False
    if part.numel() == 0 or torch._C._functorch.is_functorch_wrapped_tensor(part):
        return False
    return part.untyped_storage().nbytes() > 0


def real_part(part: Tensor) -> Tensor:
    """In real numbers, outside the graph."""
    part = part.detach()
    return torch.view_as_real(part.resolve_conj()) if part.is_complex() else part


def values_of(grad: Tensor) -> Tensor | None:
    """What this process holds of a gradient; of a sparse one without the zeros, of one that can't be read nothing."""
    part = local(grad)
    if _is_plain(type(part)) and part.layout is torch.sparse_coo:
        part = part.detach().coalesce()._values()
    elif _is_plain(type(part)) and part.layout in COMPRESSED:
        part = part.detach().values()
    return real_part(part) if is_readable(part) else None


def norms_of(values: Sequence[Tensor]) -> list[Tensor]:
    """Exact, in single precision where the gradient is in half."""
    by_dtype: dict[torch.dtype, list[int]] = {}
    for i, value in enumerate(values):
        by_dtype.setdefault(value.dtype, []).append(i)
    norms: dict[int, Tensor] = {}
    for dtype, places in by_dtype.items():
        wide = torch.float32 if dtype.itemsize == 2 else None
        found = torch._foreach_norm([values[i] for i in places], 2, wide)
        norms.update(zip(places, found, strict=True))
    return [norms[i] for i in range(len(values))]


@cache
def _is_plain(kind: type[Tensor]) -> bool:
    """Tensors, parameters, and kinds of parameters whose operations are torch's own."""
    if kind.__torch_dispatch__ is not Tensor.__torch_dispatch__:
        return False
    return kind is Tensor or (issubclass(kind, Parameter) and kind.__torch_function__ is Parameter.__torch_function__)
