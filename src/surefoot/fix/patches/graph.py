"""Graphs: kept alive, growing, cut, and calls that go past hooks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.call import without_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import argument, backwards, call_in, called, calls, dotted, receiver
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

CUTS = ("detach", "item", "numpy", "requires_grad_")


@patch_for("graph-kept-alive")
def keep_values(source: Source, finding: Finding) -> Proposals:
    holders = [receiver(call) for each in backwards(source) if (call := call_in(each, "backward")) is not None]
    losses = {source.code(holder) for holder in holders if holder is not None}
    for statement in source.walk(cst.SimpleStatementLine):
        for value in _kept(source, statement):
            if _mentions(source, value, losses):
                code = source.code(value)
                plain = code if isinstance(value, cst.Name | cst.Attribute | cst.Call | cst.Subscript) else f"({code})"
                yield "keep the number, not the tensor with its graph", Edit(source).replace(value, f"{plain}.item()")
                detached = Edit(source).replace(value, f"{plain}.detach()")
                yield "keep the value without its graph", detached


def _kept(source: Source, statement: cst.SimpleStatementLine) -> Iterator[cst.BaseExpression]:
    """What is added to a total or a list, or put into a mapping."""
    for small in statement.body:
        if isinstance(small, cst.AugAssign):
            yield small.value
        if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call) and called(small.value) == "append":
            yield from [arg.value for arg in small.value.args]
        if isinstance(small, cst.Assign):
            target = small.targets[0].target
            if isinstance(target, cst.Subscript):
                yield small.value
            elif (
                isinstance(small.value, cst.BinaryOperation)
                and isinstance(small.value.operator, cst.Add)
                and source.code(small.value.left) == source.code(target)
            ):
                yield small.value.right


def _mentions(source: Source, value: cst.BaseExpression, losses: set[str]) -> bool:
    code = source.code(value)
    return ".item()" not in code and ".detach()" not in code and any(
        dotted(node) in losses or "loss" in dotted(node).lower()
        for node in [*source.walk(cst.Name, value), *source.walk(cst.Attribute, value)]
    )  # fmt: skip


@patch_for("graph-grows-each-step")
def detach_what_is_carried(source: Source, finding: Finding) -> Proposals:
    near = source.statement_at(finding.line)
    loop = source.loop_of(near) if near is not None else None
    if loop is None:
        return
    for statement in source.walk(cst.SimpleStatementLine, loop):
        for small in statement.body:
            if not isinstance(small, cst.Assign):
                continue
            for name in _targets(source, small):
                uses = [each for each in source.walk(cst.Name, small.value) if each.value == name]
                uses = [each for each in uses if not isinstance(source.parent(each), cst.Comparison)]
                uses = [use for use in uses if not _is_value_if_none(source, use)]
                if uses:
                    edit = Edit(source)
                    for use in uses:
                        edit.replace(use, f"{name}.detach()")
                    yield f"cut the graph of the step before: {name}.detach()", _without_retain(source, edit)
                    pair = Edit(source).insert_before(statement, f"{name} = tuple(each.detach() for each in {name})")
                    yield f"cut the graph of the step before: {name}", _without_retain(source, pair)


def _targets(source: Source, assign: cst.Assign) -> list[str]:
    target = assign.targets[0].target
    if isinstance(target, cst.Tuple):
        return [element.value.value for element in target.elements if isinstance(element.value, cst.Name)]
    return [target.value] if isinstance(target, cst.Name) else []


def _is_value_if_none(source: Source, use: cst.Name) -> bool:
    parent = source.parent(use)
    return isinstance(parent, cst.ComparisonTarget | cst.Comparison)


def _without_retain(source: Source, edit: Edit) -> Edit:
    for call in calls(source, "backward"):
        without_argument(edit, call, "retain_graph")
    return edit


@patch_for("graph-cut", "backward-misses-optimizer", "loss-detached-from-model", anywhere=True)
def keep_graph(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "tensor", "as_tensor", "FloatTensor"):
        if call.args and not isinstance(call.args[0].value, cst.Float | cst.Integer):
            items = _items_without_item(source, call.args[0].value)
            if items is not None:
                yield (
                    "stack the losses: torch.tensor makes new leaves",
                    Edit(source).replace(call, f"torch.stack({items})"),
                )
            elif isinstance(call.args[0].value, cst.Call | cst.Name):
                inner = source.code(call.args[0].value).removesuffix(".item()")
                yield "use the tensor itself: torch.tensor makes a new leaf", Edit(source).replace(call, inner)
    for call in reversed(calls(source, *CUTS)):
        holder = receiver(call)
        if holder is not None and not _is_for_display(source, call):
            yield f"keep the graph: leave out {called(call)}()", Edit(source).replace(call, source.code(holder))
    for attribute in source.walk(cst.Attribute):
        if attribute.attr.value == "data" and not isinstance(source.parent(attribute), cst.Attribute):
            yield "keep the graph: leave out .data", Edit(source).replace(attribute, source.code(attribute.value))
    for block in source.walk(cst.With):
        if len(block.items) == 1 and "no_grad" in source.code(block.items[0]) and _is_in_training(source, block):
            yield "keep the graph: leave out no_grad", _unwrap(source, block)


@patch_for("loss-term-without-gradient", "prediction-without-gradient", anywhere=True)
def keep_gradients_on(source: Source, finding: Finding) -> Proposals:
    """First where the gradient ends, then as for other graphs that are cut."""
    line = finding.line if str(source.file) == finding.file else None
    if line is not None:
        for block in source.walk(cst.With):
            is_around = source.line(block) <= line <= source.last_line(block)
            if is_around and len(block.items) == 1 and "no_grad" in source.code(block.items[0]):
                yield "keep the graph: leave out no_grad", _unwrap(source, block)
        for function in source.walk(cst.FunctionDef):
            for decorator in function.decorators:
                is_around = source.line(function) <= line <= source.last_line(function)
                if is_around and "no_grad" in source.code(decorator.decorator):
                    meaning = f"keep the graph: leave out no_grad of {function.name.value}"
                    yield meaning, Edit(source).remove(decorator)
    yield from keep_graph.propose(source, finding)


def _items_without_item(source: Source, node: cst.BaseExpression) -> str | None:
    """`[v.item() for v in losses]` as `losses`; None if it is nothing like that."""
    code = source.code(node)
    if isinstance(node, cst.ListComp) and ".item()" in code and isinstance(node.elt, cst.Call):
        element = source.code(node.elt).removesuffix(".item()")
        if source.code(node.for_in.target) == element:
            return source.code(node.for_in.iter)
    if isinstance(node, cst.List):
        return code.replace(".item()", "")
    return None


def _is_for_display(source: Source, call: cst.Call) -> bool:
    return any(
        isinstance(above, cst.Call) and called(above) in ("print", "append", "log") for above in source.above(call)
    )


def _is_in_training(source: Source, block: cst.With) -> bool:
    return bool(backwards(source, source.function_of(block)))


def _unwrap(source: Source, block: cst.With) -> Edit:
    edit = Edit(source).remove(block)
    for statement in reversed(block.body.body):
        edit.insert_after(block, cst.Module([statement]).code)  # type: ignore[list-item]
    return edit


@patch_for("forward-called-directly", anywhere=True)
def call_module(source: Source, finding: Finding) -> Proposals:
    edit = Edit(source)
    found = 0
    for call in calls(source, "forward"):
        holder = receiver(call)
        if holder is not None and not source.code(holder).startswith("super("):
            edit.substitute(call, call.with_changes(func=holder))
            found += 1
    if found:
        yield "call the module, which runs its hooks", edit


@patch_for("checkpoint-drops-gradients", anywhere=True)
def checkpoint_without_reentry(source: Source, finding: Finding) -> Proposals:
    edit = Edit(source)
    found = 0
    for call in calls(source, "checkpoint", "checkpoint_sequential"):
        flag = argument(call, "use_reentrant")
        if flag is not None:
            edit.replace(flag.value, "False")
            found += 1
    if found:
        yield "checkpoint without re-entering the autograd engine", edit
