"""Steps that are never taken."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import backwards, made_optimizers, statement_calls, steps
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

COUNTER = "num_micro_batches"


@patch_for("optimizer-never-steps", anywhere=True)
def take_steps(source: Source, finding: Finding) -> Proposals:
    for statement in source.walk(cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Attribute) and _is_step(small.value):
                code = source.code(small.value)
                yield f"call it: {code}()", Edit(source).replace(small.value, f"{code}()")
    for step in steps(source):
        yield from _count_over_run(source, step)
    for name in made_optimizers(source):
        for backward in reversed(backwards(source)):
            edit = Edit(source).insert_after(backward, f"{name}.step()")
            if not statement_calls(source, "zero_grad", within=source.function_of(backward)):
                edit.insert_before(backward, f"{name}.zero_grad()")
            yield f"step the optimizer after backward: {name}.step()", edit


def _is_step(attribute: cst.Attribute) -> bool:
    return attribute.attr.value == "step"


def _count_over_run(source: Source, step: cst.SimpleStatementLine) -> Proposals:
    """A counter of an inner loop begins anew in every epoch, and may never come to the length of the window."""
    condition = source.enclosing(step, cst.If)
    loops = source.loops_of(step)
    if condition is None or len(loops) < 2:
        return
    for rest in source.walk(cst.BinaryOperation, condition.test):
        if isinstance(rest.operator, cst.Modulo):
            edit = Edit(source).insert_before(loops[-1], f"{COUNTER} = 0")
            edit.insert_before(condition, f"{COUNTER} += 1").replace(rest.left, COUNTER)
            yield "count micro-batches over the whole run, not from the start of each epoch", edit
