"""The line at which a gradient is cut off, and whether the program can choose not to."""

from __future__ import annotations

import ast

from surefoot.facts import Site
from surefoot.watch.graph.flow import Cut
from surefoot.watch.graph.source import Scope, parents, scope_at, statement_at, switches_grad_off


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
    inline = any(isinstance(node, ast.IfExp) for node in ast.walk(statement))
    return cut.site, inline or _is_a_choice(scope, statement)


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


def _is_a_choice(scope: Scope, statement: ast.stmt) -> bool:
    """Whether a branch around the statement is about this cut, and not about training as such."""
    return any(
        isinstance(node, (ast.If, ast.Match, ast.IfExp)) and not _is_about_training(node)
        for node in parents(scope, statement)
    )


def _is_about_training(node: ast.AST) -> bool:
    test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
    if "train" in test or "__name__" in test:
        return True
    return any(isinstance(child, ast.Attribute) and child.attr == "backward" for child in ast.walk(node))
