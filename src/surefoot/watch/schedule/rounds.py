"""How many rounds a loop has, and the variables of a running frame, read without running any of the user's code."""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

_READS_LOCALS = frozenset(("locals", "vars", "dir", "eval", "exec", "f_locals"))
_RANGES = ("range", "trange")
_WRAPPERS = ("enumerate", "tqdm", "reversed", "sorted", "list", "iter", "track")
_SIZED = (range, list, tuple, dict, str)
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv
}  # fmt: skip


def value_of(frame: FrameType, name: str) -> Any:
    """A variable of a running frame, read without leaving a trace there."""
    if frame.f_code.co_name == "<module>":
        return frame.f_globals.get(name)
    if sys.version_info >= (3, 13):
        return frame.f_locals.get(name)
    # Before 3.13 `f_locals` is a dict that the frame keeps, and that the program gets from `locals()`.
    if not _READS_LOCALS.isdisjoint(frame.f_code.co_names) or sys.gettrace() is not None:
        return None
    snapshot = frame.f_locals
    value = snapshot.get(name)
    snapshot.clear()
    return value


def num_rounds(over: ast.expr, frame: FrameType) -> int | None:
    """The length of what a `for` loop goes over: a range of plain numbers, or something that knows its length."""
    if isinstance(over, ast.Call) and over.args:
        name = over.func.attr if isinstance(over.func, ast.Attribute) else getattr(over.func, "id", "")
        if name in _RANGES:
            numbers = [_resolve(argument, frame) for argument in over.args]
            whole = [number for number in numbers if isinstance(number, int)]
            known = len(whole) == len(numbers) <= 3 and (len(whole) < 3 or whole[2] != 0)
            return len(range(*whole)) if known else None
        return num_rounds(over.args[0], frame) if name in _WRAPPERS else None
    if isinstance(over, ast.List | ast.Tuple):
        return len(over.elts)
    value = _resolve(over, frame)
    return len(value) if type(value) in _SIZED else None


def _resolve(node: ast.expr, frame: FrameType) -> Any:
    """The value of a constant, a variable, an attribute that is stored as such, or plain arithmetic of these."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        value = value_of(frame, node.id)
        return frame.f_globals.get(node.id) if value is None else value
    if isinstance(node, ast.Attribute):
        held = getattr(_resolve(node.value, frame), "__dict__", {})
        return held.get(node.attr) if isinstance(held, dict) else None
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _resolve(node.left, frame), _resolve(node.right, frame)
        if type(left) is int and type(right) is int and (right or not isinstance(node.op, ast.FloorDiv)):
            return _ARITHMETIC[type(node.op)](left, right)
    return None
