"""Samples of a batch that are mixed."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import argument, calls, receiver
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

LAYERS = (
    "LSTM", "GRU", "RNN", "MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer",
)  # fmt: skip
FIRST_TWO = 2


@patch_for("samples-mixed-in-batch", anywhere=True)
def keep_samples_apart(source: Source, finding: Finding) -> Proposals:
    if "is viewed as" in finding.message:
        yield from _swap_before_view(source)
        return
    for call in calls(source, *LAYERS):
        flag = argument(call, "batch_first")
        if flag is None:
            edit = Edit(source).replace(call, with_argument(source.code(call), "batch_first=True"))
        else:
            edit = Edit(source).replace(flag.value, "True")
        yield "tell the layer that batches come first", edit


def _swap_before_view(source: Source) -> Proposals:
    meaning = "swap the first two dimensions with transpose; a view leaves values where they are"
    for call in calls(source, "view", "reshape"):
        holder = receiver(call)
        if holder is None or source.code(holder) == "torch":
            continue
        swapped = f"{source.code(holder)}.transpose(0, 1)"
        sizes = [arg.value for arg in call.args]
        if len(sizes) > FIRST_TWO and not any(_is_rest(size) for size in sizes):
            yield meaning, Edit(source).replace(call, swapped)
        made = call.with_changes(func=cst.parse_expression(f"{swapped}.reshape"))
        yield meaning, Edit(source).substitute(call, made)


def _is_rest(size: cst.BaseExpression) -> bool:
    return isinstance(size, cst.UnaryOperation) and isinstance(size.operator, cst.Minus)
