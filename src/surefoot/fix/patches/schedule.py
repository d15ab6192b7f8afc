"""Learning-rate schedules: when they advance, and how long they are."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Loop, Source, Statement
from surefoot.fix.code.training import (
    argument,
    assigned_value,
    assignments,
    called,
    calls,
    is_scheduler,
    made_optimizers,
    made_schedulers,
    receiver,
    statement_calls,
    steps,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

PER_STEP = ("OneCycleLR", "LinearLR", "CyclicLR", "LambdaLR", "ConstantLR")
LENGTHS = ("T_max", "total_steps", "epochs", "total_iters", "step_size", "T_0")


def _advances(source: Source, within: cst.CSTNode | None = None) -> list[cst.SimpleStatementLine]:
    """Statements that advance a schedule."""
    return [
        statement
        for statement in statement_calls(source, "step", within=within)
        if isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.Call)
        and (holder := receiver(statement.body[0].value)) is not None
        and is_scheduler(source, source.code(holder))
    ]


def _pass_of(source: Source, statement: Statement) -> Loop | None:
    """The loop over batches, if there is one over epochs around it."""
    loops = source.loops_of(statement)
    return loops[-2] if len(loops) > 1 else None


@patch_for("epoch-schedule-stepped-per-batch", "learning-rate-rises-again", anywhere=True)
def advance_per_epoch(source: Source, finding: Finding) -> Proposals:
    for advance in _advances(source):
        batches = _pass_of(source, advance)
        if batches is not None:
            yield "advance the schedule after each epoch", Edit(source).move_after(advance, batches)
            continue
        function = source.function_of(advance)
        if not isinstance(function, cst.FunctionDef):
            continue
        for call in calls(source, function.name.value):
            statement = source.statement_of(call)
            if statement is not None and source.loop_of(statement) is not None:
                code = source.code(advance.body[0])
                edit = Edit(source).remove(advance).insert_after(statement, code)
                yield "advance the schedule after each epoch", edit


@patch_for("schedule-counts-micro-batches", "scheduler-before-optimizer", anywhere=True)
def advance_after_step(source: Source, finding: Finding) -> Proposals:
    for advance in _advances(source):
        block = source.siblings(advance)
        for later in block[block.index(advance) + 1 :]:
            if isinstance(later, cst.For | cst.While) and steps(source, later):
                yield "advance the schedule after the pass over the data", Edit(source).move_after(advance, later)
        function = source.function_of(advance)
        for step in sorted(steps(source), key=lambda each: source.function_of(each) is not function):
            last = _last_of_update(source, step)
            yield "advance the schedule after each step of the optimizer", Edit(source).move_after(advance, last)


def _last_of_update(source: Source, step: Statement) -> Statement:
    """The step, or the scaler's update or the clearing right behind it."""
    block = source.siblings(step)
    last = step
    for statement in block[block.index(step) + 1 :]:
        if source.code(statement).partition("(")[0].rpartition(".")[2] not in ("update", "zero_grad"):
            break
        last = statement
    return last


@patch_for("schedule-never-stepped", anywhere=True, is_choice=True)
def advance(source: Source, finding: Finding) -> Proposals:
    for name, made in made_schedulers(source).items():
        value = assigned_value(made)
        assert isinstance(value, cst.Call)
        code = f"{name}.step()"
        each_step: list[tuple[str, Edit]] = []
        each_epoch: list[tuple[str, Edit]] = []
        for step in steps(source):
            edit = Edit(source).insert_after(_last_of_update(source, step), code)
            each_step.append(("advance the schedule after each step: its lengths count steps", edit))
            batches = _pass_of(source, step)
            if batches is not None:
                edit = Edit(source).insert_after(batches, code)
                each_epoch.append(("advance the schedule after each epoch: its lengths count epochs", edit))
        first, second = (each_step, each_epoch) if called(value) in PER_STEP else (each_epoch, each_step)
        yield from [*first, *second]


