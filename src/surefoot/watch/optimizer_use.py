"""What the source does with an optimizer that never stepped, and with the gradients it was to apply."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from surefoot.facts import Site
from surefoot.watch.source import parse

_HOOKS = frozenset(
    ("register_hook", "register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook",
     "register_post_accumulate_grad_hook", "register_multi_grad_hook")
)  # fmt: skip
_CLEARING = frozenset(("zero_", "detach_", "requires_grad_"))


def reads_gradients(files: Iterable[str]) -> bool:
    """Whether a line reads some `.grad` or hooks into backward: then backward may serve something else than steps."""
    trees = [tree for file in files if (tree := parse(file)) is not None]
    return any(_reads(tree) for tree in trees)


def step_call(files: Iterable[str], made: Site | None) -> Site | None:
    """The first call of `step()` on the optimizer that was made at this line, or by a scaler on its behalf."""
    for file, tree in _trees(files):
        names = _names_of(tree, made) if made is not None and made.file == file else set()
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="step"), args=args):
                    given = {_last_name(arg) for arg in args}
                    if names & {_last_name(owner), *given} or "optim" in _last_name(owner).lower():
                        return Site(file, node.lineno)
    return None


def _trees(files: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    for file in files:
        if (tree := parse(file)) is not None:
            yield file, tree


def _names_of(tree: ast.AST, made: Site) -> set[str]:
    """The names that the optimizer got in the statement that made it."""
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and node.lineno <= made.line <= (node.end_lineno or node.lineno)
        for target in node.targets
        for part in ast.walk(target)
        if (name := _last_name(part)) and name != "self"
    }


def _reads(tree: ast.Module) -> bool:
    around = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=attr) if attr in _HOOKS:
                return True
            case ast.Attribute(value=owner, attr="grad", ctx=ast.Load()):
                if _last_name(owner) != "autograd" and not _only_clears(around.get(id(node)), around):
                    return True
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value="grad"), *_]):
                return True
    return False


def _only_clears(use: ast.AST | None, around: dict[int, ast.AST]) -> bool:
    """`p.grad.zero_()`, `p.grad.data.zero_()`, `p.grad is not None`."""
    match use:
        case ast.Attribute(attr="data"):
            return _only_clears(around.get(id(use)), around)
        case ast.Attribute(attr=attr):
            return attr in _CLEARING
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case _:
            return False


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
