"""Losses: what they are given."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import (
    argument,
    assigned_value,
    assignments,
    called,
    calls,
    receiver,
)
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

SQUASHED = ("clamp", "clip", "clamp_")  # what people put behind probabilities
LOGS = {"softmax": "log_softmax", "Softmax": "LogSoftmax"}


@patch_for("softmax-before-cross-entropy", anywhere=True)
def drop_softmax(source: Source, finding: Finding) -> Proposals:
    yield from _drop_activation(source, "softmax", "Softmax", "give cross-entropy the logits: it has its own softmax")
    yield from _drop_activation(
        source, "log_softmax", "LogSoftmax", "give cross-entropy the logits: it has its own softmax"
    )


@patch_for("sigmoid-before-bce-with-logits", anywhere=True)
def drop_sigmoid(source: Source, finding: Finding) -> Proposals:
    yield from _drop_activation(source, "sigmoid", "Sigmoid", "give the loss the logits: it has its own sigmoid")


@patch_for("relu-before-loss", anywhere=True)
def drop_relu(source: Source, finding: Finding) -> Proposals:
    yield from _drop_activation(source, "relu", "ReLU", "let scores be negative: no ReLU behind the last layer")


def _drop_activation(source: Source, function: str, module: str, meaning: str) -> Proposals:
    """Each place where it is applied last, likely ones first: behind a Sequential, then in calls, last ones first."""
    for call in calls(source, "Sequential"):
        if call.args and isinstance(call.args[-1].value, cst.Call) and called(call.args[-1].value) == module:
            kept = list(call.args[:-1])
            if kept:
                kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
                yield meaning, Edit(source).substitute(call, call.with_changes(args=kept))
    own = list(_attributes_made_by(source, module))
    for call in reversed(source.walk(cst.Call)):
        inner = _applied_to(source, call, function, module, own)
        if inner is None or (source.loop_of(call) is not None and function == "relu"):
            continue
        whole = _with_squash(source, call)
        yield meaning, Edit(source).replace(whole, source.code(inner))


def _attributes_made_by(source: Source, module: str) -> Iterator[str]:
    for statement in source.walk(cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign) and isinstance(small.value, cst.Call) and called(small.value) == module:
                yield source.code(small.targets[0].target)


def _applied_to(
    source: Source, call: cst.Call, function: str, module: str, own: list[str]
) -> cst.BaseExpression | None:
    """`x` in `softmax(x)`, `x.softmax(1)`, `self.softmax(x)` and `nn.Softmax(dim=1)(x)`."""
    if called(call) == function:
        holder = receiver(call)
        is_function = holder is None or source.code(holder) in ("F", "torch", "nn.functional", "torch.nn.functional")
        if is_function:
            return call.args[0].value if call.args else None
        if source.code(call.func) in own:
            return call.args[0].value if call.args else None
        return holder
    if source.code(call.func) in own or (isinstance(call.func, cst.Call) and called(call.func) == module):
        return call.args[0].value if call.args else None
    return None


def _with_squash(source: Source, call: cst.Call) -> cst.BaseExpression:
    """With the clamp behind it, which is for probabilities."""
    above = list(source.above(call))[:2]
    if len(above) == 2 and isinstance(above[1], cst.Call) and called(above[1]) in SQUASHED:
        return above[1]
    return call


@patch_for("logits-into-nll-loss", "kl-input-not-log", anywhere=True)
def take_log_softmax(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, *LOGS):
        if finding.rule == "kl-input-not-log" and not _is_first_of_loss(source, call):
            continue
        func = call.func
        name = LOGS[called(call)]
        made: cst.BaseExpression = cst.Name(name)
        if isinstance(func, cst.Attribute):
            made = func.with_changes(attr=cst.Name(name))
        yield "take log-probabilities: log_softmax", Edit(source).substitute(call, call.with_changes(func=made))
    statement = source.statement_at(finding.line) if str(source.file) == finding.file else None
    if statement is None:
        return
    for call in source.walk(cst.Call, statement):
        names = ("nll_loss", "NLLLoss", *_names_of(source, "NLLLoss"))
        if finding.rule == "logits-into-nll-loss" and source.code(call.func).rpartition(".")[2] in names:
            value = call.args[0].value
            edit = Edit(source).replace(value, f"{_bracketed(source, value)}.log_softmax(dim=1)")
            yield "take log-probabilities: log_softmax", edit


def _is_first_of_loss(source: Source, call: cst.Call) -> bool:
    parent = source.parent(call)
    outer = source.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(outer, cst.Call) and outer.args[0] is parent


def _names_of(source: Source, module: str) -> list[str]:
    return [name.rpartition(".")[2] for name in _attributes_made_by(source, module)]


def _bracketed(source: Source, node: cst.BaseExpression) -> str:
    code = source.code(node)
    return code if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) else f"({code})"


@patch_for("softmax-over-batch", anywhere=True)
def softmax_over_classes(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "softmax", "log_softmax", "Softmax", "LogSoftmax"):
        position = {"softmax": 1, "log_softmax": 1}.get(called(call), 0)
        if called(call) in ("softmax", "log_softmax") and len(call.args) == 1:
            position = 0
        dim = argument(call, "dim", position)
        if dim is not None and source.code(dim.value) != "-1":
            yield "take the softmax over the classes, the last dimension", Edit(source).replace(dim.value, "-1")


@patch_for("loss-shape-broadcast")
def same_shape(source: Source, finding: Finding) -> Proposals:
    statement = source.statement_at(finding.line)
    if statement is None:
        return
    pairs = [
        (call.args[0].value, call.args[1].value) for call in source.walk(cst.Call, statement) if len(call.args) > 1
    ]
    pairs += [(each.left, each.right) for each in source.walk(cst.BinaryOperation, statement)]
    for prediction, target in pairs:
        for each in (prediction, target):
            edit = Edit(source).replace(each, f"{_bracketed(source, each)}.squeeze(-1)")
            yield "give prediction and target one shape", edit
    for made in _stacked(source, statement):
        yield "give prediction and target one shape", Edit(source).replace(made, f"{source.code(made)}.squeeze(-1)")


def _stacked(source: Source, statement: cst.SimpleStatementLine) -> Iterator[cst.BaseExpression]:
    """`torch.stack(…)` behind the names of this statement."""
    for name in source.walk(cst.Name, statement):
        for made in assignments(source, name.value):
            value = assigned_value(made)
            if isinstance(value, cst.Call) and called(value) in ("stack", "cat"):
                yield value


@patch_for("class-index-regression", "single-class-cross-entropy")
def loss_for_classes(source: Source, finding: Finding) -> Proposals:
    is_single = finding.rule == "single-class-cross-entropy"
    wanted = (
        ("binary_cross_entropy_with_logits", "BCEWithLogitsLoss")
        if is_single
        else ("cross_entropy", "CrossEntropyLoss")
    )
    meaning = f"use {wanted[1]}, which is for {'one output' if is_single else 'class indices'}"
    statement = source.statement_at(finding.line)
    if statement is None:
        return
    for call in source.walk(cst.Call, statement):
        if len(call.args) < 2:
            continue
        for forms in _target_forms(source, call, is_single):
            edit = Edit(source).replace(call.args[1].value, forms)
            if isinstance(call.func, cst.Attribute) and called(call).endswith(("_loss", "cross_entropy")):
                edit.substitute(call.func.attr, cst.Name(wanted[0]))
                yield meaning, edit
            for made in assignments(source, source.code(call.func)):
                value = assigned_value(made)
                if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
                    yield meaning, edit.substitute(value.func.attr, cst.Name(wanted[1]))


def _target_forms(source: Source, call: cst.Call, is_single: bool) -> Iterator[str]:
    target: cst.BaseExpression = call.args[1].value
    code = _bracketed(source, target)
    if is_single:
        yield f"{code}.float().view(-1, 1)"
        yield f"{code}.float()"
        yield code
        return
    made = assignments(source, code)
    yield from [_innermost(source, assigned_value(each)) for each in made] or [_innermost(source, target)]


def _innermost(source: Source, node: cst.BaseExpression) -> str:
    """`y` in `y.float().unsqueeze(1).expand_as(scores)`."""
    while isinstance(node, cst.Call) and (holder := receiver(node)) is not None:
        if called(node) not in ("float", "unsqueeze", "expand", "expand_as", "view", "repeat", "reshape", "to", "type"):
            break
        node = holder
    return source.code(node)
