"""The line at which a gradient is cut off, and whether the program can choose not to."""

from __future__ import annotations

import ast

from surefoot.facts import Site
from surefoot.watch.graph.outside import Cut
from surefoot.watch.graph.scope import (
    Scope,
    called,
    dotted,
    loaded,
    parents,
    scope_at,
    statement_at,
    switches_grad_off,
)

_ASKING_CALLS = frozenset(("isinstance", "is_tensor", "hasattr", "callable", "is_floating_point"))


def locate(cut: Cut) -> tuple[Site | None, bool]:
    """The line to name, and whether it stands in a branch."""
    if cut.site is None:
        return None, False
    if cut.kind == "no_grad":
        found = _grad_switched_off(cut.site)
        if found is not None:
            return found
    scope = scope_at(cut.site.file, cut.site.line)
    statement = None if scope is None else statement_at(scope, cut.site.line)
    if scope is None or statement is None:
        return cut.site, False
    used = loaded(statement)
    inline = any(isinstance(node, ast.IfExp) and not _asks_what_it_is(node.test, used) for node in ast.walk(statement))
    return cut.site, inline or _is_a_choice(scope, statement, used)


def _grad_switched_off(site: Site) -> tuple[Site, bool] | None:
    """The `with torch.no_grad():` or the decorator around a call, nearest first."""
    for file, line in (site.place, *site.callers):
        scope = scope_at(file, line)
        statement = None if scope is None else statement_at(scope, line)
        if scope is None or statement is None:
            continue
        name = getattr(scope, "name", "")
        for node in reversed([*parents(scope, statement), statement]):
            if isinstance(node, ast.With):
                for item in node.items:
                    if switches_grad_off(item.context_expr):
                        choice = _by_value(item.context_expr) or _is_a_choice(scope, node)
                        return Site(file, node.lineno, name), choice
        for decorator in getattr(scope, "decorator_list", []):
            if switches_grad_off(decorator):
                return Site(file, decorator.lineno, name), _by_value(decorator)
    return None


def _by_value(switch: ast.expr) -> bool:
    """Whether an argument decides, as in `set_grad_enabled(train_encoder)`."""
    return isinstance(switch, ast.Call) and any(not isinstance(arg, ast.Constant) for arg in switch.args)


def _is_a_choice(scope: Scope, statement: ast.stmt, used: frozenset[str] = frozenset()) -> bool:
    """Whether a branch around the statement is about this cut: not about training as such, nor about what is cut."""
    return any(
        isinstance(node, (ast.If, ast.Match))
        and not _is_about_training(node)
        and not (isinstance(node, ast.If) and _asks_what_it_is(node.test, used))
        for node in parents(scope, statement)
    )


def _asks_what_it_is(test: ast.expr, values: frozenset[str]) -> bool:
    """`isinstance(h, Tensor)`, `h is not None`: of a value that the statement uses. Nobody can choose that."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _asks_what_it_is(operand, values)
        case ast.BoolOp(values=parts):
            return all(_asks_what_it_is(part, values) for part in parts)
        case ast.Call(args=[value, *_]):
            return called(test) in _ASKING_CALLS and dotted(value) in values
        case ast.Compare(left=value, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return dotted(value) in values
        case _:
            return False


def _is_about_training(node: ast.AST) -> bool:
    test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    if "train" in test or "__name__" in test:
        return True
    return any(isinstance(child, ast.Attribute) and child.attr == "backward" for child in ast.walk(node))
