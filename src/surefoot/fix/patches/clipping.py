"""Clipping and gradient scaling: what happens between backward and step, and in which order."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import (
    assigned_value,
    assignments,
    backwards,
    call_in,
    called,
    calls,
    is_scaler,
    made_optimizers,
    receiver,
    statement_calls,
    steps,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grads_with_norm_")


@patch_for("clip-after-step", "clip-per-micro-batch")
def clip_before_step(source: Source, finding: Finding) -> Proposals:
    clip = source.statement_at(finding.line)
    if clip is None:
        return
    function = source.function_of(clip)
    ranked = sorted(
        steps(source), key=lambda step: (source.function_of(step) is not function, abs(_gap(source, step, clip)))
    )
    for step in ranked:
        yield "clip just before the step", Edit(source).move_before(clip, step)


def _gap(source: Source, one: Statement, other: Statement) -> int:
    return source.line(one) - source.line(other)


@patch_for("clip-before-unscale")
def unscale_before_clip(source: Source, finding: Finding) -> Proposals:
    clip = source.statement_at(finding.line)
    if clip is None:
        return
    for late in statement_calls(source, "unscale_", within=source.function_of(clip)):
        if source.line(late) > source.line(clip):
            yield "unscale before clipping", Edit(source).move_before(late, clip)
    for scaler, optimizer in scaled_steps(source, clip):
        unscale = f"{scaler}.unscale_({optimizer})"
        yield "unscale before clipping", Edit(source).insert_before(clip, unscale)


def scaled_steps(source: Source, place: Statement) -> Iterator[tuple[str, str]]:
    """Scaler and optimizer of every `scaler.step(optimizer)`, those of the same function first."""
    function = source.function_of(place)
    found = [call for call in calls(source, "step") if call.args and _is_by_scaler(source, call)]
    for call in sorted(found, key=lambda each: source.function_of(each) is not function):
        holder = receiver(call)
        assert holder is not None
        yield source.code(holder), source.code(call.args[0].value)


def _is_by_scaler(source: Source, step: cst.Call) -> bool:
    holder = receiver(step)
    return holder is not None and is_scaler(source, holder)


@patch_for("clip-without-gradients")
def clip_what_has_gradients(source: Source, finding: Finding) -> Proposals:
    clip = source.statement_at(finding.line)
    call = call_in(clip, *CLIPS) if clip is not None else None
    if clip is None or call is None or not call.args:
        return
    params = call.args[0].value
    for made in assignments(source, source.code(params)):
        value = assigned_value(made)
        if isinstance(value, cst.Call) and called(value) in ("parameters", "filter"):
            edit = Edit(source).replace(value, f"list({source.code(value)})")
            yield "keep the parameters in a list: a generator can be read only once", edit
    block = source.siblings(clip)
    after = [each for each in block[block.index(clip) + 1 :] if each in backwards(source)]
    if after:
        yield "clip after backward", Edit(source).move_after(clip, after[-1])
    for statement in made_optimizers(source).values():
        value = assigned_value(statement)
        assert isinstance(value, cst.Call)
        if value.args and source.code(value.args[0].value) != source.code(params):
            edit = Edit(source).replace(params, source.code(value.args[0].value))
            yield "clip the parameters that the optimizer steps", edit
