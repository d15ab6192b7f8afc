"""Below a reduction: masks, weights and numbers that the items' losses were multiplied or divided by."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from surefoot.loop.weight.error import no_answer, unknown
from surefoot.loop.weight.regulariser import is_item_free
from surefoot.loop.weight.terms import Constant
from surefoot.watch.lossgraph.node import VIEWS, Node, children, name_of, saved, shape_of
from surefoot.watch.lossgraph.reading import KINDS, count_valid, product

MAX_NODES = 96
MIN_NORMALISED = 4  # values: fewer are like that by chance, too
_BEND = frozenset({
    "Pow", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1P", "Abs", "Relu", "Clamp", "ClampMin", "ClampMax", "Sigmoid",
    "Tanh", "Softplus", "Minimum", "Maximum", "Reciprocal", "Cosh", "Erf", "LogSigmoid", "Huber", "SmoothL1",
})  # fmt: skip
_STATISTICS = {
    "Var": "variance",
    "VarMean": "variance",
    "Std": "standard deviation",
    "StdMean": "standard deviation",
    "Nansum": "mean or sum without NaN",
}
_REDUCE = {*_STATISTICS, "Mean", "Sum"}
Shape = tuple[int, ...]


@dataclass(slots=True)
class Mask:
    values: Tensor
    covers_all: bool  # nothing was added to what it covers


@dataclass(slots=True)
class Items:
    """What was found."""

    shape: Shape = ()  # of what is reduced
    masks: list[Mask] = field(default_factory=list)  # constants of many values that items were multiplied by
    kept: list[Mask] = field(default_factory=list)  # where items were not replaced by a constant
    above: list[Tensor] = field(default_factory=list)  # constants that means over the batch were multiplied by
    divisors: list[Constant] = field(default_factory=list)
    factors: list[Constant] = field(default_factory=list)
    num_averaged: float | None = None  # over the batch, by means before the last reduction
    is_summed: bool = False  # over the batch, before the last reduction
    num_valid: list[float] = field(default_factory=list)  # targets that are not ignored
    rows: list[Shape] = field(default_factory=list)  # shapes further down, before they were flattened


@dataclass(slots=True)
class _Place:
    node: Node
    is_linear: bool  # nothing on the way up bends the values
    is_only: bool  # nor was anything added to them


def look_below(reduction: Node) -> Items:
    """`reduction` is a mean, a sum, a dot product, or a loss function of torch that sums up."""
    items = Items()
    name = name_of(reduction)
    todo: list[_Place] = []
    if name in KINDS:
        _read_loss(items, reduction)
    elif name == "Dot":
        _read_product(items, reduction, todo, ("self", "tensor"))
    else:
        items.shape = tuple(int(size) for size in saved(reduction, "self_sym_sizes") or ())
        if name == "Nansum":
            _read_numbers(items, reduction)
        todo.append(_Place(children(reduction)[0], is_linear=True, is_only=True))
    for _ in range(MAX_NODES):
        if not todo:
            break
        _look_at(items, todo.pop(), todo)
    return items


def _look_at(items: Items, place: _Place, todo: list[_Place]) -> None:
    name, node = name_of(place.node), place.node
    inner = [child for child in children(node) if child is not None]
    if name in _REDUCE and is_item_free(node):  # of parameters: the same for each item
        return
    if name in _STATISTICS and _reduces_batch(node):
        raise no_answer(f"takes the {_STATISTICS[name]} over the batch")
    if name in ("Mean", "Sum"):
        _read_reduction(items, place, name)
    elif name in KINDS:
        if place.is_linear:
            _read_loss(items, node)
        return
    elif name in ("Mul", "Div"):
        _read_product(items, node, todo, ("self", "other"), place, is_divided=name == "Div")
        return
    elif name in ("Where", "MaskedFill"):
        _read_choice(items, place, name)
    elif name in _BEND:
        place = _Place(node, is_linear=False, is_only=place.is_only)
    elif name not in VIEWS and name not in ("Neg", "Add", "Sub", "Rsub", "NanToNum"):
        _read_rows(items, node)
        return
    is_only = place.is_only and len(inner) == 1
    todo += [_Place(child, place.is_linear, is_only) for child in inner]


def _read_reduction(items: Items, place: _Place, name: str) -> None:
    node = place.node
    if not _reduces_batch(node):
        return
    if not place.is_linear or not place.is_only:
        raise no_answer(f"bends, or adds to each item, a {name.lower()} over the batch")
    before = tuple(int(size) for size in saved(node, "self_sym_sizes") or ())
    after = shape_of(node) or ()
    items.above += [mask.values for mask in items.masks]
    items.masks.clear()
    if name == "Mean":
        items.num_averaged = (items.num_averaged or 1.0) * product(before) / max(product(after), 1)
    else:
        items.is_summed = True
        items.shape = before


def _reduces_batch(node: Node) -> bool:
    sizes = saved(node, "self_sym_sizes") or getattr(saved(node, "self"), "shape", ())
    dims = saved(node, "dim")
    if len(sizes) == 0:
        return False
    if not dims:  # all of them
        return True
    rank = len(sizes)
    return any((dim - (1 << 64) if dim >= 1 << 63 else dim) % rank == 0 for dim in dims)


def _read_product(
    items: Items, node: Node, todo: list[_Place], names: tuple[str, str], place: _Place | None = None,
    *, is_divided: bool = False,
) -> None:  # fmt: skip
    arguments = children(node)
    is_linear = place is None or place.is_linear
    is_only = place is None or place.is_only
    inner = [child for child in arguments if child is not None]
    if len(inner) == 2:
        todo += [_Place(child, is_linear=False, is_only=False) for child in inner]
        return
    is_left = arguments[0] is None
    found = saved(node, names[0] if is_left else names[1])
    if is_linear:
        _note(items, node, found, is_divided=is_divided and not is_left, is_only=is_only)
    if not is_divided:
        _refuse_normalised(found, "multiplies items by numbers")
    if place is None and isinstance(found, Tensor):
        items.shape = tuple(found.shape)
    todo += [_Place(child, is_linear and not (is_divided and is_left), is_only) for child in inner]


def _refuse_normalised(found: object, lead: str) -> None:
    """Advantages, for example: over the window they would be other numbers.

    Not those that are around 0 within each item, as a layer norm makes them.
    """
    if not isinstance(found, Tensor) or found.numel() < MIN_NORMALISED or not found.is_floating_point():
        return
    values = found.detach().double()
    spread, mean = float(values.std(unbiased=False)), float(values.mean())
    if not abs(mean) < 1e-5 * spread or len(torch.unique(values)) < MIN_NORMALISED:
        return
    by_item = values.reshape(len(values), -1)
    is_zero_within, is_zero_over = (bool((by_item.mean(dim).abs() < 1e-4 * spread).all()) for dim in (1, 0))
    if by_item.shape[1] > 1 and is_zero_within and not is_zero_over:
        return
    if bool((values / values.abs().max() * 4).frac().abs().max() > 1e-6):  # no handful of steps such as -1, 0, 1
        raise unknown(f"{lead} that were centred or normalised over the micro-batch (mean 0)")


def _note(items: Items, node: Node, found: object, *, is_divided: bool, is_only: bool) -> None:
    is_of_items = isinstance(found, Tensor) and _is_of_items(found, shape_of(node) or ())
    constant = None if is_of_items else Constant.of(found, None)
    if constant is not None:
        (items.divisors if is_divided else items.factors).append(constant)
    elif not isinstance(found, Tensor):
        raise unknown("was multiplied by a tensor that can't be read")
    elif not is_divided:
        items.masks.append(Mask(_expanded(found, node), is_only))


def _is_of_items(found: Tensor, shape: Shape) -> bool:
    """A value for each, and not one for all: of a single item, both are one number."""
    has_rows = found.ndim == len(shape) and found.shape[:1] == shape[:1]
    return found.ndim > 0 and (has_rows or product(shape) == found.numel())


def _read_choice(items: Items, place: _Place, name: str) -> None:
    node = place.node
    if len([child for child in children(node) if child is not None]) > 1:  # nothing is left out
        return
    chosen = saved(node, "condition" if name == "Where" else "mask")
    if not isinstance(chosen, Tensor):
        return
    # of `where(mask, 0, loss)` the second argument goes on, as `masked_fill` keeps what the mask does not cover
    is_inverse = name == "MaskedFill" or children(node)[0] is None
    items.kept.append(Mask(_expanded(~chosen if is_inverse else chosen, node), place.is_only))


def _expanded(constant: Tensor, node: Node) -> Tensor:
    """As the values that it met: each of them counts."""
    shape = shape_of(node)
    constant = constant.detach()
    return constant if not shape or tuple(constant.shape) == shape else constant.expand(shape)


def _read_loss(items: Items, node: Node) -> None:
    """A loss function of torch, of each item or summed."""
    if name_of(node).startswith("NllLoss"):
        target = saved(node, "target")
        items.shape = items.shape or (tuple(target.shape) if isinstance(target, Tensor) else ())
        valid = count_valid(node, thorough=True)
        if valid is not None:
            items.num_valid.append(float(valid))
        weight = saved(node, "weight")
        if isinstance(weight, Tensor) and isinstance(target, Tensor):
            counted = target[(target >= 0) & (target < len(weight))]
            items.num_valid.append(float(weight[counted].double().sum()))
    else:
        own, weight = saved(node, "self"), saved(node, "weight")
        items.shape = items.shape or (tuple(own.shape) if isinstance(own, Tensor) else ())
        if isinstance(own, Tensor) and isinstance(weight, Tensor):
            items.masks.append(Mask(weight.detach().expand(own.shape), covers_all=True))
        _refuse_normalised(saved(node, "target"), "has targets")
    for child in children(node):
        if child is not None:
            _read_rows(items, child)


def _read_numbers(items: Items, node: Node) -> None:
    """What is NaN was left out."""
    own = saved(node, "self")
    if isinstance(own, Tensor):
        items.shape = tuple(own.shape)
        items.kept.append(Mask(~own.detach().isnan(), covers_all=True))


def _read_rows(items: Items, node: Node) -> None:
    """Sizes before a flatten: losses of tokens are often divided by the number of sequences."""
    for _ in range(6):
        shape = shape_of(node)
        if shape:
            items.rows.append(shape)
        name = name_of(node)
        inner = [child for child in children(node) if child is not None]
        if not inner or (name not in VIEWS and name not in ("LogSoftmax", "Neg", "ToCopy", "Gather")):
            return
        node = inner[0]
