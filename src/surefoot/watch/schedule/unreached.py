"""Calls of `step()` in a branch that asks for nothing but a counter of the loop around it."""

from __future__ import annotations

import ast


def asks_counters(tests: tuple[ast.AST, ...], loops: tuple[ast.AST, ...]) -> bool:
    """Whether every test compares a counter of these loops, by `==`, with a number: a moment, not a setting."""
    counters = {name for loop in loops for name in _counters(loop)}
    return bool(tests) and all(_is_moment(test, counters) for test in tests)


def is_impossible(tests: tuple[ast.AST, ...], loops: tuple[ast.AST, ...]) -> bool:
    """Whether one of them is `i == len(loader)` inside `for i, … in enumerate(loader)`, which counts from 0."""
    return any(_equals_length(test, loop) for test in tests for loop in loops if isinstance(loop, ast.For))


def _counters(loop: ast.AST) -> set[str]:
    """What the loop itself sets, or adds one to."""
    targets = [loop.target] if isinstance(loop, ast.For | ast.AsyncFor) else []
    sums = [node for node in ast.walk(loop) if isinstance(node, ast.AugAssign)]
    added = [node.target for node in sums if isinstance(node.value, ast.Constant) and node.value.value == 1]
    return {node.id for target in (*targets, *added) for node in ast.walk(target) if isinstance(node, ast.Name)}


def _is_moment(test: ast.AST, counters: set[str]) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        about = all(isinstance(part, ast.Compare) and _mentions(part, counters) for part in test.values)
        return about and any(_is_moment(part, counters) for part in test.values)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    return _mentions(test, counters)


def _mentions(test: ast.AST, counters: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in counters for node in ast.walk(test))


def _equals_length(test: ast.AST, loop: ast.For) -> bool:
    match loop:
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=counter), *_]), iter=ast.Call(args=[over]) as call):
            pass
        case _:
            return False
    if not isinstance(call.func, ast.Name) or call.func.id != "enumerate" or call.keywords:
        return False
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    wanted = {f"{counter} == len({ast.unparse(over)})", f"len({ast.unparse(over)}) == {counter}"}
    return any(ast.unparse(part) in wanted for part in parts)
