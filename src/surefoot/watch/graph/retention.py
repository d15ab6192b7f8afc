"""Find the statement that keeps a loss together with its graph: `total += loss`, `losses.append(loss)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from surefoot.facts import Site
from surefoot.watch.graph.scope import (
    Scope,
    called,
    dotted,
    names,
    parents,
    scope_at,
    statements,
    statements_at,
    switches_grad_off,
)
from surefoot.watch.source import parse

_DETACHING_CALLS = frozenset(
    ("item", "detach", "tolist", "numpy", "float", "int", "bool", "str", "repr", "len", "size", "dim", "numel",
     "isfinite", "isnan", "print", "format")
)  # fmt: skip
_DETACHING_ATTRIBUTES = frozenset(("data", "shape", "dtype", "device", "grad", "requires_grad"))
_COLLECTING_CALLS = frozenset(["append", "appendleft", "extend", "insert", "add", "put", "push"])
_TAKING_CALLS = frozenset(["pop", "popleft", "popitem", "remove"])
_BACKWARD_CALLS = frozenset(["backward", "manual_backward", "scale_loss"])
_ALIASES = 3  # rounds of following `b = a`


def find_retention(backward: Site, *, whole: bool) -> tuple[Site | None, bool]:
    """The keeping statement, and whether another one takes out of the same container again.

    It is looked for around the backward and then in its callers. `whole` is whether the losses themselves are kept; if
    not, it is something that they were computed from.
    """
    tainted = _losses_at(backward.file, backward.line)
    for depth, (file, line) in enumerate((backward.place, *backward.callers)):
        scope = scope_at(file, line)
        if scope is None:
            continue
        if depth:
            tainted = _results_of(scope, line)
        wanted = _follow(scope, tainted) if whole else _ingredients(scope, tainted)
        own = statements_at(scope, line) if depth else []
        keeper = _keeper_in(scope, wanted, own)
        for inner, given in [] if keeper is not None else _called_with(file, scope, wanted):
            keeper = _keeper_in(inner, _follow(inner, given), [])
            if keeper is not None and _container(keeper).partition(".")[0] not in _made_in(inner):
                scope = inner
                break
            keeper = None  # it collects what it returns
        if keeper is not None:
            found = Site(file, keeper.lineno, getattr(scope, "name", ""))
            return found, _is_emptied(scope, _container(keeper))
    return None, False


def _keeper_in(scope: Scope, wanted: set[str], own: list[ast.stmt]) -> ast.stmt | None:
    ranked = [
        (rank, statement.lineno, statement)
        for statement in statements(scope)
        if (rank := _rank(statement, wanted, own)) and not _under_no_grad(scope, statement)
    ]
    return min(ranked, key=lambda found: found[:2])[2] if ranked else None


def _called_with(file: str, scope: Scope, tainted: set[str]) -> Iterator[tuple[Scope, set[str]]]:
    """Functions of the file that are called with tainted arguments, and the names that those have inside."""
    functions = {f.name: f for f in statements(parse(file) or scope) if isinstance(f, ast.FunctionDef)}
    calls = (node for statement in statements(scope) for node in ast.walk(statement) if isinstance(node, ast.Call))
    for call in calls:
        function = functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if function is None or function is scope:
            continue
        params = [a.arg for a in function.args.args]
        given = {param for param, arg in zip(params, call.args, strict=False) if carries(arg, tainted)}
        given |= {k.arg for k in call.keywords if k.arg is not None and carries(k.value, tainted)}
        if given:
            yield function, given


def _made_in(scope: Scope) -> set[str]:
    return {name for s in statements(scope) if isinstance(s, (ast.Assign, ast.AnnAssign)) for name in _targets(s)}


def _container(keeper: ast.stmt) -> str:
    match keeper:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=value))):
            return dotted(value)
        case _:
            return next(iter(_targets(keeper)), "")


def _is_emptied(scope: ast.AST, container: str) -> bool:
    """Whether old items are taken out one by one, or only the last few are kept."""
    for statement in statements(scope):
        match statement:
            case ast.Delete(targets=targets):
                if any(isinstance(t, ast.Subscript) and dotted(t) == container for t in targets):
                    return True
            case ast.Assign(value=ast.Subscript(slice=ast.Slice()) as value):
                if container in _targets(statement) and dotted(value) == container:
                    return True
        taken = [node for node in ast.walk(statement) if called(node) in _TAKING_CALLS]
        if any(
            isinstance(c, ast.Call) and isinstance(c.func, ast.Attribute) and dotted(c.func.value) == container
            for c in taken
        ):
            return True
    return False


def _losses_at(file: str, line: int) -> set[str]:
    """The names that a backward call on this line works on."""
    scope = scope_at(file, line)
    around = [] if scope is None else statements_at(scope, line)
    found: set[str] = set()
    for call in (node for statement in around for node in ast.walk(statement)):
        if isinstance(call, ast.Call) and called(call) in _BACKWARD_CALLS:
            given = [*call.args, *(k.value for k in call.keywords)]
            if isinstance(call.func, ast.Attribute) and called(call) == "backward":
                given.append(call.func.value)
            found |= {name for part in given for name in names(part)}
    return found


def _results_of(scope: Scope, line: int) -> set[str]:
    """The names to which the statement at this line assigns what the call on it returned."""
    around = [s for s in statements_at(scope, line) if isinstance(s, (ast.Assign, ast.AnnAssign))]
    return {name for statement in around for name in _targets(statement)}


def _targets(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            targets = [target]
        case _:
            return set()
    parts = [part for t in targets for part in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
    return {name for part in parts if (name := dotted(part))}


def _follow(scope: ast.AST, tainted: set[str]) -> set[str]:
    """Also the names that are computed from these without being detached."""
    tainted = set(tainted)
    for _ in range(_ALIASES):
        for statement in statements(scope):
            if isinstance(statement, ast.Assign) and carries(statement.value, tainted):
                tainted |= _targets(statement)
            elif isinstance(statement, ast.For) and carries(statement.iter, tainted):
                tainted |= names(statement.target)
    return tainted


def _ingredients(scope: ast.AST, tainted: set[str]) -> set[str]:
    """The names of this scope from which the losses are computed by calls, themselves not among them."""
    found: set[str] = set()
    wanted = set(tainted)
    for statement in reversed(list(statements(scope))):
        if isinstance(statement, ast.Assign) and _targets(statement) & wanted:
            wanted |= names(statement.value)
            if _targets(statement).isdisjoint(tainted) and _is_called(statement.value):
                found |= _targets(statement)
    return found


def _is_called(value: ast.expr) -> bool:
    """A call, also where it is weighted, or one of several."""
    match value:
        case ast.Tuple(elts=parts):
            return any(_is_called(part) for part in parts)
        case ast.BinOp(left=left, right=right):
            return _is_called(left) or _is_called(right)
        case _:
            return isinstance(value, ast.Call)


def carries(node: ast.AST, tainted: set[str]) -> bool:
    """Whether an expression's value holds on to the graph of one of these names."""
    match node:
        case ast.Call():
            if called(node) in _DETACHING_CALLS:
                return False
            inner = [*node.args, *(k.value for k in node.keywords)]
            inner += [node.func.value] if isinstance(node.func, ast.Attribute) else []
        case ast.Attribute(attr=attr) if attr in _DETACHING_ATTRIBUTES:
            return False
        case ast.Attribute() | ast.Name():
            whole = dotted(node)
            if whole in tainted or any(name.startswith(f"{whole}.") for name in tainted if whole != "self"):
                return True
            return isinstance(node, ast.Attribute) and carries(node.value, tainted)
        case ast.Compare() | ast.JoinedStr() | ast.Lambda() | ast.Constant():
            return False
        case _:
            return any(carries(child, tainted) for child in ast.iter_child_nodes(node))
    return any(carries(child, tainted) for child in inner)


