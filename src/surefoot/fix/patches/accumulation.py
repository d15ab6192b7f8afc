"""Accumulation: what each micro-batch counts, and the window at the end of an epoch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import argument, backwards, call_in, called, calls, receiver, steps, value_code
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("accumulation-not-averaged")
def divide_loss(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    call = call_in(statement, "backward") if statement is not None else None
    if statement is None or call is None:
        return
    loss = _loss_of(source, call)
    if loss is None:
        return
    block = source.siblings(statement)
    for late in block[block.index(statement) + 1 :]:
        if isinstance(late, cst.SimpleStatementLine) and _divides(source, late, source.code(loss)):
            yield "divide the loss before backward, not after it", Edit(source).move_before(late, statement)
    for size in _window_sizes(source, statement, finding):
        divided = f"({in_brackets(source, loss)} / {size})"
        inside = isinstance(source.parent(loss), cst.Arg)
        code = divided[1:-1] if inside else divided
        yield f"divide each loss by the number of micro-batches, {size}", Edit(source).replace(loss, code)


def _loss_of(source: Source, backward: cst.Call) -> cst.BaseExpression | None:
    """`loss` in `loss.backward()`, `scaler.scale(loss).backward()` and `accelerator.backward(loss)`."""
    holder = receiver(backward)
    if isinstance(holder, cst.Call) and called(holder) == "scale" and holder.args:
        return holder.args[0].value
    if backward.args and backward.args[0].keyword is None:
        return backward.args[0].value
    return holder


def _divides(source: Source, statement: cst.SimpleStatementLine, loss: str) -> bool:
    code = source.code(statement).partition("#")[0].strip()
    return code.startswith((f"{loss} = {loss} / ", f"{loss} /= ", f"{loss} = {loss} * "))


def in_brackets(source: Source, node: cst.BaseExpression) -> str:
    code = source.code(node)
    return f"({code})" if isinstance(node, cst.BinaryOperation) and not node.lpar else code


def _window_sizes(source: Source, backward: Statement, finding: Finding) -> Iterator[str]:
    """Expressions for the number of micro-batches, likely ones first."""
    seen = set()
    for size in _every_size(source, backward, finding):
        if size not in seen and not _is_other_number(source, size, finding):
            seen.add(size)
            yield size


def _is_other_number(source: Source, size: str, finding: Finding) -> bool:
    """Another one than the run has shown, such as how often something is printed. A rule would not notice."""
    number = size if size.isdecimal() else value_code(source, size) or ""
    return number.isdecimal() and int(number) != finding.evidence.get("micro_batches", int(number))


def _every_size(source: Source, backward: Statement, finding: Finding) -> Iterator[str]:
    loop = source.loop_of(backward)
    near = [] if loop is None else window_tests(source, loop)
    for test in near:
        yield source.code(test.right)
    if isinstance(loop, cst.For) and not near and not steps(source, loop):
        turns = loop.iter
        if isinstance(turns, cst.Call) and called(turns) == "range" and len(turns.args) == 1:
            yield source.code(turns.args[0].value)
        elif isinstance(turns, cst.Name):
            yield f"len({turns.value})"
        elif isinstance(turns, cst.Call) and called(turns) == "enumerate" and isinstance(turns.args[0].value, cst.Name):
            yield f"len({turns.args[0].value.value})"
        for chunked in calls(source, "chunk", within=turns):
            if chunked.args:
                yield source.code(chunked.args[0].value)
    for test in window_tests(source):
        yield source.code(test.right)
    for value in (finding.evidence.get("micro_batches"), finding.evidence.get("backwards")):
        if isinstance(value, int):
            yield str(value)


def window_tests(source: Source, within: cst.CSTNode | None = None) -> list[cst.BinaryOperation]:
    """`(i + 1) % k` in the tests of ifs, those of steps first."""
    conditions = sorted(source.walk(cst.If, within), key=lambda each: "step(" not in source.code(each.body))
    tests = [condition.test for condition in conditions]
    return [
        each
        for test in tests
        for each in source.walk(cst.BinaryOperation, test)
        if isinstance(each.operator, cst.Modulo)
    ]


@patch_for("window-lost-at-epoch-end", "window-carried-over-epoch")
def step_last_window(source: Source, finding: Finding) -> Proposals:
    for step in steps(source):
        condition = source.enclosing(step, cst.If)
        loop = source.loop_of(step)
        if condition is None or not isinstance(loop, cst.For) or not backwards(source, loop):
            continue
        if loop not in source.above(condition):
            continue
        test = source.code(condition.test)
        yield from _at_last_batch(source, condition, loop, test)
        yield from _after_loop(source, condition, loop, test)


def _at_last_batch(source: Source, condition: cst.If, loop: cst.For, test: str) -> Proposals:
    turns = loop.iter
    if not (isinstance(turns, cst.Call) and called(turns) == "enumerate" and isinstance(loop.target, cst.Tuple)):
        return
    index = source.code(loop.target.elements[0].value)
    loader = source.code(turns.args[0].value)
    start = argument(turns, "start", 1)
    at = f"{index} + 1" if start is None else index
    if turns.args[0].value.children and "(" in loader:
        return
    is_last = f"{at} == len({loader})"
    edit = Edit(source).replace(condition.test, f"{test} or {is_last}")
    yield "step at the last batch of an epoch, too", edit


def _after_loop(source: Source, condition: cst.If, loop: cst.For, test: str) -> Proposals:
    body = condition.body
    if not isinstance(body, cst.IndentedBlock) or not isinstance(condition.test, cst.Comparison):
        return
    counter = source.code(condition.test.left)
    resets = any(source.code(each).partition("#")[0].strip() == f"{counter} = 0" for each in body.body)
    rest = counter if resets else f"not ({test})" if "==" not in test else test.replace("==", "!=")
    made = condition.with_changes(test=cst.parse_expression(rest), orelse=None, leading_lines=())
    code = cst.Module([made]).code
    yield "step with what is left after the last batch", Edit(source).insert_after(loop, code)
