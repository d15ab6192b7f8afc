"""The user's source, read and parsed in this one place, and lines in it that leave no trace at run time."""

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import FunctionType

from surefoot.facts import Site


def text_of(file: str) -> str:
    """What a file or a notebook cell says; "" if it can't be had."""
    return "".join(linecache.getlines(file))


@lru_cache(maxsize=64)
def parse(file: str) -> ast.Module | None:
    """The syntax of a file, if it can be had."""
    try:
        return ast.parse(text) if (text := text_of(file)) else None
    except (SyntaxError, ValueError):  # a notebook cell with magics, a file that is no Python
        return None


def assignments(node: ast.AST, attribute: str) -> Iterator[tuple[ast.Attribute, int]]:
    """Targets `<anything>.attribute` of assignments and `setattr` calls below a node, with their lines."""
    for child in ast.walk(node):
        if isinstance(child, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in (part for t in targets for part in ast.walk(t)):
                if isinstance(target, ast.Attribute) and target.attr == attribute:
                    yield target, child.lineno
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "setattr":
            match child.args:
                case [owner, ast.Constant(value=name), _] if name == attribute:
                    yield ast.Attribute(owner, attribute), child.lineno


def find_assignment(
    files: Iterable[str], attribute: str, accept: Callable[[ast.Attribute], bool] = lambda target: True
) -> Site | None:
    """The first line in these files that assigns to an attribute of that name."""
    for file in files:
        tree = parse(file)
        lines = [] if tree is None else [line for t, line in assignments(tree, attribute) if accept(t)]
        if lines:
            return Site(file, min(lines))
    return None


def find_in_class(cls: type, attribute: str) -> Site | None:
    """The first line in a class, or one it derives from, that assigns to `self.attribute`."""
    for kind in cls.__mro__:
        for file in files_of(kind):
            tree = parse(file)
            for node in [] if tree is None else ast.walk(tree):
                if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                    lines = [line for _, line in assignments(node, attribute)]
                    if lines:
                        return Site(file, min(lines))
    return None


def files_of(cls: type) -> list[str]:
    """Where the methods of a class were written."""
    codes = [method.__code__ for method in vars(cls).values() if isinstance(method, FunctionType)]
    return list(dict.fromkeys(code.co_filename for code in codes))


def find_freezing(files: Iterable[str]) -> Site | None:
    """The first line that sets `requires_grad` of something to other than True, or calls `requires_grad_` so."""
    for file in files:
        tree = parse(file)
        nodes = [] if tree is None else list(ast.walk(tree))
        lines = [n.lineno for n in nodes if isinstance(n, ast.Assign | ast.Call) and _freezes(n)]
        if lines:
            return Site(file, min(lines))
    return None


def _freezes(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=value):
            return not _is_true(value)
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[value]):
            return not _is_true(value)
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), keywords=[ast.keyword(value=value)]):
            return not _is_true(value)
        case _:
            return False


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def scope_lines(file: str, line: int) -> tuple[int, int]:
    """First and last line of the class or function at the top of a file in which a line lies; else the line itself."""
    tree = parse(file)
    for node in [] if tree is None else tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return node.lineno, node.end_lineno or line
    return line, line


def loop_around(site: Site) -> str:
    """The variables of the innermost `for` around a line or around the calls that led to it; "" if there is none."""
    for file, line in (site.place, *site.callers):
        tree = parse(file)
        loops = [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, ast.For) and _is_inside(line, n)]
        if loops:
            return ast.unparse(max(loops, key=lambda loop: loop.lineno).target)
    return ""


def _is_inside(line: int, loop: ast.For) -> bool:
    return loop.body[0].lineno <= line <= (loop.body[-1].end_lineno or 0)
