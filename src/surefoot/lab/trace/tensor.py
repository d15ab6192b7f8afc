"""Look at tensors without changing anything: no gradient, no random number, nothing written."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from surefoot.lab.trace.stage import Change, Glimpse, Item, Shape, Values

NUM_VALUES = 4
MOST_ITEMS = 32  # of one batch
DEPTH = 3  # of containers in a batch


def is_recorded() -> bool:
    """Somebody takes down every operation: ours must not be among them."""
    return torch._C._get_tracing_state() is not None or torch._C._len_torch_dispatch_stack() > 0


@torch.no_grad()
def numbers(tensor: Tensor) -> Tensor | None:
    """Its elements as plain numbers of high precision; None if it has none that can be read."""
    tensor = getattr(tensor, "_local_tensor", tensor).detach()
    if tensor.is_meta or tensor.is_nested or tensor.is_quantized or is_recorded():
        return None
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return None
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.is_complex():
        tensor = tensor.abs()
    return tensor.double() if tensor.device.type in ("cpu", "cuda") else tensor.float()


@torch.no_grad()
def glimpse(tensor: Tensor) -> Glimpse:
    what = (_shape(tensor), str(tensor.dtype).removeprefix("torch."), str(tensor.device))
    size = tensor.element_size() * tensor.numel() if tensor.layout is torch.strided else 0
    all_ = numbers(tensor)
    if all_ is None or all_.numel() == 0:
        return Glimpse(*what, num_bytes=size)
    finite = all_[all_.isfinite()]
    num_bad = all_.numel() - finite.numel()
    if finite.numel() == 0:
        return Glimpse(*what, num_bad=num_bad, num_bytes=size, values=_values(all_))
    mean = finite.mean()
    spread = (finite - mean).square().mean().sqrt()
    lowest, highest, mean_, spread_ = torch.stack([finite.min(), finite.max(), mean, spread]).tolist()
    return Glimpse(*what, lowest, highest, mean_, spread_, num_bad, size, _values(all_))


@torch.no_grad()
def norm(tensor: Tensor | None) -> float | None:
    value = None if tensor is None else numbers(tensor)
    return None if value is None else float(value.square().sum().sqrt())


@torch.no_grad()
def change(name: str, before: Tensor | None, after: Tensor | None, **more: Any) -> Change:
    """From copies, or from what is there."""
    old = None if before is None else numbers(before)
    new = None if after is None else numbers(after)
    shape = _shape(before) if before is not None else () if after is None else _shape(after)
    if old is None or new is None or old.shape != new.shape:
        moved = norm(new if new is not None else old) or 0.0
    else:
        moved = float((new - old).square().sum().sqrt())
    return Change(name, shape, norm(old), norm(new), moved, _values(old), _values(new), **more)


@torch.no_grad()
def is_same(before: Tensor | None, after: Tensor | None) -> bool:
    if before is None or after is None:
        return before is after
    old, new = numbers(before), numbers(after)
    if old is None or new is None or old.shape != new.shape:
        return old is new
    return bool(((old == new) | (old.isnan() & new.isnan())).all())


@torch.no_grad()
def copy(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else getattr(tensor, "_local_tensor", tensor).detach().clone()


def items_of(batch: Any) -> tuple[Item, ...]:
    return tuple(item for item, _ in zip(_items(batch, "", DEPTH), range(MOST_ITEMS), strict=False))


def tensors_in(value: Any) -> list[Tensor]:
    return [part for _, part in _parts(value, "", DEPTH) if isinstance(part, Tensor)]


def _items(batch: Any, name: str, depth: int) -> Iterator[Item]:
    for path, part in _parts(batch, name, depth):
        yield Item(path, glimpse(part)) if isinstance(part, Tensor) else Item(path, kind=_describe(part))


def _parts(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    inside: Any = None
    if isinstance(value, Tensor) or depth == 0:
        pass
    elif isinstance(value, Mapping):
        inside = value.items()
    elif isinstance(value, tuple | list):
        inside = enumerate(value)
    elif is_dataclass(value) and not isinstance(value, type):
        inside = ((field.name, getattr(value, field.name)) for field in fields(value))
    if inside is None or (isinstance(value, tuple | list) and not any(_holds_more(part) for part in value)):
        yield name, value
        return
    for key, part in inside:
        yield from _parts(part, f"{name}.{key}" if name else str(key), depth - 1)


def _holds_more(value: Any) -> bool:
    return isinstance(value, Tensor | Mapping | tuple | list) or is_dataclass(value)


def _describe(value: Any) -> str:
    if isinstance(value, bool | int | float | str | None):
        text = repr(value)
        return text if len(text) <= 40 else text[:39] + "…"
    kind = type(value).__name__
    return f"{kind} of {len(value)}" if isinstance(value, tuple | list) else kind


def _shape(tensor: Tensor) -> Shape:
    return () if tensor.is_nested else tuple(int(size) for size in tensor.shape)


def _values(value: Tensor | None) -> Values:
    return () if value is None else tuple(value.flatten()[:NUM_VALUES].tolist())
