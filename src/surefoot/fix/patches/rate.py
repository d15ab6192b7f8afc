"""Rates, frozen parameters, initial values."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import (
    argument,
    called,
    calls,
    receiver,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("misspelled-requires-grad", anywhere=True)
def spell_requires_grad(source: Source, finding: Finding) -> Proposals:
    wrong = str(finding.evidence.get("attribute", ""))
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if not isinstance(small, cst.Assign) or not isinstance(small.targets[0].target, cst.Attribute):
            continue
        target = small.targets[0].target
        if target.attr.value != wrong:
            continue
        value = source.code(small.value)
        if wrong != "requires_grad":
            yield "spell it requires_grad", Edit(source).substitute(target.attr, cst.Name("requires_grad"))
        else:
            code = f"{source.code(target.value)}.requires_grad_({value})"
            yield "call requires_grad_(), which reaches the parameters", Edit(source).replace_statement(statement, code)


@patch_for("frozen-parameter-moves", anywhere=True)
def clear_to_none(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "zero_grad"):
        flag = argument(call, "set_to_none", 0)
        if flag is not None and source.code(flag.value) == "False":
            yield (
                "clear gradients to None, so that frozen parameters have none",
                Edit(source).replace(flag.value, "True"),
            )
    for call in calls(source, "requires_grad_"):
        holder, statement = receiver(call), source.statement_of(call)
        if holder is not None and statement is not None and call.args and source.code(call.args[0].value) == "False":
            code = f"for parameter in {source.code(holder)}.parameters():\n    parameter.grad = None\n"
            yield "drop the gradients of what is frozen", Edit(source).insert_after(statement, code)


@patch_for("module-repeated", anywhere=True)
def make_each_module(source: Source, finding: Finding) -> Proposals:
    for each in source.walk(cst.BinaryOperation):
        if isinstance(each.operator, cst.Multiply) and isinstance(each.left, cst.List) and len(each.left.elements) == 1:
            item, count = source.code(each.left.elements[0].value), source.code(each.right)
            if isinstance(each.left.elements[0].value, cst.Call):
                yield "make a module for each place", Edit(source).replace(each, f"[{item} for _ in range({count})]")
            copied = f"[copy.deepcopy({item}) for _ in range({count})]"
            yield "copy the module for each place", Edit(source).replace(each, copied).add_import("import copy")
    for comprehension in source.walk(cst.ListComp):
        if isinstance(comprehension.elt, cst.Name | cst.Attribute):
            edit = Edit(source).replace(comprehension.elt, f"copy.deepcopy({source.code(comprehension.elt)})")
            yield "copy the module for each place", edit.add_import("import copy")


@patch_for("uninitialised-parameter", anywhere=True)
def initialise(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "empty", "Tensor", "FloatTensor", "empty_like"):
        parent = source.enclosing(call, cst.Call)
        if parent is None or called(parent) != "Parameter":
            continue
        shape = finding.evidence.get("shape") or []
        args = ", ".join(source.code(arg) for arg in call.args)
        if len(shape) > 1:
            code = f"torch.nn.init.xavier_uniform_({source.code(call)})"
            yield "draw the weights", Edit(source).replace(call, code)
        like = "_like" if called(call) == "empty_like" else ""
        yield "start at zero", Edit(source).replace(call, f"torch.zeros{like}({args})")


@patch_for("zero-learning-rate", "negative-learning-rate", anywhere=True)
def positive_rate(source: Source, finding: Finding) -> Proposals:
    for each in source.walk(cst.BinaryOperation):
        if isinstance(each.operator, cst.FloorDivide):
            made = each.with_changes(operator=cst.Divide())
            yield "divide without rounding down: /", Edit(source).substitute(each, made)
    for function in source.walk(cst.Lambda):
        code = source.code(function.body)
        if not code.startswith("max("):
            yield "let the rate end at zero", Edit(source).replace(function.body, f"max(0.0, {code})")
    for call in source.walk(cst.Call):
        rate = argument(call, "lr")
        if rate is not None and isinstance(rate.value, cst.UnaryOperation):
            edit = Edit(source).replace(rate.value, source.code(rate.value.expression))
            yield "give a positive rate", edit


@patch_for("loss-diverging", "exploding-gradients", anywhere=True)
def minimise(source: Source, finding: Finding) -> Proposals:
    for call in source.walk(cst.Call):
        flag = argument(call, "maximize")
        if flag is not None and source.code(flag.value) == "True":
            yield "make the loss small, not large: maximize=False", Edit(source).replace(flag.value, "False")
