"""The user's source as a syntax tree: the scope around a line, its statements, the names in them."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from surefoot.facts import Site
from surefoot.watch.source import parse

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_NO_VALUES = frozenset(("self", "cls", "torch", "nn", "F", "np", "numpy", "math"))


def scope_at(file: str, line: int) -> Scope | None:
    """The innermost function around a line, or the module."""
    found: Scope | None = parse(file)
    for node in ast.walk(found) if found is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _covers(node, line):
            found = node  # ast.walk goes outside in
    return found


def statements(scope: ast.AST) -> Iterator[ast.stmt]:
    """All statements of a scope, in order, without those of functions and classes inside it."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, _SCOPES):
            yield from statements(child)


def statements_at(scope: Scope, line: int) -> list[ast.stmt]:
    """The innermost statements that cover a line: several where semicolons part them."""
    around = [statement for statement in statements(scope) if _covers(statement, line)]
    outer = {id(node) for inner in around for node in around if node is not inner and inner in ast.walk(node)}
    return [statement for statement in around if id(statement) not in outer]


def statement_at(scope: Scope, line: int) -> ast.stmt | None:
    """The first of these."""
    return next(iter(statements_at(scope, line)), None)


def parents(scope: ast.AST, target: ast.AST) -> list[ast.AST]:
    """The nodes around `target`, outermost first, `scope` among them."""
    for child in ast.iter_child_nodes(scope):
        if child is target:
            return [scope]
        inner = parents(child, target)
        if inner:
            return [scope, *inner]
    return []


def dotted(node: ast.AST) -> str:
    """`self.total` of an attribute or a name; of a subscript, that of what is subscripted; "" of anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            inner = dotted(value)
            return f"{inner}.{attr}" if inner else ""
        case ast.Subscript(value=value):
            return dotted(value)
        case _:
            return ""


def names(node: ast.AST) -> set[str]:
    """The names in an expression, dotted ones as a whole, without those of functions that are called."""
    whole = dotted(node)
    if whole:
        inner = [node.slice] if isinstance(node, ast.Subscript) else []
        return {whole}.union(*(names(child) for child in inner)) - _NO_VALUES
    if isinstance(node, ast.Call):
        given = [*node.args, *(k.value for k in node.keywords)]
        given += [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return set[str]().union(*(names(child) for child in given))
    return set[str]().union(*(names(child) for child in ast.iter_child_nodes(node)))


def loaded(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement reads, dotted ones also as a whole."""
    inside = (node for node in ast.walk(statement) if isinstance(node, (ast.Name, ast.Attribute)))
    return frozenset(dotted(node) for node in inside if isinstance(node.ctx, ast.Load)) - _NO_VALUES


def called(node: ast.AST) -> str:
    """The last part of what a call calls: `append` of `self.losses.append(x)`; "" if it is no call."""
    if not isinstance(node, ast.Call):
        return ""
    match node.func:
        case ast.Attribute(attr=attr):
            return attr
        case ast.Name(id=name):
            return name
        case _:
            return ""


def switches_grad_off(node: ast.AST) -> bool:
    """Whether a context manager or decorator is `no_grad` or one of its kind."""
    words = {child.attr if isinstance(child, ast.Attribute) else child.id
             for child in ast.walk(node) if isinstance(child, (ast.Attribute, ast.Name))}  # fmt: skip
    return not words.isdisjoint(("no_grad", "inference_mode", "set_grad_enabled"))


def _covers(node: ast.stmt, line: int) -> bool:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return first <= line <= (node.end_lineno or node.lineno)


@lru_cache(maxsize=64)
def find_forward_calls(file: str) -> tuple[Site, ...]:
    """The calls of somebody's `forward` that stand outside classes of modules."""
    tree = parse(file)
    return () if tree is None else tuple(_forward_calls(tree, _module_classes(tree), file, ""))


def _module_classes(tree: ast.Module) -> set[str]:
    """The names of classes whose base is called some kind of Module, and of those derived from them."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = [dotted(base).rpartition(".")[2] for base in node.bases]
            if any(base.endswith("Module") or base in found for base in bases):
                found.add(node.name)
    return found


def _forward_calls(node: ast.AST, modules: set[str], file: str, function: str) -> Iterator[Site]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef) and child.name in modules:
            continue
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr == "forward":
            yield Site(file, child.lineno, function)
        inner = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        yield from _forward_calls(child, modules, file, inner)


def backward_line(file: str, line: int) -> int:
    """The line of the only `return` of the function at a line; of the function itself if it has several."""
    scope = scope_at(file, line)
    if scope is None or isinstance(scope, ast.Module):
        return line
    returns = [statement for statement in statements(scope) if isinstance(statement, ast.Return)]
    return returns[0].lineno if len(returns) == 1 else scope.lineno
