"""Micro-batches of different sizes: each counts by its share of the window."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Loop, Source
from surefoot.fix.code.training import argument, assigned_value, assignments, call_in, called, calls, receiver
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.fix.patches.accumulation import in_brackets
from surefoot.judge import Finding

SPLITS = ("split", "chunk", "tensor_split")


@patch_for("unequal-micro-batches")
def weight_loss(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    loop = source.loop_of(statement) if statement is not None and call_in(statement, "backward") else None
    if not isinstance(loop, cst.For):
        return
    for share in (*_of_split(source, loop), *_of_total(source, loop)):
        meaning = f"weight each micro-batch by its share, {share}"
        for division in source.walk(cst.BinaryOperation, loop.body):
            if isinstance(division.operator, cst.Divide):
                weighted = f"{in_brackets(source, division.left)} * {share}"
                yield meaning, Edit(source).replace(division, f"({weighted})" if division.lpar else weighted)
        for each in source.walk(cst.AugAssign, loop.body):
            line = source.parent(each)
            if isinstance(each.operator, cst.DivideAssign) and isinstance(line, cst.SimpleStatementLine):
                loss = source.code(each.target)
                yield meaning, Edit(source).replace_statement(line, f"{loss} = {loss} * {share}")


def _turns(loop: cst.For) -> tuple[cst.BaseAssignTargetExpression, cst.BaseExpression]:
    """What a loop binds, and over what it goes, without `enumerate`."""
    target, turns = loop.target, loop.iter
    if isinstance(turns, cst.Call) and called(turns) == "enumerate" and isinstance(target, cst.Tuple):
        inner = target.elements[1].value
        assert isinstance(inner, cst.BaseAssignTargetExpression)
        return inner, turns.args[0].value
    return target, turns


def _of_split(source: Source, loop: Loop) -> Iterator[str]:
    """`for part in whole.split(n)`, also by a name, and the first of several in a `zip`."""
    assert isinstance(loop, cst.For)
    target, turns = _turns(loop)
    if isinstance(turns, cst.Call) and called(turns) == "zip" and isinstance(target, cst.Tuple):
        part, turns = source.code(target.elements[0].value), turns.args[0].value
    else:
        part = source.code(target)
    if isinstance(turns, cst.Name):
        made = assignments(source, turns.value)
        turns = assigned_value(made[-1]) if made else turns
    if not isinstance(turns, cst.Call) or called(turns) not in SPLITS:
        return
    whole = receiver(turns)
    if whole is None or source.code(whole) == "torch":
        whole = turns.args[0].value
    yield f"len({part}) / len({source.code(whole)})"


def _of_total(source: Source, loop: Loop) -> Iterator[str]:
    """`total = sum(count(batch) for batch in batches)` before the loop over the same batches."""
    assert isinstance(loop, cst.For)
    target, turns = _turns(loop)
    for call in calls(source, "sum", within=source.function_of(loop)):
        made = source.parent(call)
        each = call.args[0].value if call.args else None
        if not isinstance(made, cst.Assign) or not isinstance(each, cst.GeneratorExp | cst.ListComp):
            continue
        if source.code(each.for_in.iter) == source.code(turns) and each.for_in.inner_for_in is None:
            names = dict(_paired(_names(source, each.for_in.target), _names(source, target)))
            count = _renamed(source.code(each.elt), names)
            yield f"{count} / {source.code(made.targets[0].target)}"


def _names(source: Source, target: cst.BaseExpression) -> list[str]:
    if not isinstance(target, cst.Tuple):
        return [source.code(target)]
    return [source.code(element) for element in target.elements]


def _renamed(code: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda found: names.get(found[0], found[0]), code)


def _paired(inner: Sequence[str], outer: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names for the same values, as `*_, mask` and `words, tags, mask` have one in common."""
    if inner and inner[0].startswith("*"):
        inner, outer = inner[:0:-1], outer[::-1]
    return zip((name.rstrip(", ") for name in inner), (name.rstrip(", ") for name in outer), strict=False)


@patch_for("unequal-micro-batches", anywhere=True)
def drop_short_batch(source: Source, finding: Finding) -> Proposals:
    for loader in calls(source, "DataLoader"):
        if argument(loader, "drop_last") is None:
            code = source.code(loader).rstrip()
            yield "leave out the short last batch", Edit(source).replace(loader, with_argument(code, "drop_last=True"))
