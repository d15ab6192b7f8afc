"""Gradients through targets and advantages."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import assigned_value
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("gradient-through-target")
def detach_target(source: Source, finding: Finding) -> Proposals:
    near = source.statement_at(finding.line)
    if near is None:
        return
    if finding.message.startswith("an advantage"):
        yield from _detach_advantage(source, near)
        return
    for sum_ in _targets(source, source.function_of(near)):
        edit = Edit(source).replace(sum_, f"({source.code(sum_)}).detach()")
        yield "compute the target without a gradient", edit


def _targets(source: Source, within: cst.CSTNode) -> Iterator[cst.BinaryOperation]:
    """`reward + discount * …`, as a value or as an argument."""
    for sum_ in source.walk(cst.BinaryOperation, within):
        is_whole = isinstance(source.parent(sum_), cst.Assign | cst.Arg | cst.Return)
        sides = (sum_.left, sum_.right)
        if is_whole and isinstance(sum_.operator, cst.Add) and any(map(_is_product, sides)):
            yield sum_


def _is_product(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply)


def _detach_advantage(source: Source, near: cst.SimpleStatementLine) -> Proposals:
    """Where it is a factor: the critic's own loss may use it with its gradient."""
    function = source.function_of(near)
    differences = {
        source.code(statement.body[0].targets[0].target)
        for statement in source.walk(cst.SimpleStatementLine, function)
        if isinstance(statement.body[0], cst.Assign) and _is_difference(assigned_value(statement))
    }
    for product in filter(_is_product, source.walk(cst.BinaryOperation, function)):
        assert isinstance(product, cst.BinaryOperation)
        for factor in (product.right, product.left):
            code = source.code(factor)
            if code in differences or _is_difference(factor):
                held = code if isinstance(factor, cst.Name | cst.Attribute) or factor.lpar else f"({code})"
                yield "multiply by the advantage without its gradient", Edit(source).replace(factor, f"{held}.detach()")


def _is_difference(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract)
