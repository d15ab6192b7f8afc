"""Whether the user's source has a branch in which a copy would be moved: it may not have been due yet."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from surefoot.watch.source import parse

MOVES = re.compile(
    r"sync|target|targ|tgt|soft|hard|ema|momentum|averag|polyak|shadow|swa|update_parameters|copy_|lerp_|mul_|add_",
    re.IGNORECASE,
)
LOOKS = frozenset({
    "forward", "eval", "train", "parameters", "named_parameters", "buffers", "modules", "state_dict", "to",
    "requires_grad_",
})  # fmt: skip


def may_be_moved(name: str, files: Iterable[str]) -> bool:
    return any(_moves(call, name) for file in files for call in _calls_in_branches(parse(file)))


def _calls_in_branches(tree: ast.Module | None) -> Iterator[ast.Call]:
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.If) and not _is_main(node):
            for part in (*node.body, *node.orelse):
                yield from (child for child in ast.walk(part) if isinstance(child, ast.Call))


def _is_main(node: ast.If) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))


def _moves(call: ast.Call, name: str) -> bool:
    """What is called, and on what, says so; calling the copy itself moves nothing."""
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if function == "load_state_dict":  # into what it is called on
        return isinstance(call.func, ast.Attribute) and name in ast.unparse(call.func.value)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    names = [part.id if isinstance(part, ast.Name) else part.attr for part in _dotted(owner)]
    return function not in LOOKS and function != name and MOVES.search(" ".join([function, *names])) is not None


def _dotted(node: ast.AST | None) -> list[ast.Name | ast.Attribute]:
    """The parts of `a.b.c`; nothing of what is no such name."""
    match node:
        case ast.Name():
            return [node]
        case ast.Attribute(value=inner) if found := _dotted(inner):
            return [*found, node]
    return []
