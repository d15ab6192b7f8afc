"""Train and eval mode, evaluation without graphs, dropout, batch-norm."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import backwards, calls, dotted, receiver, steps
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

NOT_FORWARDS = ("backward", "step", "zero_grad", "item", "append", "eval", "train", "parameters")
NOT_MODELS = ("torch", "F", "nn", "np", "len", "range", "zip", "enumerate", "float", "int", "sum", "print", "super")


@patch_for("training-in-eval-mode", "dropout-lost", anywhere=True)
def train_mode(source: Source, finding: Finding) -> Proposals:
    for loop in training_loops(source):
        for model in _models(source, loop):
            code = f"{model}.train()"
            yield f"call {code} before each pass over the data", Edit(source).insert_before(loop, code)
            yield f"call {code} at each turn of the loop", Edit(source).insert_first(loop, code)
    for call in calls(source, "eval"):
        function = source.function_of(call)
        holder = receiver(call)
        if isinstance(function, cst.FunctionDef) and holder is not None and dotted(holder):
            code = f"{dotted(holder)}.train()"
            last = function.body.body[-1]
            edit = Edit(source)
            if isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[0], cst.Return):
                edit.insert_before(last, code)
            else:
                edit.insert_last(function, code)
            yield f"go back to train mode after the evaluation: {code}", edit


def training_loops(source: Source) -> list[Statement]:
    """Loops around backwards, or around calls of functions that have them; innermost first."""
    loops: list[Statement] = []
    for backward in backwards(source) or steps(source):
        loops += source.loops_of(backward)
        function = source.function_of(backward)
        if isinstance(function, cst.FunctionDef):
            for call in calls(source, function.name.value):
                loops += source.loops_of(call)
    return list(dict.fromkeys(loops))


def _models(source: Source, near: Statement) -> list[str]:
    """Names that may be the model: what is switched to eval mode, and what is called near by."""
    switched = [dotted(holder) for call in calls(source, "eval", "train") if (holder := receiver(call)) is not None]
    return [name for name in dict.fromkeys([*switched, *_called_names(source, near)]) if name]


def _called_names(source: Source, near: cst.CSTNode) -> Iterator[str]:
    for call in source.walk(cst.Call, near):
        name = dotted(call.func)
        head, _, last = name.rpartition(".")
        is_own = not head or head == "self" or head.startswith("self.")
        if is_own and name and name.split(".")[0] not in NOT_MODELS and last not in NOT_FORWARDS:
            yield name


@patch_for("evaluating-in-train-mode")
def eval_mode(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    if statement is None:
        return
    block = _evaluation(source, statement)
    for model in dict.fromkeys(_called_names(source, statement)):
        if block is None:
            function = source.function_of(statement)
            yield f"evaluate in eval mode: {model}.eval()", Edit(source).insert_first(function, f"{model}.eval()")
            continue
        before = Edit(source).insert_before(block, f"{model}.eval()")
        yield f"evaluate in eval mode: {model}.eval()", before
        both = Edit(source).insert_before(block, f"{model}.eval()").insert_after(block, f"{model}.train()")
        yield f"evaluate in eval mode, then train on: {model}.eval(), {model}.train()", both
        for loop in training_loops(source):
            edit = Edit(source).insert_before(block, f"{model}.eval()").insert_before(loop, f"{model}.train()")
            yield f"evaluate in eval mode, train in train mode: {model}.eval(), {model}.train()", edit
            edit = Edit(source).insert_before(block, f"{model}.eval()").insert_first(loop, f"{model}.train()")
            yield f"evaluate in eval mode, train in train mode: {model}.eval(), {model}.train()", edit


def _evaluation(source: Source, statement: Statement) -> Statement | None:
    """The `with torch.no_grad():` around it; None where a decorator says so for the whole function."""
    for above in source.above(statement):
        if isinstance(above, cst.With) and re.search("no_grad|inference_mode", source.code(above.items[0])):
            return above
        if isinstance(above, cst.FunctionDef):
            return None
    return statement


@patch_for("graph-built-in-evaluation")
def no_graph_in_evaluation(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    if statement is None:
        return
    function = source.function_of(statement)
    if isinstance(function, cst.FunctionDef) and not backwards(source, function) and not steps(source, function):
        decorated = function.with_changes(
            decorators=[cst.Decorator(cst.parse_expression("torch.no_grad()")), *function.decorators]
        )
        yield "evaluate without graphs: @torch.no_grad()", Edit(source).substitute(function, decorated)
    outermost: Statement = statement
    for loop in source.loops_of(statement):
        if not backwards(source, loop):
            outermost = loop
    body = cst.Module([outermost.with_changes(leading_lines=())]).code
    wrapped = "with torch.no_grad():\n" + "".join(f"    {line}\n" for line in body.rstrip().splitlines())
    yield "evaluate without graphs: torch.no_grad()", Edit(source).replace_statement(outermost, wrapped)
