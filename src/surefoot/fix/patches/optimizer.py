"""Optimizers: which parameters they hold, when they are made, their rates."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import (
    argument,
    assigned_value,
    assignments,
    called,
    calls,
    dotted,
    made_optimizers,
    receiver,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding


@patch_for("parameters-not-in-optimizer", "optimizer-holds-stale-parameters", "parameter-replaced", anywhere=True)
def make_optimizer_later(source: Source, finding: Finding) -> Proposals:
    """The model changed after the optimizer was made."""
    for optimizer, made in made_optimizers(source).items():
        value = assigned_value(made)
        assert isinstance(value, cst.Call)
        for model in models_of(source, value):
            for change in _changes(source, model, made):
                fresh = source.code(change.body[0]) if isinstance(change, cst.SimpleStatementLine) else ""
                name = fresh.partition(" = ")[0]
                call = source.code(value)
                if "deepcopy(" in fresh and name != model:
                    call = re.sub(rf"\b{re.escape(model)}\b", name, call)
                code = f"{optimizer} = {call}"
                same_block = source.parent(change) is source.parent(made)
                if same_block and call == source.code(value):
                    yield "make the optimizer after the model is complete", Edit(source).move_after(made, change)
                elif same_block:
                    edit = Edit(source).remove(made).insert_after(change, code)
                    yield "make the optimizer for the model that is trained", edit
                yield "make the optimizer anew when the model has changed", Edit(source).insert_after(change, code)


def models_of(source: Source, made: cst.Call) -> list[str]:
    """`model` in `SGD(model.parameters(), …)`."""
    holders = [receiver(call) for call in calls(source, "parameters", "named_parameters", within=made)]
    return list(dict.fromkeys(name for holder in holders if holder is not None and (name := dotted(holder))))


def _changes(source: Source, model: str, made: Statement) -> Iterator[Statement]:
    """Statements that replace the model or a part of it, or call a method of it that may."""
    seen = []
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if statement is made:
            continue
        if isinstance(small, cst.Assign):
            target = source.code(small.targets[0].target)
            is_part = target.startswith((f"{model}.", f"{model}[")) and not target.endswith((".grad", ".requires_grad"))
            is_copy = source.code(small.value).startswith(("copy.deepcopy(", "deepcopy(")) and model in source.code(
                small
            )
            if is_part or is_copy or target == model:
                seen.append(statement)
        elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
            holder = receiver(small.value)
            if holder is not None and source.code(holder) == model and called(small.value) not in _HARMLESS:
                seen.append(statement)
    yield from sorted(seen, key=lambda each: source.line(each) < source.line(made))


_HARMLESS = frozenset(
    {"train", "eval", "zero_grad", "load_state_dict", "to", "cuda", "apply", "requires_grad_", "step"}
)


@patch_for("parameter-replaced")
def copy_into_parameter(source: Source, finding: Finding) -> Proposals:
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if not (isinstance(small, cst.Assign) and isinstance(small.value, cst.Call)):
            continue
        target = source.code(small.targets[0].target)
        in_init = (
            isinstance(function := source.function_of(statement), cst.FunctionDef) and function.name.value == "__init__"
        )
        if called(small.value) == "Parameter" and small.value.args and not in_init and "." in target:
            code = f"with torch.no_grad():\n    {target}.copy_({source.code(small.value.args[0].value)})\n"
            yield "write into the parameter, which the optimizer knows", Edit(source).replace_statement(statement, code)


@patch_for("optimizer-recreated")
def make_optimizer_once(source: Source, finding: Finding) -> Proposals:
    made = source.statement_at(finding.line)
    loops = source.loops_of(made) if made is not None else []
    if made is None or not loops or not isinstance(made.body[0], cst.Assign):
        return
    for loop in reversed(loops):
        rate = argument(made.body[0].value, "lr") if isinstance(made.body[0].value, cst.Call) else None
        name = source.code(made.body[0].targets[0].target)
        moved = assignments(source, source.code(rate.value)) if rate is not None else []
        changes = rate is not None and re.search(
            rf"^\s*{re.escape(source.code(rate.value))} [*/+-]?=", source.code(loop), re.MULTILINE
        )
        if changes and rate is not None:
            lr = source.code(rate.value)
            code = f'for group in {name}.param_groups:\n    group["lr"] = {lr}\n'
            edit = Edit(source).insert_before(loop, source.code(made.body[0])).replace_statement(made, code)
            if moved:
                yield "make the optimizer once, and set its rate in the loop", edit
        yield "make the optimizer once, before the loop", Edit(source).move_before(made, loop)
