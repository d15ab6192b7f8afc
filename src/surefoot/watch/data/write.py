"""The line of a method that writes to an object in place, read off its source."""

from __future__ import annotations

import ast
from functools import lru_cache

from surefoot.watch.source import parse


@lru_cache(maxsize=16)
def first_write(file: str, line: int) -> int | None:
    """In the function defined at that line: `x += …`, `x[…] = …`, `x.add_(…)` or `out=x`.

    None if nothing of the kind is written there, as where a transform of another class does it.
    """
    tree = parse(file)
    for node in [] if tree is None else ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.lineno == line:
            arguments = {one.arg for one in node.args.args}
            written = [
                one for one in ast.walk(node) if isinstance(one, ast.stmt | ast.expr) and _writes(one, arguments)
            ]
            return min((one.lineno for one in written), default=None)
    return None


def _writes(node: ast.AST, arguments: set[str]) -> bool:
    match node:
        case ast.AugAssign(target=ast.Name(id=name)) if name in arguments:  # an index is moved
            return False
        case ast.AugAssign(value=ast.Constant(value=1)):  # something is counted
            return False
        case ast.AugAssign():
            return True
        case ast.Assign():  # to entries by their names, where a sample is put together
            targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
            return any(not isinstance(target.slice, ast.Constant | ast.JoinedStr) for target in targets)
        case ast.Call(func=ast.Attribute(attr=method)) if method.endswith("_") and not method.startswith("_"):
            return True
        case ast.Call():
            return any(keyword.arg == "out" for keyword in node.keywords)
    return False
