"""What each term of a loss divides by, and as what that number is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isclose, prod

import torch
from torch import Tensor

from surefoot.loop.weight.error import DividedTwiceError, UnknownWeightError, a_sum, unknown
from surefoot.loop.weight.items import Items, look_below
from surefoot.loop.weight.known_as import TIMES, class_weights, is_times_own_number
from surefoot.loop.weight.terms import Constant, Reduction, reductions_of
from surefoot.watch.lossgraph.node import Node, name_of, number, saved
from surefoot.watch.lossgraph.reading import KINDS, product

MEAN, SUM = 1, 2  # among torch's reductions
MOST_FACTORS = 4  # of which subsets are tried
Readings = Mapping[str, float]  # a weight, by what it is known as: "mean", "mask 0", "rows" …
PLAIN = "mean"
TERMS = "terms of"  # as many items each


def weight_of(loss: Tensor) -> float:
    """The number of items that `loss` is a mean over, taken by itself."""
    from surefoot.loop.weight.agreement import Agreement

    return Agreement().weigh(read_terms(loss))


def read_terms(loss: Tensor, accumulate: int = 1) -> list[Readings]:
    """One for each mean in the loss; none if it depends on no item."""
    plain = None if loss.grad_fn is None else _of_plain(loss.grad_fn)
    if plain is not None and loss.grad_fn is not None:
        return [{PLAIN + class_weights(loss.grad_fn): plain}]
    reductions = reductions_of(loss)
    if accumulate > 1 and reductions:
        refuse_divided_twice(reductions, accumulate)
    found: list[Readings] = []
    for reduction in reductions:
        known = [weight for readings in found for weight in readings.values()]
        found.append(_with_what_else(reduction, _read(reduction, known)))
    return _averaged(reductions, found)


def _averaged(reductions: Sequence[Reduction], found: list[Readings]) -> list[Readings]:
    """The average of its terms counts all their items: one term for each sample, for example, in a list of losses."""
    num = len(found)
    if not num or not all(r.divisors and isclose(prod(c.value for c in r.divisors), num) for r in reductions):
        return found
    own = f"{PLAIN} / {num}"
    counted: list[Readings] = [
        {name: num * weight if name == own else weight for name, weight in readings.items()} for readings in found
    ]
    each = {readings.get(own, 0.0) for readings in found}
    if len(each) > 1 or 0.0 in each:
        return counted
    (items,) = each
    return [{**readings, f"{TERMS} {items:.9g}": num * items} for readings in counted]


def _with_what_else(reduction: Reduction, readings: Readings) -> Readings:
    by = class_weights(reduction.node)
    named = {f"{name}{by}": weight for name, weight in readings.items()} if by else dict(readings)
    num = readings.get(PLAIN)
    if num is not None and reduction.factors and is_times_own_number(reduction, num):
        named[TIMES] = num
    return named


def refuse_divided_twice(reductions: Sequence[Reduction], accumulate: int) -> None:
    """`loss / accumulate`, by habit. Half a mean is often meant so, and is let be where it is written as a product.

    So is the average of as many terms.
    """
    if len(reductions) != accumulate and all(_is_divided_by(reduction, accumulate) for reduction in reductions):
        raise DividedTwiceError(accumulate)


def _is_divided_by(reduction: Reduction, accumulate: int) -> bool:
    is_mean = _is_mean(reduction.node)  # a sum may have as many items by chance
    divided = [c.value for c in reduction.divisors if c.is_plain or (is_mean and c.value.is_integer())]
    divided += [1 / c.value for c in reduction.factors if c.value and accumulate > 2]
    if not any(isclose(value, accumulate, rel_tol=1e-6) for value in divided):
        return False
    try:
        _read(Reduction(reduction.node, reduction.divisors), ())
    except UnknownWeightError:
        return True
    return is_mean  # of a sum, it is the number of items


def _is_mean(node: Node) -> bool:
    return name_of(node) == "Mean" or getattr(node, "_saved_reduction", None) == MEAN


def _of_plain(node: Node) -> float | None:
    """Of a loss that one function of torch computed, which is most of them: no need to look further."""
    what = _counted_by.get(type(node)) or _counted(node)
    if not what or getattr(node, "_saved_reduction", None) != MEAN:
        return None
    found = saved(node, what)
    if what == "total_weight":
        return number(found, may_wait=True)
    return float(found.numel()) if isinstance(found, Tensor) else None


def _counted(node: Node) -> str:
    """Which of the tensors that it keeps tells the items: torch has a type for each kind of node."""
    name = name_of(node)
    what = "" if name not in KINDS else "total_weight" if name.startswith("NllLoss") else "self"
    if what:
        _counted_by[type(node)] = what
    return what


_counted_by: dict[type, str] = {}


def _read(reduction: Reduction, known: Sequence[float]) -> Readings:
    if _is_mean(reduction.node):
        num = _of_plain(reduction.node)
        if num is None and name_of(reduction.node) in KINDS:
            raise unknown(f"ends in {name_of(reduction.node)}, which does not tell what it is a mean over")
    else:
        num = None
    items = Items() if num is not None else look_below(reduction.node)
    divisors, factors = [*reduction.divisors, *items.divisors], [*reduction.factors, *items.factors]
    averaged = items.num_averaged
    if num is None:
        num = product(saved(reduction.node, "self_sym_sizes")) if _is_mean(reduction.node) else 1.0
    if items.is_summed or (averaged is None and not _is_mean(reduction.node)):
        return _read_sum(num * (averaged or 1.0), divisors, factors, items, known)
    return _read_mean(num * (averaged or 1.0), divisors, factors, items)


def _read_mean(num: float, divisors: Sequence[Constant], factors: Sequence[Constant], items: Items) -> Readings:
    """A mean counts its items, unless it was divided by the mean of a mask."""
    masks = dict(_mask_counts(_covering(items)))
    found = _matches(num, divisors, factors, masks, plain=num) if masks and (divisors or factors) else {}
    if found:
        return found
    if not divisors:
        return _unless_normalised(num, factors, items)
    return {_with(f"{PLAIN} / {prod(c.value for c in divisors):.9g}", factors, items): num, **_emptied(items)}


def _with(basis: str, factors: Sequence[Constant], items: Items) -> str:
    """Factors that are tensors may come from the batch, so they have to be the same in the whole window."""
    many = [f"{float((t.double() * torch.arange(1, t.numel() + 1).view(t.shape)).sum()):.9g}" for t in items.above]
    return basis + "".join(f" * {value}" for value in [*(f"{c.value:.9g}" for c in factors if not c.is_plain), *many])


def _read_sum(
    num: float, divisors: Sequence[Constant], factors: Sequence[Constant], items: Items, known: Sequence[float]
) -> Readings:
    """A sum has to be divided by the number of what it adds up."""
    counts = {**dict(_mask_counts(items)), **dict(_shape_counts(items))}
    counts |= {f"as term {i}": count for i, count in enumerate(known)}
    found = _matches(num, divisors, factors, counts)
    if divisors:
        found |= _emptied(items)
    if found:
        return found
    if not divisors and num == 1.0:
        raise a_sum("is a sum, not a mean")
    divisor = num * prod(c.value for c in divisors)
    raise unknown(f"divides a sum by {divisor:g}, which is not the number of items that it adds up")


def _unless_normalised(num: float, factors: Sequence[Constant], items: Items) -> Readings:
    """Weights with a mean of one were divided by their mean: what they were before, only a mask of one value tells."""
    readings = {_with(PLAIN, factors, items): num}
    for i, mask in enumerate(items.masks):
        if mask.values.numel() != num:
            continue
        values = mask.values.double()
        num_kept = float((values != 0).sum())
        if bool(values.isnan().all()):
            readings = {f"nonzero {i}": 0.0}
        elif isclose(float(values.sum()), num, rel_tol=1e-6):
            has_one_value = bool((values[values != 0] / values.max() - 1).abs().max() < 1e-6)
            if has_one_value:
                readings = {f"nonzero {i}": num_kept, **(readings if num_kept == num else {})}
            elif not bool((values == values.round()).all()):
                raise unknown("has weights whose mean is one, so that their sum before is lost")
    return {**readings, **(_emptied(items) if factors else {})}


def _emptied(items: Items) -> dict[str, float]:
    """Masks that keep nothing: their sum is held above 0, or the loss is 0 / 0."""
    return {name: 0.0 for name, count in _mask_counts(_covering(items)) if count == 0.0}


def _covering(items: Items) -> Items:
    """Without the masks of one addend among several."""
    masks, kept = ([mask for mask in part if mask.covers_all] for part in (items.masks, items.kept))
    return Items(masks=masks, kept=kept, num_valid=items.num_valid)


def _matches(
    num: float, divisors: Sequence[Constant], factors: Sequence[Constant], counts: Mapping[str, float],
    *, plain: float | None = None,
) -> dict[str, float]:  # fmt: skip
    """What the whole divisor is known as. A factor is taken for a divisor only if it makes one of the counts."""
    divided = num * prod(c.value for c in divisors)
    tolerance = max((c.tolerance for c in (*divisors, *factors)), default=0.0)
    usable = [c.value for c in factors[:MOST_FACTORS] if c.value]
    for size in range(len(usable) + 1):
        for chosen in combinations(usable, size):
            whole = abs(divided / prod(chosen))
            if not divisors and not chosen and num in (1.0, plain):
                continue  # nothing but the reduction itself
            found = {name: whole for name, n in counts.items() if n and isclose(whole, n, rel_tol=tolerance)}
            if found:  # counted, which is more exact than divided
                counted = [counts[name] for name in sorted(found)]
                return dict.fromkeys(found, next((n for n in counted if n.is_integer()), counted[0]))
    return {}


def _mask_counts(items: Items) -> Iterator[tuple[str, float]]:
    for i, mask in enumerate(items.masks):
        yield f"mask {i}", float(mask.values.double().sum())
        yield f"nonzero {i}", float((mask.values != 0).sum())
    all_over = [mask.values for mask in items.masks if mask.covers_all]
    if len(all_over) > 1 and len({values.shape for values in all_over}) == 1:
        whole = all_over[0].double()
        for values in all_over[1:]:
            whole = whole * values
        yield "masks", float(whole.sum())
    for i, kept in enumerate(items.kept):
        yield f"kept {i}", float(kept.values.sum())
    for i, num in enumerate(items.num_valid):
        yield f"valid {i}", num


def _shape_counts(items: Items) -> Iterator[tuple[str, float]]:
    for place, shape in enumerate((items.shape, *items.rows)):
        size = 1
        for dim, length in enumerate(shape):
            size *= length
            yield f"rows {place}:{dim}", float(size)
        if len(shape) > 1 and shape[1]:
            yield f"positions {place}", float(size / shape[1])