@patch_for("schedule-never-finishes", "learning-rate-rises-again", anywhere=True, is_choice=True)
def fit_length(source: Source, finding: Finding) -> Proposals:
    for name, made in made_schedulers(source).items():
        value = assigned_value(made)
        assert isinstance(value, cst.Call)
        for keyword in LENGTHS:
            length = argument(value, keyword, 1 if keyword == "T_max" else None)
            if length is None:
                continue
            for wanted in _lengths(source, name, length.value):
                if wanted != source.code(length.value):
                    edit = Edit(source).replace(length.value, wanted)
                    yield f"let the schedule last {wanted} advances: {keyword}={wanted}", edit
        if finding.rule == "schedule-never-finishes":
            for advanced in _advances(source):
                for step in steps(source):
                    if source.loop_of(step) is not source.loop_of(advanced):
                        edit = Edit(source).move_after(advanced, _last_of_update(source, step))
                        yield "advance the schedule after each step: its length counts steps", edit


def _lengths(source: Source, name: str, given: cst.BaseExpression) -> Iterator[str]:
    """How often the schedule is advanced, as the loops around its `step()` say."""
    for advanced in _advances(source):
        if not source.code(advanced).startswith(f"{name}."):
            continue
        counts = [count for loop in source.loops_of(advanced) if (count := _turns(source, loop))]
        if len(counts) == 1:
            yield counts[0]
        elif len(counts) > 1:
            yield counts[-1]
            yield " * ".join(reversed(counts))
    if isinstance(given, cst.BinaryOperation):
        yield source.code(given.left)
        yield source.code(given.right)


def _turns(source: Source, loop: Loop) -> str:
    if not isinstance(loop, cst.For):
        return ""
    turns = loop.iter
    if isinstance(turns, cst.Call) and called(turns) == "enumerate":
        turns = turns.args[0].value
    if isinstance(turns, cst.Call) and called(turns) in ("range", "trange") and len(turns.args) == 1:
        return source.code(turns.args[0].value)
    return f"len({source.code(turns)})" if isinstance(turns, cst.Name | cst.Attribute) else ""


@patch_for("plateau-metric-reversed", anywhere=True)
def turn_plateau(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "ReduceLROnPlateau"):
        mode = argument(call, "mode", 1)
        if mode is None:
            edit = Edit(source).replace(call, with_argument(source.code(call), 'mode="max"'))
            yield 'tell the schedule that larger is better: mode="max"', edit
        else:
            other = "min" if "max" in source.code(mode.value) else "max"
            better = "smaller" if other == "min" else "larger"
            edit = Edit(source).replace(mode.value, f'"{other}"')
            yield f'tell the schedule that {better} is better: mode="{other}"', edit


@patch_for("scheduler-drives-other-optimizer", anywhere=True)
def drive_stepping_optimizer(source: Source, finding: Finding) -> Proposals:
    for made in made_schedulers(source).values():
        value = assigned_value(made)
        assert isinstance(value, cst.Call)
        driven = argument(value, "optimizer", 0)
        if driven is None:
            continue
        for again in assignments(source, source.code(driven.value)):
            if source.line(again) > source.line(made) and source.parent(again) is source.parent(made):
                yield "make the schedule for the optimizer that steps", Edit(source).move_after(made, again)
        for other in made_optimizers(source):
            if other != source.code(driven.value):
                yield f"drive the optimizer that steps, {other}", Edit(source).replace(driven.value, other)
    yield from _use_returned(source)


def _use_returned(source: Source) -> Proposals:
    """`_, scheduler = configure(model)`, and another optimizer made beside it."""
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if not (isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Tuple)):
            continue
        target = small.targets[0].target
        for element in target.elements:
            if source.code(element.value) != "_":
                continue
            for name, made in made_optimizers(source).items():
                if source.parent(made) is source.parent(statement):
                    edit = Edit(source).replace(element.value, name).remove(made)
                    yield "train with the optimizer that the schedule drives", edit
