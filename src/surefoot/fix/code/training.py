"""The parts of a training program that patches look for: steps, backwards, optimizers, schedules, models."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.source import Source, Statement

OPTIMIZERS = frozenset({
    "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD", "LBFGS",
    "SparseAdam", "Adafactor", "Muon",
})  # fmt: skip
SCHEDULERS = frozenset({"CosineAnnealingWarmRestarts", "ReduceLROnPlateau", "ChainedScheduler"})


def dotted(node: cst.CSTNode) -> str:
    """`torch.optim.SGD`, `self.model`; empty for what is no plain name."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr.value}" if head else ""
    return ""


def called(call: cst.Call) -> str:
    """The last part of the name that is called."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return call.func.value if isinstance(call.func, cst.Name) else ""


def receiver(call: cst.Call) -> cst.BaseExpression | None:
    """`optimizer` in `optimizer.step()`."""
    return call.func.value if isinstance(call.func, cst.Attribute) else None


def calls(source: Source, *names: str, within: cst.CSTNode | None = None) -> list[cst.Call]:
    return [call for call in source.walk(cst.Call, within) if called(call) in names]


def argument(call: cst.Call, keyword: str, position: int | None = None) -> cst.Arg | None:
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == keyword:
            return arg
    plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
    return plain[position] if position is not None and position < len(plain) else None


def own_statement(source: Source, call: cst.Call) -> cst.SimpleStatementLine | None:
    """The statement that is nothing but this call, or an assignment of its result."""
    parent = source.parent(call)
    if not isinstance(parent, cst.Expr | cst.Assign):
        return None
    line = source.parent(parent)
    return line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None


def statement_calls(source: Source, *names: str, within: cst.CSTNode | None = None) -> list[cst.SimpleStatementLine]:
    """Statements that are such a call."""
    found = [own_statement(source, call) for call in calls(source, *names, within=within)]
    return [statement for statement in found if statement is not None]


def call_in(statement: Statement, *names: str) -> cst.Call | None:
    return next((call for call in _calls_below(statement) if not names or called(call) in names), None)


def _calls_below(node: cst.CSTNode) -> Iterator[cst.Call]:
    if isinstance(node, cst.Call):
        yield node
    for child in node.children:
        yield from _calls_below(child)


def backwards(source: Source, within: cst.CSTNode | None = None) -> list[cst.SimpleStatementLine]:
    """Statements that are a backward: `loss.backward()`, `scaler.scale(loss).backward()`, `fabric.backward(loss)`."""
    return statement_calls(source, "backward", within=within)


def is_scaler(source: Source, node: cst.CSTNode) -> bool:
    return "scaler" in source.code(node).lower() or "GradScaler" in (value_code(source, source.code(node)) or "")


def stepped(source: Source, step: cst.Call) -> str:
    """The optimizer of `optimizer.step()` or `scaler.step(optimizer)`."""
    holder = receiver(step)
    assert holder is not None
    if is_scaler(source, holder) and step.args:
        return source.code(step.args[0].value)
    return source.code(holder)


def steps(source: Source, within: cst.CSTNode | None = None) -> list[cst.SimpleStatementLine]:
    """Statements that step an optimizer, directly or by a scaler."""
    found = []
    for call in calls(source, "step", within=within):
        statement = own_statement(source, call)
        if statement is not None and receiver(call) is not None and not is_scheduler(source, stepped(source, call)):
            found.append(statement)
    return found


def step_at(source: Source, line: int | None) -> tuple[cst.SimpleStatementLine, str] | None:
    """The step on that line with its optimizer's name."""
    statement = source.statement_at(line)
    call = call_in(statement, "step") if statement is not None else None
    if statement is None or call is None or receiver(call) is None:
        return None
    return statement, stepped(source, call)


def assignments(source: Source, target: str) -> list[cst.SimpleStatementLine]:
    """Statements `target = value`, in the order of the text."""
    return [
        statement
        for statement in source.walk(cst.SimpleStatementLine)
        if len(statement.body) == 1
        and isinstance(statement.body[0], cst.Assign)
        and any(source.code(each.target) == target for each in statement.body[0].targets)
    ]


def assigned_value(statement: cst.SimpleStatementLine) -> cst.BaseExpression:
    assign = statement.body[0]
    assert isinstance(assign, cst.Assign)
    return assign.value


def value_code(source: Source, target: str) -> str | None:
    found = assignments(source, target)
    return source.code(assigned_value(found[-1])) if found else None


def is_optimizer_call(source: Source, node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and (called(node) in OPTIMIZERS or (".optim." in f".{source.code(node.func)}"
                                           and "lr_scheduler" not in source.code(node.func)))  # fmt: skip


def is_scheduler_call(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and (called(node).endswith("LR") or called(node) in SCHEDULERS)


def is_scheduler(source: Source, name: str) -> bool:
    made = assignments(source, name)
    if made:
        return any(is_scheduler_call(assigned_value(each)) for each in made)
    last = name.rpartition(".")[2].lower()
    return "sched" in last or last in ("lr", "lr_sched", "warmup")


def made_optimizers(source: Source) -> dict[str, cst.SimpleStatementLine]:
    """By name, the last statement that makes each."""
    return dict(_made(source, lambda value: is_optimizer_call(source, value)))


def made_schedulers(source: Source) -> dict[str, cst.SimpleStatementLine]:
    return dict(_made(source, is_scheduler_call))


def _made(source: Source, is_made: object) -> Iterator[tuple[str, cst.SimpleStatementLine]]:
    assert callable(is_made)
    for statement in source.walk(cst.SimpleStatementLine):
        if len(statement.body) == 1 and isinstance(statement.body[0], cst.Assign):
            assign = statement.body[0]
            if len(assign.targets) == 1 and is_made(assign.value):
                yield source.code(assign.targets[0].target), statement
