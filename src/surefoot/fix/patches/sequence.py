"""Sequences: padding, shifted labels, causal masks."""

from __future__ import annotations

import re

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source, Statement
from surefoot.fix.code.training import argument, called, calls, receiver
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

REPLACED = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign)


@patch_for("padding-in-loss", anywhere=True)
def ignore_padding(source: Source, finding: Finding) -> Proposals:
    said = re.search(r"target of padded positions is (-?\d+)", finding.message)
    padding = [
        source.code(arg.value) for call in calls(source, "Embedding") if (arg := argument(call, "padding_idx", 2))
    ]
    for index in dict.fromkeys([*padding, *([said[1]] if said else [])]):
        for call in calls(source, "cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss"):
            given = argument(call, "ignore_index")
            if given is not None:
                yield "leave padding out of the loss", Edit(source).replace(given.value, index)
            else:
                edit = Edit(source).replace(call, with_argument(source.code(call), f"ignore_index={index}"))
                yield "leave padding out of the loss", edit


@patch_for("padding-mask-inverted", anywhere=True)
def invert_mask(source: Source, finding: Finding) -> Proposals:
    for call in source.walk(cst.Call):
        for name in ("src_key_padding_mask", "key_padding_mask", "tgt_key_padding_mask", "attn_mask"):
            mask = argument(call, name)
            if mask is None:
                continue
            value = mask.value
            code = source.code(value)
            if isinstance(value, cst.Comparison) and len(value.comparisons) == 1 and ("!=" in code or "==" in code):
                turned = code.replace("!=", "==") if "!=" in code else code.replace("==", "!=")
            elif code.startswith("~"):
                turned = code[1:]
            else:
                turned = f"~{code}" if isinstance(value, cst.Name | cst.Attribute | cst.Call) else f"~({code})"
            yield "mark what is padding, as torch wants it", Edit(source).replace(value, turned)


@patch_for("padding-row-overwritten", anywhere=True)
def zero_padding_row(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "Embedding"):
        index = argument(call, "padding_idx", 2)
        statement = source.statement_of(call)
        if index is None or not isinstance(statement, cst.SimpleStatementLine):
            continue
        small = statement.body[0]
        if not isinstance(small, cst.Assign):
            continue
        name = source.code(small.targets[0].target)
        code = f"with torch.no_grad():\n    {name}.weight[{source.code(index.value)}].zero_()\n"
        for place in _initialisations(source):
            if source.line(place) > source.line(statement):
                yield "set the row of padding to zero again", Edit(source).insert_after(place, code)


def _initialisations(source: Source) -> list[Statement]:
    """Statements that initialise: the loop around them, or the call of a function that does."""
    found: list[Statement] = []
    for call in source.walk(cst.Call):
        if re.search(r"init\.\w+_$|\.(normal_|uniform_|apply)$", source.code(call.func)):
            loops = source.loops_of(call)
            statement = loops[-1] if loops else source.statement_of(call)
            if statement is not None:
                found.append(statement)
    return found


@patch_for("labels-not-shifted", "labels-shifted-twice", anywhere=True)
def shift_labels_once(source: Source, finding: Finding) -> Proposals:
    if finding.rule == "labels-shifted-twice":
        yield from _drop_shift(source)
        return
    for call in calls(source, "cross_entropy", "nll_loss", *_losses(source)):
        if len(call.args) < 2:
            continue
        target = call.args[1].value
        text = _base(target)
        if not text:
            continue
        statement = source.statement_of(call)
        edit = Edit(source)
        _slice(source, edit, target, text, "[:, 1:]")
        fed = [
            use
            for use in source.walk(cst.Name, source.function_of(call))
            if use.value == text
            and isinstance(source.parent(use), cst.Arg)
            and source.statement_of(use) is not statement
        ]
        for use in fed[-1:]:
            edit.replace(use, f"{text}[:, :-1]")
            yield "predict the next token: feed all but the last, compare with all but the first", edit
        scores = _base(call.args[0].value)
        if scores:
            cut = Edit(source)
            _slice(source, cut, target, text, "[:, 1:]")
            _slice(source, cut, call.args[0].value, scores, "[:, :-1]")
            yield "compare each prediction with the next token", cut


def _losses(source: Source) -> list[str]:
    return [
        source.code(small.targets[0].target).rpartition(".")[2]
        for statement in source.walk(cst.SimpleStatementLine)
        if isinstance(small := statement.body[0], cst.Assign) and "CrossEntropyLoss(" in source.code(small.value)
    ]


def _base(node: cst.BaseExpression) -> str:
    """`ids` in `ids.reshape(-1)`."""
    while isinstance(node, cst.Call) and (holder := receiver(node)) is not None:
        node = holder
    return node.value if isinstance(node, cst.Name) else ""


def _slice(source: Source, edit: Edit, within: cst.BaseExpression, name: str, part: str) -> None:
    for use in source.walk(cst.Name, within):
        if use.value == name:
            edit.replace(use, f"{name}{part}")
            return


def _drop_shift(source: Source) -> Proposals:
    """Each call with two slices that shift: the first that is dropped with its partner."""
    shifts = [
        each for each in source.walk(cst.Subscript) if re.search(r"\[(:, |\.\.\., )?(1:|:-1)\]$", source.code(each))
    ]
    for statement in dict.fromkeys(source.statement_of(each) for each in reversed(shifts)):
        inside = [each for each in shifts if source.statement_of(each) is statement]
        if len(inside) > 1:
            edit = Edit(source)
            for each in inside:
                edit.replace(each, source.code(each.value))
            yield "shift the labels once: the model does it itself", edit


@patch_for("missing-causal-mask", anywhere=True)
def causal_mask(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "scaled_dot_product_attention"):
        if argument(call, "is_causal") is None:
            yield (
                "hide the future: is_causal=True",
                Edit(source).replace(call, with_argument(source.code(call), "is_causal=True")),
            )
    encoders = _attention_names(source, "TransformerEncoderLayer", "TransformerEncoder")
    for call in source.walk(cst.Call):
        name = source.code(call.func)
        if name not in encoders or not call.args:
            continue
        fed = source.code(call.args[0].value)
        mask = f"torch.nn.Transformer.generate_square_subsequent_mask(({fed}).size(1))"
        keyword = "src_mask" if encoders[name] == "TransformerEncoderLayer" else "mask"
        code = with_argument(source.code(call), f"{keyword}={mask}, is_causal=True")
        yield "hide the future with a causal mask", Edit(source).replace(call, code)
    attentions = _attention_names(source, "MultiheadAttention")
    for call in source.walk(cst.Call):
        if source.code(call.func) in attentions and call.args and argument(call, "attn_mask") is None:
            fed = source.code(call.args[0].value)
            mask = f"torch.nn.Transformer.generate_square_subsequent_mask(({fed}).size(1))"
            yield (
                "hide the future with a causal mask",
                Edit(source).replace(call, with_argument(source.code(call), f"attn_mask={mask}, is_causal=True")),
            )


def _attention_names(source: Source, *classes: str) -> dict[str, str]:
    """By the name of a module, its class."""
    found = {}
    for statement in source.walk(cst.SimpleStatementLine):
        small = statement.body[0]
        if isinstance(small, cst.Assign) and isinstance(small.value, cst.Call) and called(small.value) in classes:
            found[source.code(small.targets[0].target)] = called(small.value)
    return found