def _rank(statement: ast.stmt, tainted: set[str], own: list[ast.stmt]) -> int:
    """How surely a statement collects a tainted value: 1 surely, 2 or 3 perhaps, 0 not. `own` hold the call itself."""
    match statement:
        case ast.AugAssign(value=value):
            return 1 if carries(value, tainted) or (statement in own and not _detaches(value)) else 0
        case ast.Assign(targets=[target], value=value):
            grows = dotted(target) in names(value) and isinstance(value, (ast.BinOp, ast.List, ast.Tuple))
            if grows and carries(value, tainted - {dotted(target)}):
                return 1
            if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant):
                return 1 if carries(value, tainted) or (statement in own and not _detaches(value)) else 0
            return 1 if statement in own and isinstance(value, (ast.ListComp, ast.GeneratorExp)) else 0
        case ast.Expr(value=ast.Call() as call):
            if called(call) in _BACKWARD_CALLS or not isinstance(call.func, ast.Attribute):
                return 0
            given = [*call.args, *(k.value for k in call.keywords)]
            returned = statement in own and not all(_detaches(part) for part in given)
            if not returned and not any(carries(part, tainted) for part in given):
                return 0
            if called(call) in _COLLECTING_CALLS:
                return 1
            if statement in own:
                return 0
            return 2 if any(_is_bare(part, tainted) for part in given) else 3  # `meter.update((y - x).abs().mean())`
        case _:
            return 0


def _detaches(node: ast.AST) -> bool:
    return called(node) in _DETACHING_CALLS or (isinstance(node, ast.Attribute) and node.attr in _DETACHING_ATTRIBUTES)


def _is_bare(node: ast.AST, tainted: set[str]) -> bool:
    return dotted(node) in tainted and not isinstance(node, ast.Subscript)


def _under_no_grad(scope: ast.AST, statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.With) and any(switches_grad_off(item.context_expr) for item in node.items)
        for node in parents(scope, statement)
    )
