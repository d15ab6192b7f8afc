"""The operation that made the first NaN or Inf of a forward: from the loss backwards, along what is not finite.

An operation is named as the origin only if its result is known to be bad and everything that went into it is known to
be finite. Where the graph does not keep that, the operation is told in whose result the bad value is first seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.watch.finite.origin.known_values import FINE, INFINITE, LEAF, NAN, KnownOperation, KnownValues, Value
from surefoot.watch.finite.origin.operation import KEEPING, MASKING, TAME, averages
from surefoot.watch.finite.origin.place import Places, readable
from surefoot.watch.lossgraph.node import Node, name_of


def forward_origin(root: Tensor, places: Places) -> BirthFacts | None:
    """None for a loss without a graph. The graph must be whole, as it is before its backward."""
    if root.grad_fn is None:
        return None
    flow, seen = KnownValues(root), set()
    node: Node = root.grad_fn
    while node in flow.steps and node not in seen:  # a graph that is too large is cut
        seen.add(node)
        step = flow.steps[node]
        if step.operation == LEAF:
            return BirthFacts("weight", module=places.name(node.variable))
        before = _before(flow, step)
        further = _further(flow, before)
        if further is None:
            where, culprit, detail = _judge(flow, step, before)
            module, after, behind = places.of(flow, culprit.node)
            return BirthFacts(where, readable(name_of(culprit.node)), module, after, behind, detail)
        node = further
    return None


@dataclass(slots=True)
class Before:
    """What leads to a bad result: operations with unknown results, and the known values that go into them."""

    steps: list[KnownOperation]  # the one with the bad result first
    known: list[tuple[Node, Value]]


def _before(flow: KnownValues, step: KnownOperation) -> Before:
    steps, known, seen = [step], [], {step.node}
    for one in steps:
        for child in one.inputs:
            value = flow.into(one, child)
            if value is not None:
                known.append((child, value))
            elif child in flow.steps and child not in seen:
                seen.add(child)
                steps.append(flow.steps[child])
    return Before(steps, known)


def _further(flow: KnownValues, before: Before) -> Node | None:
    """The bad input to go on from, if what lies between can't have made it; a NaN rather than an Inf, the earliest."""
    bad = [(value.badness, node) for node, value in before.known if value.badness and not _is_mask(flow, node, value)]
    if not bad or (len(before.steps) > 1 and (len(bad) > 1 or any(_can_make(flow, one) for one in before.steps))):
        return None
    worst = max(badness for badness, _ in bad)
    return min((node for badness, node in bad if badness == worst), key=lambda node: int(node._sequence_nr()))


def _can_make(flow: KnownValues, step: KnownOperation, badness: int = INFINITE) -> bool:
    """Whether a bad value may begin here, in the operation or in an input that is not kept."""
    if flow.is_half:
        is_safe = step.operation in KEEPING
    else:
        is_safe = step.operation in TAME or step.is_harmless or (step.operation == "Mul" and badness == NAN)
    return not is_safe or bool(step.num_hidden) or any(value.badness for value in step.constants)


def _judge(flow: KnownValues, step: KnownOperation, before: Before) -> tuple[str, KnownOperation, str]:
    """Where it began, in which operation, and what is known of its inputs."""
    empty = [one for one in before.steps if averages(one.operation) and flow.is_empty(one)]
    if empty:
        return "forward", empty[0], "it was given no value at all"
    if any(value.badness for _, value in before.known):
        direct = len(before.steps) == 1 and all(_is_mask(flow, *one) for one in before.known if one[1].badness)
        return ("mask", step, _mask_detail(flow, step)) if direct else ("seen", step, "")
    result = flow.results.get(step.node)
    badness = INFINITE if result is None else result.badness
    makers = [one for one in before.steps if _can_make(flow, one, badness)]
    culprit = makers[0] if len(makers) == 1 else step
    if len(makers) > 1 or (not makers and len(before.steps) > 1):
        return "seen", step, ""
    if any(value.badness for value in culprit.constants):
        return "input", culprit, ""
    if culprit.num_hidden:
        return ("seen" if culprit.operation not in TAME or _overflows(flow, culprit) else "input"), culprit, ""
    return "forward", culprit, _detail(flow, culprit)


def _is_mask(flow: KnownValues, node: Node, value: Value) -> bool:
    """Minus infinity that an operation filled in, whose other inputs are known to be finite."""
    seen = set()
    while value.is_mask and node in flow.steps and node not in seen:
        seen.add(node)
        step = flow.steps[node]
        inputs = [(child, flow.into(step, child)) for child in step.inputs]
        bad = [(child, one) for child, one in inputs if one is None or one.badness]
        if not bad:
            return step.operation in MASKING
        if len(bad) > 1 or bad[0][1] is None:
            return False
        node, value = bad[0][0], bad[0][1]
    return False


def _mask_detail(flow: KnownValues, step: KnownOperation) -> str:
    result = flow.results.get(step.node)
    is_nan = result is not None and result.badness == NAN
    return "a row of it is masked throughout" if is_nan and step.operation in ("Softmax", "LogSoftmax") else ""


def _overflows(flow: KnownValues, step: KnownOperation) -> bool:
    """Half precision ends at 65504; elsewhere sums of finite numbers stay finite."""
    value = flow.results.get(step.node)
    return value is not None and value.badness == INFINITE and value.dtype.itemsize == 2


def _detail(flow: KnownValues, step: KnownOperation) -> str:
    result = flow.results.get(step.node)
    inputs = [value for child in step.inputs if (value := flow.into(step, child)) is not None]
    inputs = [value for value in (*inputs, *step.constants) if value.badness == FINE]
    if result is not None and result.dtype.itemsize == 2 and result.badness == INFINITE:
        return f"its result is beyond the range of {str(result.dtype).removeprefix('torch.')}"
    if len(inputs) == 1 and inputs[0].is_exact:
        return f"its input lies between {inputs[0].lowest:.4g} and {inputs[0].highest:.4g}"
    return ""
