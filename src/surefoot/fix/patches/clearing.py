"""Gradients: when they are cleared, and which step uses them."""

from __future__ import annotations

import re

import libcst as cst

from surefoot.fix.code.call import without_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import (
    assignments,
    backwards,
    call_in,
    calls,
    receiver,
    statement_calls,
    step_at,
    stepped,
    steps,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("stale-gradients", "gradient-leak-between-optimizers")
def clear_gradients(source: Source, finding: Finding) -> Proposals:
    found = step_at(source, finding.line)
    if found is None:
        return
    step, optimizer = found
    clear = f"{optimizer}.zero_grad()"
    first = _first_backward(source, step)
    outer = _clear_outside(source, step, optimizer)
    if first is not None:
        if outer is not None:
            yield f"move {clear} into the loop, before backward", Edit(source).move_before(outer, first)
        yield f"call {clear} before backward", Edit(source).insert_before(first, clear)
    if outer is not None:
        yield f"move {clear} into the loop, after the step", Edit(source).move_after(outer, step)
    yield f"call {clear} after the step that used the gradients", Edit(source).insert_after(step, clear)


def _first_backward(source: Source, step: Statement) -> cst.SimpleStatementLine | None:
    """Of those that fill the gradients of this step, in the step's own block."""
    block = source.siblings(step)
    known = backwards(source)
    first: cst.SimpleStatementLine | None = None
    for statement in reversed(block[: block.index(step)]):
        if isinstance(statement, cst.SimpleStatementLine) and statement in steps(source):
            break
        if isinstance(statement, cst.SimpleStatementLine) and statement in known:
            first = statement
    return first


def _clear_outside(source: Source, step: Statement, optimizer: str) -> cst.SimpleStatementLine | None:
    """A clearing of this optimizer in the same function, outside the loop of the step."""
    loop = source.loop_of(step)
    function = source.function_of(step)
    for statement in statement_calls(source, "zero_grad", within=function):
        call = call_in(statement, "zero_grad")
        assert call is not None
        holder = receiver(call)
        if holder is not None and source.code(holder) == optimizer and source.function_of(statement) is function:
            return statement if loop is not None and loop not in source.above(statement) else None
    return None


@patch_for("micro-batches-discarded")
def clear_after_step(source: Source, finding: Finding) -> Proposals:
    clear = source.statement_at(finding.line)
    if clear is None:
        return
    code = source.code(cst.Module([clear.with_changes(leading_lines=())])).partition("#")[0].strip()
    for step in _nearest_first(source, clear, steps(source)):
        loop = source.loop_of(clear)
        if loop is not None and source.function_of(clear) is source.function_of(step):
            edit = Edit(source).insert_before(loop, code).move_after(clear, step)
            yield f"clear after the step and before the loop: {code}", edit
        yield f"clear after the step: {code}", Edit(source).move_after(clear, step)


def _nearest_first(source: Source, place: Statement, several: list[cst.SimpleStatementLine]) -> list[Statement]:
    function = source.function_of(place)
    return sorted(several, key=lambda each: (source.function_of(each) is not function, source.line(each)))


@patch_for("gradients-cleared-before-step")
def clear_before_backward(source: Source, finding: Finding) -> Proposals:
    clear: Statement | None = source.statement_at(finding.line)
    if clear is None:
        return
    clear = _clearing_loop(source, clear) or clear
    function = source.function_of(clear)
    earlier = [each for each in backwards(source, function) if source.line(each) < source.line(clear)]
    holder = _cleared(source, clear)
    others = [
        each
        for each in statement_calls(source, "zero_grad", within=function)
        if each is not clear and _cleared(source, each) == holder
    ]
    if others:
        yield "drop the clearing between backward and step; there is another one", Edit(source).remove(clear)
    if earlier:
        yield "clear before backward, not between backward and step", Edit(source).move_before(clear, earlier[-1])
    for step in steps(source, function):
        if source.line(step) > source.line(clear):
            yield "clear after the step that uses the gradients", Edit(source).move_after(clear, step)


def _clearing_loop(source: Source, place: Statement) -> Statement | None:
    """`for p in model.parameters(): p.grad = None`, around this line or before this step."""
    loop = source.loop_of(place)
    if loop is not None and not backwards(source, loop):
        return loop
    block = source.siblings(place)
    for statement in reversed(block[: block.index(place)]):
        if isinstance(statement, cst.For) and re.search(r"\.grad = None|\.grad\.zero_\(\)", source.code(statement)):
            return statement
    return None


def _cleared(source: Source, clear: Statement) -> str:
    call = call_in(clear, "zero_grad")
    holder = receiver(call) if call is not None else None
    return source.code(holder) if holder is not None else ""


@patch_for("step-without-backward")
def drop_step(source: Source, finding: Finding) -> Proposals:
    found = step_at(source, finding.line)
    if found is None:
        return
    step, optimizer = found
    others = [
        call
        for call in calls(source, "step")
        if receiver(call) is not None and call_in(step, "step") is not call and _may_be(source, call, optimizer)
    ]
    if others:
        yield "drop the step that has no gradients of its own", Edit(source).remove(step)
    filled = [each for each in backwards(source, source.function_of(step)) if source.line(each) < source.line(step)]
    if filled and source.parent(filled[-1]) is not source.parent(step):
        yield "step only where backward ran", Edit(source).move_after(step, filled[-1])
    if not others:
        yield "drop the step that has no gradients of its own", Edit(source).remove(step)


def _may_be(source: Source, step: cst.Call, optimizer: str) -> bool:
    """By the same name, or by the name of a parameter."""
    name = stepped(source, step)
    return name == optimizer or (not assignments(source, name) and "." not in name and "opt" in name)


@patch_for("loss-backwarded-twice")
def drop_second_backward(source: Source, finding: Finding) -> Proposals:
    again = source.statement_at(finding.line)
    if again is None or call_in(again, "backward") is None:
        return
    function = source.function_of(again)
    others = [each for each in backwards(source, function) if each is not again]
    for other in reversed(others):
        edit = Edit(source).remove(again)
        yield "run backward once", _without_argument(source, edit, other, "retain_graph")
    for other in others:
        yield "run backward once", Edit(source).remove(other)


def _without_argument(source: Source, edit: Edit, statement: Statement, keyword: str) -> Edit:
    call = call_in(statement, "backward")
    assert call is not None
    return without_argument(edit, call, keyword)


@patch_for("create-graph-left-on")
def drop_create_graph(source: Source, finding: Finding) -> Proposals:
    yield from _drop(source, finding, "create_graph")


@patch_for("needless-retain-graph")
def drop_retain_graph(source: Source, finding: Finding) -> Proposals:
    yield from _drop(source, finding, "retain_graph")


def _drop(source: Source, finding: Finding, keyword: str) -> Proposals:
    statement = source.statement_at(finding.line)
    call = call_in(statement, "backward", "grad") if statement is not None else None
    if call is not None and any(arg.keyword is not None and arg.keyword.value == keyword for arg in call.args):
        yield f"leave out {keyword}", without_argument(Edit(source), call, keyword)
