"""What the numbers of a difference show: which class of mistake it looks like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from surefoot.verify.distance import Distance

RATIO_TOLERANCE = 1e-3  # of a factor that all gradients have in common
GRADIENTS = ("gradient before clipping", "gradient")


@dataclass(frozen=True)
class Shape:
    """How the other run splits a batch that the reference computes in one."""

    num_ranks: int
    num_micro_batches: int  # for each of the reference
    is_sharded: bool = False


def explain(first: Distance, beyond: Sequence[Distance], num_alike: int, shape: Shape) -> str:
    """`beyond`: all of the same step and stage that are beyond their tolerance; `num_alike`: those that are not."""
    if first.reason or first.reference is None:
        return _by_reason(first, shape)
    if first.stage in GRADIENTS:
        return _gradients(first, beyond, num_alike, shape)
    explained = {
        "weights before": _weights_before, "norm before clipping": _norm, "activation": _activation, "rate": _rate,
        "update": _update,
    }.get(first.stage)  # fmt: skip
    return explained(first, shape) if explained else ""


def _by_reason(first: Distance, shape: Shape) -> str:
    if first.stage == "inputs":
        return "Nothing else of this step can be compared: give both runs the same samples in each step."
    if first.stage == "dropout":
        return "Seed the ranks differently after the model is made."
    if first.stage == "weights before":
        return "The runs do not train the same parameters; a weight that is tied in one of them has one name there."
    return ""


def _gradients(first: Distance, beyond: Sequence[Distance], num_alike: int, shape: Shape) -> str:
    when = "when clipping begins" if first.stage == "gradient before clipping" else "at the update"
    whose = f"{len(beyond)} of {len(beyond) + num_alike} parameters" if num_alike else "all parameters"
    if shape.num_ranks > 1 and _differ_by_rank(first):
        assert first.reference is not None
        for word, joined in (("mean", _mean(first)), ("sum", _mean(first) * shape.num_ranks)):
            if _is_near(joined, first.reference):
                return f"Ranks have different gradients {when} ({whose}); their {word} is the reference's: not reduced."
        return f"Ranks have different gradients {when} ({whose}): they are not reduced."
    ratio = _common_ratio(beyond)
    if ratio is None:
        return f"{len(beyond)} of {len(beyond) + num_alike} gradients differ; no common factor explains it."
    return f"Gradients of {whose} are {_factor(ratio, shape)}"


def _factor(ratio: float, shape: Shape) -> str:
    ranks, parts = shape.num_ranks, shape.num_micro_batches
    if ranks > 1 and _is(ratio, ranks):
        return f"{ranks} times the reference's, the number of ranks: summed over ranks instead of averaged."
    if ranks > 1 and _is(ratio, 1 / ranks):
        return f"1/{ranks} of the reference's, with {ranks} ranks: averaged twice, or divided without being summed."
    if parts > 1 and _is(ratio, parts):
        return f"{parts} times the reference's, the number of micro-batches: the loss is not divided by it."
    if parts > 1 and _is(ratio, 1 / parts):
        return f"1/{parts} of the reference's, with {parts} micro-batches: divided twice, or only one of them counts."
    if ranks * parts > 1 and _is(ratio, ranks * parts):
        return f"{ranks * parts} times the reference's: neither ranks nor micro-batches are averaged."
    return f"{ratio:.4g} times the reference's."


def _weights_before(first: Distance, shape: Shape) -> str:
    if shape.num_ranks > 1 and _differ_by_rank(first):
        return "Ranks start from different weights: seed them alike, or broadcast the weights of rank 0."
    return "The runs start from different weights."


def _norm(first: Distance, shape: Shape) -> str:
    assert first.reference is not None
    norms = torch.cat(first.by_rank)
    message = "Gradients agree before clipping, their norm does not."
    if shape.num_ranks > 1 and _is_near(norms.square().sum().sqrt().reshape(1), first.reference):
        return f"{message} The squares of the ranks' norms add up to the reference's: each is the norm of a shard."
    if shape.num_ranks > 1 and _differ_by_rank(first):
        return f"{message} Ranks have different norms: {', '.join(f'{float(one):.5g}' for one in norms)}."
    return message


def _activation(first: Distance, shape: Shape) -> str:
    is_split = shape.num_ranks * shape.num_micro_batches > 1
    if "BatchNorm" in first.kind and is_split:
        fix = "Use nn.SyncBatchNorm" if shape.num_ranks > 1 else "Use a norm that does not compute with the batch"
        return f"Its inputs agree; it computes with a part of the batch at a time. {fix}."
    return "All modules that were compared before it agree."


def _rate(first: Distance, shape: Shape) -> str:
    assert first.reference is not None
    ratio = float(first.by_rank[first.rank][0]) / float(first.reference[0]) if float(first.reference[0]) else 0.0
    message = "Gradients agree, the learning rate does not"
    if shape.num_ranks > 1 and _is(ratio, shape.num_ranks):
        return f"{message}: it is multiplied by the number of ranks."
    if shape.num_ranks > 1 and _is(ratio, shape.num_ranks**2):
        return f"{message}: it is multiplied by the number of ranks twice."
    return f"{message}: it is {ratio:.4g} times the reference's."


def _update(first: Distance, shape: Shape) -> str:
    return "Gradients and rates agree: the optimizer's state or its options differ."


def _common_ratio(beyond: Sequence[Distance]) -> float | None:
    ratios = []
    for one in beyond:
        assert one.reference is not None
        value, squared = one.by_rank[one.rank], float(one.reference.square().sum())
        ratio = float((value * one.reference).sum()) / squared if squared else 0.0
        if not ratio or not _is_near(value / ratio, one.reference):
            return None
        ratios.append(ratio)
    is_common = max(ratios) - min(ratios) <= RATIO_TOLERANCE * abs(ratios[0])
    return sum(ratios) / len(ratios) if is_common else None


def _differ_by_rank(one: Distance) -> bool:
    return any(not _is_near(value, one.by_rank[0]) for value in one.by_rank)


def _mean(one: Distance) -> Tensor:
    return torch.stack(one.by_rank).mean(0)


def _is_near(value: Tensor, reference: Tensor) -> bool:
    return float((value - reference).norm()) <= RATIO_TOLERANCE * float(reference.norm())


def _is(ratio: float, wanted: float) -> bool:
    return abs(ratio - wanted) <= RATIO_TOLERANCE * wanted
