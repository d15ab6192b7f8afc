"""Where in the source a value is computed: names followed to assignments, calls to what they return."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_MAX_HOPS = 6
_KEEPS_VALUE = {"scale", "float", "double", "clone", "squeeze", "contiguous", "requires_grad_", "to"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Function | ast.Module
Variable = ast.Name | ast.Attribute


@dataclass(frozen=True, slots=True)
class Expression:
    """A value, and where its names are to be looked up: in `scope`, above `line`."""

    value: ast.expr
    scope: Scope
    line: int
    element: int | None = None  # of the tuple that the value is


def name_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def parameters_of(scope: Scope) -> list[str]:
    if isinstance(scope, ast.Module):
        return []
    return [argument.arg for argument in scope.args.args if argument.arg not in ("self", "cls")]


def is_parameter(found: Expression) -> bool:
    return isinstance(found.value, ast.Name) and found.value.id in parameters_of(found.scope)


def computed(tree: ast.Module, found: Expression) -> Expression:
    """Follow variables to their assignments and calls of functions of the same file to what they return."""
    for _ in range(_MAX_HOPS):
        further = assigned(tree, found) or _returned(tree, found)
        if further is None:
            break
        found = further
    return found


def assigned(tree: ast.Module, found: Expression) -> Expression | None:
    """For a variable, possibly rescaled: what was assigned to it last. Further variables are followed too."""
    inner = _undressed(found.value)
    if isinstance(inner, ast.BinOp):
        inner = _weighted(inner, found)
    if not isinstance(inner, Variable):
        return None
    name = ast.unparse(inner)
    above = _above(found, name)
    if not above and isinstance(inner, ast.Attribute):  # set by another method
        above = [a for method in _functions(tree) for a in _assignments(method, name)]
    # What only rescales it, and the zero that a sum starts from, are not where it is computed.
    above = [a for a in above if not _only_rescales(a.value, name)]
    telling = [a for a in above if not isinstance(a.value, ast.Constant)] or above
    if not telling:
        return Expression(inner, found.scope, found.line) if inner is not found.value else None
    last = max(telling, key=lambda a: a.line)
    return assigned(tree, last) or last


def _above(found: Expression, name: str) -> list[Expression]:
    return [a for a in _assignments(found.scope, name) if a.line < found.line]


def _weighted(product: ast.BinOp, found: Expression) -> ast.expr:
    """`term` of `weight * term` where only the term was computed by a call; else the product itself."""
    sides = (product.left, product.right)
    if not isinstance(product.op, ast.Mult) or not all(isinstance(side, Variable | ast.Subscript) for side in sides):
        return product
    computed = [
        side
        for side in sides
        if isinstance(side, Variable) and any(_calls(a.value) for a in _above(found, ast.unparse(side)))
    ]
    return computed[0] if len(computed) == 1 else product


def _calls(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Call) for node in ast.walk(value))


def _statements(scope: Scope) -> Iterator[ast.AST]:
    """What the scope holds, without the functions inside it."""
    todo: list[ast.AST] = list(scope.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            todo += ast.iter_child_nodes(node)


@lru_cache(maxsize=1024)  # a program asks about the same few scopes at every step that is read in detail
def _assigning(scope: Scope) -> tuple[ast.Assign | ast.AnnAssign | ast.AugAssign, ...]:
    return tuple(node for node in _statements(scope) if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign))


@lru_cache(maxsize=64)
def _functions(tree: ast.Module) -> tuple[Function, ...]:
    return tuple(node for node in ast.walk(tree) if isinstance(node, Function))


@lru_cache(maxsize=64)
def _classes(tree: ast.Module) -> tuple[ast.ClassDef, ...]:
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _assignments(scope: Scope, name: str) -> Iterator[Expression]:
    for node in _assigning(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _assigned_by(target, node.value, scope, node.lineno, name)
        elif node.value is not None and not _multiplies(node):
            yield from _assigned_by(node.target, node.value, scope, node.lineno, name)


def _multiplies(node: ast.AnnAssign | ast.AugAssign) -> bool:
    return isinstance(node, ast.AugAssign) and not isinstance(node.op, ast.Add | ast.Sub)


def _assigned_by(target: ast.expr, value: ast.expr, scope: Scope, line: int, name: str) -> Iterator[Expression]:
    if isinstance(target, Variable) and ast.unparse(target) == name:
        yield Expression(value, scope, line)
    elif isinstance(target, ast.Tuple):
        for i, element in enumerate(target.elts):
            if isinstance(element, Variable) and ast.unparse(element) == name:
                yield _element(Expression(value, scope, line, element=i))


def _element(found: Expression) -> Expression:
    """The element itself, where the tuple is written out."""
    if found.element is None or not isinstance(found.value, ast.Tuple) or found.element >= len(found.value.elts):
        return found
    return Expression(found.value.elts[found.element], found.scope, found.line)


def _returned(tree: ast.Module, found: Expression) -> Expression | None:
    """For a call of something that this file defines: what it returns, if there is one return."""
    call = _factor(found.value)
    function = _callee(tree, call) if isinstance(call, ast.Call) else None
    if function is None:
        return None
    returns = [node for node in _statements(function) if isinstance(node, ast.Return) and node.value is not None]
    if len(returns) != 1 or returns[0].value is None:
        return None
    inner = _element(Expression(returns[0].value, function, returns[0].lineno, found.element))
    further = assigned(tree, inner) or inner
    return None if isinstance(further.value, ast.Name) else further


def _factor(value: ast.expr) -> ast.expr:
    """`term(x)` of `weight * term(x)`."""
    match value:
        case ast.BinOp(left=ast.Call() as call, op=ast.Mult() | ast.Div(), right=weight):
            pass
        case ast.BinOp(left=weight, op=ast.Mult(), right=ast.Call() as call):
            pass
        case _:
            return value
    return call if isinstance(weight, ast.Constant | Variable | ast.Subscript) else value


def _callee(tree: ast.Module, call: ast.Call) -> Function | None:
    """The only function of that name, or what is run when an object of the only class that it is made of is called."""
    functions = _functions(tree)
    named = [function for function in functions if function.name == name_of(call)]
    if named:
        return named[0] if len(named) == 1 else None
    made = [a.value for scope in (tree, *functions) for a in _assignments(scope, ast.unparse(call.func))]
    kinds = {name_of(value) if isinstance(value, ast.Call) else "" for value in made}
    classes = [node for node in _classes(tree) if {node.name} == kinds]
    methods = [
        m for kind in classes for m in kind.body if isinstance(m, Function) and m.name in ("forward", "__call__")
    ]
    return methods[0] if len(methods) == 1 else None


def _undressed(value: ast.expr) -> ast.expr:
    """Without what only scales or casts a loss: `loss / k`, `scaler.scale(loss)`, `loss.float()`."""
    while True:
        inner = _scaled(value) or _cast(value)
        if inner is None:
            return value
        value = inner


def _scaled(value: ast.expr) -> ast.expr | None:
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Div | ast.Mult):
        return None
    sides = (value.left, value.right)
    named = [side for side in sides if isinstance(side, Variable) and "loss" in ast.unparse(side).lower()]
    if len(named) == 1:
        return named[0]
    if isinstance(value.op, ast.Div) and isinstance(value.left, Variable):
        return value.left
    weights = [side for side in sides if isinstance(side, ast.Constant)]
    others = [side for side in sides if isinstance(side, Variable)]
    return others[0] if weights and others else None


def _cast(value: ast.expr) -> ast.expr | None:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if value.func.attr not in _KEEPS_VALUE:
        return None
    return value.args[0] if value.func.attr == "scale" and value.args else value.func.value


def _only_rescales(value: ast.expr, name: str) -> bool:
    inner = _undressed(value)
    return isinstance(inner, Variable) and ast.unparse(inner) == name


def summands(tree: ast.Module, found: Expression, hops: int = _MAX_HOPS) -> list[Expression]:
    """The expressions that are added or subtracted in it, numbers left out."""
    value = found.value
    if isinstance(value, ast.Constant):
        return []
    if isinstance(value, ast.UnaryOp):
        return summands(tree, Expression(value.operand, found.scope, found.line), hops)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        sides = (Expression(side, found.scope, found.line) for side in (value.left, value.right))
        return [term for side in sides for term in summands(tree, side, hops)]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div) and _is_sum(value.left):
        return summands(tree, Expression(value.left, found.scope, found.line), hops)
    further = (assigned(tree, found) or _returned(tree, found)) if hops else None
    return [found] if further is None else summands(tree, further, hops - 1)


def _is_sum(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub)
