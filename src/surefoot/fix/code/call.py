"""Arguments of calls, added and left out."""

from __future__ import annotations

import libcst as cst

from surefoot.fix.code.edit import Edit


def with_argument(call: str, argument_code: str) -> str:
    """`DataLoader(x)` with one more argument; a trailing comma stays one."""
    head = call.rstrip().removesuffix(")").rstrip()
    if head.endswith("("):
        return f"{head}{argument_code})"
    if head.endswith(","):
        return f"{head} {argument_code})"
    return f"{head}, {argument_code})"


def without_argument(edit: Edit, call: cst.Call, keyword: str) -> Edit:
    kept = [arg for arg in call.args if arg.keyword is None or arg.keyword.value != keyword]
    if len(kept) < len(call.args):
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        edit.substitute(call, call.with_changes(args=kept))
    return edit
