"""Masks that come too late: the loss is one number already."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.call import with_argument
from surefoot.fix.code.edit import Edit
from surefoot.fix.code.source import Source
from surefoot.fix.code.training import argument, called
from surefoot.fix.patcher import Proposals, patch_for
from surefoot.judge import Finding

FUNCTIONS = ("_loss", "cross_entropy", "_with_logits", "kl_div")


@patch_for("mask-after-reduction", anywhere=True)
def mask_each_element(source: Source, finding: Finding) -> Proposals:
    for call in source.walk(cst.Call):
        name = called(call)
        if not (name.endswith(FUNCTIONS) and len(call.args) > 1) and not name.endswith("Loss"):
            continue
        flag = argument(call, "reduction")
        if flag is None:
            edit = Edit(source).replace(call, with_argument(source.code(call), 'reduction="none"'))
        else:
            edit = Edit(source).replace(flag.value, '"none"')
        yield "keep the loss of each element until the mask is multiplied in", edit
    statement = source.statement_at(finding.line) if str(source.file) == finding.file else None
    for call in [] if statement is None else source.walk(cst.Call, statement):
        if called(call) in ("sum", "mean") and argument(call, "dim", 1 if _is_function(source, call) else 0) is None:
            edit = Edit(source).replace(call, with_argument(source.code(call), "dim=-1"))
            yield "reduce the last dimension only, and mask what is left", edit


def _is_function(source: Source, call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and source.code(call.func.value) == "torch"
