"""Mixed precision: scaled losses, scaled steps, half-precision weights."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import (
    backwards,
    call_in,
    called,
    calls,
    is_scaler,
    made_optimizers,
    own_statement,
    receiver,
    statement_calls,
    step_at,
    stepped,
    steps,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.fix.patches.clipping import CLIPS, scaled_steps
from surefoot.judge import Finding


@patch_for("loss-not-scaled")
def scale_loss(source: Source, finding: Finding) -> Proposals:
    for scaler in _scalers(source):
        edit = Edit(source)
        changed = False
        for statement in backwards(source):
            call = call_in(statement, "backward")
            loss = receiver(call) if call is not None else None
            if loss is None or "scale(" in source.code(loss):
                continue
            edit.replace(loss, f"{scaler}.scale({source.code(_unwrapped(loss))})")
            changed = True
        for unused in statement_calls(source, "scale"):
            if isinstance(unused.body[0], cst.Expr):
                edit.remove(unused)
        if changed:
            yield f"scale every loss by {scaler}", edit


def _unwrapped(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=(), rpar=()) if getattr(node, "lpar", ()) else node


def _scalers(source: Source) -> list[str]:
    found = []
    for call in calls(source, "step", "update", "unscale_"):
        holder = receiver(call)
        if holder is not None and is_scaler(source, holder):
            found.append(source.code(holder))
    return list(dict.fromkeys(found))


@patch_for("scaled-gradients-stepped")
def step_by_scaler(source: Source, finding: Finding) -> Proposals:
    found = step_at(source, finding.line)
    if found is None:
        return
    step, optimizer = found
    call = call_in(step, "step")
    assert call is not None
    scaling = [each for each in calls(source, "scale") if receiver(each) is not None]
    for scaler in dict.fromkeys(source.code(receiver(each)) for each in scaling):  # type: ignore[arg-type]
        edit = Edit(source).replace(call, f"{scaler}.step({optimizer})")
        updates = [each for each in calls(source, "update") if source.code(each.func) == f"{scaler}.update"]
        if not updates:
            edit.insert_after(step, f"{scaler}.update()")
        for early in updates:  # between two steps of one round
            own = own_statement(source, early)
            if own is not None and source.line(own) < source.line(step) and own in source.siblings(step):
                edit.move_after(own, step)
        yield f"step by {scaler}, which takes its scale off the gradients", edit


@patch_for("scaler-keeps-skipping")
def update_scaler(source: Source, finding: Finding) -> Proposals:
    for scaler, _ in scaled_steps(source, source.module.body[-1]):
        if any(source.code(each.func) == f"{scaler}.update" for each in calls(source, "update")):
            continue
        for step in steps(source):
            if source.code(step).startswith(f"{scaler}.step("):
                edit = Edit(source).insert_after(step, f"{scaler}.update()")
                yield f"call {scaler}.update() after the step", edit


@patch_for("fp16-without-scaler")
def add_scaler(source: Source, finding: Finding) -> Proposals:
    halves = [call for call in calls(source, "half") if receiver(call) is not None and not call.args]
    if halves:
        edit = Edit(source)
        for call in halves:
            holder = receiver(call)
            assert holder is not None
            edit.replace(call, source.code(holder))
        yield "keep weights and data in float32", edit
        return
    found = step_at(source, finding.line)
    near = found[0] if found is not None else source.statement_at(finding.line)
    if near is None:
        return
    for step in steps(source, source.function_of(near)):
        step_call = call_in(step, "step")
        assert step_call is not None
        optimizer = stepped(source, step_call)
        made = made_optimizers(source).get(optimizer)
        if made is None:
            continue
        owner, _, _ = optimizer.rpartition(".")
        scaler = f"{owner}.scaler" if owner else "scaler"
        yield "scale the loss with a GradScaler", _with_scaler(source, made, step, step_call, optimizer, scaler)


def _with_scaler(source: Source, made: Statement, step: Statement, call: cst.Call, optimizer: str, scaler: str) -> Edit:
    edit = Edit(source).insert_after(made, f'{scaler} = torch.amp.GradScaler("{_device(source)}")')
    edit.replace(call, f"{scaler}.step({optimizer})").insert_after(step, f"{scaler}.update()")
    function = source.function_of(step)
    for backward in backwards(source, function):
        loss = receiver(call_in(backward, "backward"))  # type: ignore[arg-type]
        if loss is not None:
            edit.replace(loss, f"{scaler}.scale({source.code(_unwrapped(loss))})")
    for clip in statement_calls(source, *CLIPS, within=function):
        edit.insert_before(clip, f"{scaler}.unscale_({optimizer})")
    return edit


def _device(source: Source) -> str:
    for call in calls(source, "autocast"):
        if call.args and isinstance(call.args[0].value, cst.SimpleString):
            return str(call.args[0].value.evaluated_value)
    return "cuda"


@patch_for("backward-under-autocast")
def backward_after_autocast(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    block = source.enclosing(statement, cst.With) if statement is not None else None
    if statement is None or block is None or not isinstance(block.body, cst.IndentedBlock):
        return
    inside = [each for each in block.body.body if isinstance(each, cst.SimpleStatementLine)]
    if statement not in inside:
        return
    edit = Edit(source)
    for each in inside[inside.index(statement) :]:  # what follows backward need not be inside either
        edit.move_after(each, block)
    yield "run backward after the autocast block", edit


@patch_for("lost-half-precision-updates")
def keep_float32(source: Source, finding: Finding) -> Proposals:
    edit = Edit(source)
    casts = 0
    for call in calls(source, "bfloat16", "half", "to"):
        holder = receiver(call)
        args = "".join(source.code(arg) for arg in call.args)
        is_half = called(call) != "to" and not args
        if holder is not None and (is_half or args.removeprefix("dtype=") in ("torch.bfloat16", "torch.float16")):
            edit.replace(call, source.code(holder))
            casts += 1
    if casts:
        yield "keep weights and data in float32; autocast is for half precision", edit
