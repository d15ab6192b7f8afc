"""The operation that made the first NaN or Inf of a forward: from the loss backwards, along what is not finite."""

from __future__ import annotations

from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.watch.finite.birth.flow import FINE, INFINITE, LEAF, NAN, Flow, Step
from surefoot.watch.finite.birth.operation import GENTLE, MASKING, TAME, averages
from surefoot.watch.finite.birth.place import Places, readable
from surefoot.watch.lossgraph.node import Node, name_of


def forward_birth(root: Tensor, places: Places) -> BirthFacts | None:
    """None where the graph does not tell for certain. The graph must be whole, as it is before its backward."""
    if root.grad_fn is None:
        return None
    flow = Flow(root)
    node = _first_bad(flow)
    step = flow.steps[node]
    if step.operation == LEAF:
        return BirthFacts("weight", module=places.name(node.variable))
    if any(value.badness > FINE for value in step.constants):
        return _located(flow, step, places, "input", "")
    culprit = _culprit(flow, step)
    if culprit is None:
        return None
    unkept = culprit.has_constants and not culprit.constants
    if culprit.operation in TAME and unkept and not flow.is_empty(culprit) and not _may_overflow(flow, culprit):
        return _located(flow, culprit, places, "input", "")
    return _located(flow, culprit, places, "forward", _detail(flow, culprit))


def _first_bad(flow: Flow) -> Node:
    """Down from the root as long as something bad goes in; a NaN is followed rather than an Inf."""
    node, seen = flow.root, {flow.root}
    while True:
        step = flow.steps[node]
        bad = [(flow.badness(child), child) for child in step.inputs if child not in seen]
        bad = [(badness, child) for badness, child in bad if badness > FINE and not _is_meant(flow, child)]
        if not bad:
            return node
        worst = max(badness for badness, _ in bad)
        node = next(child for badness, child in bad if badness == worst)
        seen.add(node)


def _is_meant(flow: Flow, node: Node) -> bool:
    """Minus infinity that was filled in: a mask."""
    seen = set()
    while node not in seen:
        seen.add(node)
        value = flow.results.get(node)
        if value is not None and not value.is_mask:
            return False
        step = flow.steps[node]
        if step.operation in MASKING:
            return value is not None or any(constant.is_mask for constant in step.constants)
        below = [child for child in step.inputs if flow.badness(child) == INFINITE]
        if len(below) != 1:
            return False
        node = below[0]
    return False


def _culprit(flow: Flow, step: Step) -> Step | None:
    """Where inputs are not known to be finite, the one operation among those before it that can go wrong."""
    region, todo = [step], [step]
    while todo:
        for child in todo.pop().inputs:
            one = flow.steps.get(child)
            if one is not None and child not in flow.results and one not in region:
                region.append(one)
                todo.append(one)
    empty = [one for one in region if averages(one.operation) and flow.is_empty(one)]
    if empty:
        return empty[0]
    if step.operation not in TAME and step.node in flow.results and len(region) == 1:
        return step
    able = [one for one in region if one.operation not in TAME and one.operation != LEAF and not one.is_harmless]
    wild = [one for one in able if one.operation not in GENTLE]
    if not wild and flow.badness(step.node) == NAN and (entrance := _entrance(region)) is not None:
        return entrance  # nothing here makes NaN of finite numbers
    for suspects in (wild, able):
        if len(suspects) == 1:
            return suspects[0]
        if suspects:
            return None
    return step


def _entrance(region: list[Step]) -> Step | None:
    """The one step where something comes in that is not kept."""
    entrances = [one for one in region if one.has_constants and not one.constants and one.operation in TAME]
    return entrances[0] if len(entrances) == 1 else None


def _may_overflow(flow: Flow, step: Step) -> bool:
    """Half precision ends at 65504; elsewhere sums of finite numbers stay finite."""
    value = flow.results.get(step.node)
    return value is not None and value.badness == INFINITE and value.dtype.itemsize == 2


def _detail(flow: Flow, step: Step) -> str:
    if flow.is_empty(step):
        return "it was given no value at all"
    result = flow.results.get(step.node)
    inputs = [value for child in step.inputs if (value := step.kept.get(child) or flow.results.get(child)) is not None]
    inputs = [value for value in (*inputs, *step.constants) if value.badness < NAN]
    if step.operation in ("Softmax", "LogSoftmax") and (not inputs or any(value.is_mask for value in inputs)):
        return "a row of its input is -inf throughout: everything is masked"
    if result is not None and result.dtype.itemsize == 2 and result.badness == INFINITE:
        return f"its result is beyond the range of {str(result.dtype).removeprefix('torch.')}"
    if step.operation in ("Div", "Reciprocal", "Rsqrt") and any(value.lowest <= 0 <= value.highest for value in inputs):
        return "it divides by 0"
    if len(inputs) == 1:
        return f"its input lies between {inputs[0].lowest:.4g} and {inputs[0].highest:.4g}"
    return ""


def _located(flow: Flow, step: Step, places: Places, where: str, detail: str) -> BirthFacts:
    module, after, before = places.of(flow, step.node)
    return BirthFacts(where, readable(name_of(step.node)), module, after, before, detail)
