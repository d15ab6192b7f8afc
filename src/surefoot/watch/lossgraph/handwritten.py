"""Find in the source the line that computed a loss, when torch's loss functions did not.

A hand-written loss leaves no call to watch. What is known is the line of its backward; from there the name is
followed to its assignment, through functions of the same file, as far as that is plain to see.
"""

import ast
from collections.abc import Iterator

from surefoot.facts import Site
from surefoot.watch.lossgraph.expression import (
    Expression,
    Function,
    Scope,
    assigned,
    computed,
    is_parameter,
    name_of,
    parameters_of,
    summands,
)
from surefoot.watch.source import parse


def loss_site(backward: Site) -> Site:
    """The line that computed what `backward` backwards; the line of the backward itself if it can't be told."""
    tree = parse(backward.file)
    loss = _backwarded(tree, backward) if tree is not None else None
    if tree is None or loss is None:
        return backward
    return _site(backward.file, computed(tree, loss))


def term_sites(backward: Site) -> list[Site]:
    """The lines of the losses that are added up in what `backward` backwards, from left to right."""
    tree = parse(backward.file)
    loss = _backwarded(tree, backward) if tree is not None else None
    if tree is None or loss is None:
        return []
    return [_site(backward.file, computed(tree, term)) for term in summands(tree, loss)]


def _site(file: str, found: Expression) -> Site:
    name = found.scope.name if not isinstance(found.scope, ast.Module) else "<module>"
    return Site(file, found.value.lineno, name)


# --- from the line of the backward to the expression of the loss


def _backwarded(tree: ast.Module, backward: Site) -> Expression | None:
    """What is backwarded, looked up in the callers for as long as it is a parameter of a function."""
    found: Expression | None = None
    for file, line in (backward.place, *backward.callers):
        if file != backward.file:
            break
        scope = _scope_of(tree, line)
        value = _receiver(scope, line) if found is None else _argument(scope, line, *_parameter(found))
        if value is None:
            break
        found = Expression(value, scope, line)
        found = assigned(tree, found) or found
        if not is_parameter(found):
            break
    return found


def _scope_of(tree: ast.Module, line: int) -> Scope:
    """The innermost function around a line."""
    best: Scope = tree
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or node.lineno):
            inner = isinstance(best, ast.Module) or node.lineno >= best.lineno
            best = node if inner else best
    return best


def _calls_at(scope: Scope, line: int) -> Iterator[ast.Call]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


def _receiver(scope: Scope, line: int) -> ast.expr | None:
    """What the call of backward on this line is applied to."""
    calls = [call for call in _calls_at(scope, line) if "backward" in name_of(call)]
    if not calls:
        return None
    call = min(calls, key=lambda c: (c.end_lineno or 0) - c.lineno)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "backward" and not _is_library(call.func.value, call):
        return call.func.value
    return call.args[0] if call.args else None


def _is_library(owner: ast.expr, call: ast.Call) -> bool:
    """`accelerator.backward(loss)`, `torch.autograd.backward(loss)`: the loss is an argument."""
    if not call.args or isinstance(call.args[0], ast.Constant):
        return False
    return isinstance(owner, ast.Attribute | ast.Name) and "loss" not in ast.unparse(owner).lower()


def _parameter(found: Expression) -> tuple[int, str, str]:
    assert isinstance(found.value, ast.Name) and isinstance(found.scope, Function)
    return parameters_of(found.scope).index(found.value.id), found.value.id, found.scope.name


def _argument(scope: Scope, line: int, parameter: int, name: str, callee: str) -> ast.expr | None:
    for call in _calls_at(scope, line):
        if name_of(call) != callee:
            continue
        if parameter < len(call.args):
            return call.args[parameter]
        return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    return None
