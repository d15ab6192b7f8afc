"""Batch-norm, and dropout that does not follow the mode."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import argument, called, calls, dotted, receiver
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.fix.patches.mode import training_loops
from surefoot.judge import Finding

NOT_FORWARDS = ("backward", "step", "zero_grad", "item", "append", "eval", "train", "parameters")
NOT_MODELS = ("torch", "F", "nn", "np", "len", "range", "zip", "enumerate", "float", "int", "sum", "print", "super")


@patch_for("dropout-active-in-eval", anywhere=True)
def dropout_by_mode(source: Source, finding: Finding) -> Proposals:
    edit = Edit(source)
    found = 0
    for call in calls(source, "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"):
        if source.enclosing(call, cst.ClassDef) is None or source.code(call.func).startswith("self."):
            continue
        training = argument(call, "training", 2)
        if training is None:
            edit.replace(call, with_argument(source.code(call), "training=self.training"))
        else:
            edit.replace(training.value, "self.training")
        found += 1
    for call in calls(source, "Dropout"):
        made_in = source.function_of(call)
        if isinstance(made_in, cst.FunctionDef) and made_in.name.value == "forward":
            yield "make the dropout layer once, in __init__, so that eval() reaches it", _made_once(source, call)
    for call in calls(source, "scaled_dot_product_attention"):
        rate = argument(call, "dropout_p", 4)
        if rate is not None and "training" not in source.code(rate.value):
            edit.replace(rate.value, f"{source.code(rate.value)} if self.training else 0.0")
            found += 1
    if found:
        yield "let dropout follow the module's mode: self.training", edit


def _made_once(source: Source, call: cst.Call) -> Edit:
    edit = Edit(source).replace(call, "self.dropout")
    holder = source.enclosing(call, cst.ClassDef)
    for function in source.walk(cst.FunctionDef, holder):
        if function.name.value == "__init__":
            edit.insert_last(function, f"self.dropout = {source.code(call)}")
    return edit


@patch_for("batchnorm-momentum-inverted", anywhere=True)
def momentum_of_torch(source: Source, finding: Finding) -> Proposals:
    edit = Edit(source)
    found = 0
    for call in source.walk(cst.Call):
        momentum = argument(call, "momentum")
        if called(call).startswith(("BatchNorm", "SyncBatchNorm", "InstanceNorm")) and momentum is not None:
            try:
                kept = float(source.code(momentum.value))
            except ValueError:
                edit.replace(momentum.value, f"1 - {source.code(momentum.value)}")
            else:
                edit.replace(momentum.value, f"{1 - kept:.4g}")
            found += 1
    if found:
        yield "give the weight of the new batch, as torch wants it, not that of the old statistics", edit


@patch_for("frozen-batchnorm-drifts", anywhere=True)
def frozen_in_eval_mode(source: Source, finding: Finding) -> Proposals:
    frozen = _frozen_modules(source)
    trains = [call for call in calls(source, "train") if not call.args and receiver(call) is not None]
    for part in frozen:
        for call in trains:
            statement = source.statement_of(call)
            if statement is not None:
                yield (
                    f"keep the frozen part in eval mode: {part}.eval()",
                    Edit(source).insert_after(statement, f"{part}.eval()"),
                )
        for loop in training_loops(source):
            yield (
                f"keep the frozen part in eval mode: {part}.eval()",
                Edit(source).insert_before(loop, f"{part}.eval()"),
            )


def _frozen_modules(source: Source) -> list[str]:
    """`backbone` in `backbone.requires_grad_(False)`, and in a loop that sets `requires_grad` of its parameters."""
    found = [receiver(call) for call in calls(source, "requires_grad_")]
    for loop in source.walk(cst.For):
        is_over_parameters = isinstance(loop.iter, cst.Call) and called(loop.iter) in ("parameters", "named_parameters")
        if is_over_parameters and "requires_grad" in source.code(loop):
            assert isinstance(loop.iter, cst.Call)
            found.append(receiver(loop.iter))
    return list(dict.fromkeys(name for each in found if each is not None and (name := dotted(each))))


@patch_for("averaged-model-stale-buffers", anywhere=True)
def average_buffers(source: Source, finding: Finding) -> Proposals:
    for call in calls(source, "AveragedModel"):
        if argument(call, "use_buffers") is None:
            edit = Edit(source).replace(call, with_argument(source.code(call), "use_buffers=True"))
            yield "average the buffers, too", edit
    for loop in source.walk(cst.For):
        pair = loop.iter
        if isinstance(pair, cst.Call) and called(pair) == "zip" and len(pair.args) == 2:
            sides = [source.code(arg.value) for arg in pair.args]
            if all(side.endswith(".parameters()") for side in sides):
                mine, live = (side.removesuffix(".parameters()") for side in sides)
                code = f"for mine, live in zip({mine}.buffers(), {live}.buffers()):\n    mine.copy_(live)\n"
                yield "copy the buffers, too", Edit(source).insert_after(loop, code)
