"""Whether the source holds a call that would advance a scheduler, in a branch that depends on something else."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from surefoot.facts import Site
from surefoot.watch.schedule.loop import exits
from surefoot.watch.schedule.unreached import asks_counters, is_impossible
from surefoot.watch.source import parse

_ANYTHING = ast.Name("left_early")
_KIND = frozenset(("isinstance", "hasattr", "type"))
_GUARDS = _KIND | {"self", "callable", "len", "str", "__class__", "__name__", "lower", "endswith", "startswith"}


@dataclass(frozen=True, slots=True)
class Branch:
    """A call that would advance a scheduler and depends on more than whether there is one."""

    site: Site
    asks_counters: bool  # of the loops around it, and nothing else
    is_impossible: bool  # no round of the loop fulfils it


def branches_of(made: Site | None) -> list[Branch]:
    """The calls of `step()`, on the scheduler made at this line, that stand in a branch."""
    if made is None:
        return []
    files = {made.file, *(file for file, _ in made.callers)}
    parsed = {file: tree for file in sorted(files) if (tree := parse(file)) is not None}
    trees = list(parsed.values())
    names = {name for tree in trees for name in _assigned(tree, made)}
    names |= _kinds(trees, names)
    return [branch for file, tree in parsed.items() for branch in _conditional(tree, file, names, (), ())]


def _assigned(tree: ast.AST, made: Site) -> Iterator[str]:
    """The names that the scheduler got in the statement that made it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.lineno <= made.line <= (node.end_lineno or node.lineno):
            for target in node.targets:
                yield from (name for name in map(_last_name, ast.walk(target)) if name)


def _kinds(trees: Iterable[ast.AST], names: set[str]) -> set[str]:
    """The names that hold nothing but the kind of the scheduler: `is_plateau = isinstance(scheduler, Plateau)`."""
    bound: Counter[str] = Counter()
    of_kind: Counter[str] = Counter()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.arg):
            bound[node.arg] += 1
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            bound[_last_name(node)] += 1
        elif isinstance(node, ast.Assign) and _asks_its_kind(node.value, names):
            of_kind.update(map(_last_name, node.targets))
    return {name for name, times in of_kind.items() if times == bound[name]}


def _asks_its_kind(test: ast.AST, names: set[str]) -> bool:
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call) and _last_name(node.func) in _KIND]
    asked = any(call.args and _is_scheduler(call.args[0], names) for call in calls)
    return asked and not _asks_something_else(test, names)


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_scheduler(node: ast.AST, names: set[str]) -> bool:
    name = _last_name(node)
    return name in names or "sched" in name.lower()


def _conditional(
    node: ast.AST, file: str, names: set[str], tests: tuple[ast.AST, ...], loops: tuple[ast.AST, ...]
) -> Iterator[Branch]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "step":
        others = tuple(test for test in tests if _asks_something_else(test, names))
        if others and _is_scheduler(node.func.value, names):
            site = Site(file, node.lineno)
            yield Branch(site, asks_counters(others, loops), is_impossible(others, loops))
        return
    if isinstance(node, ast.For | ast.AsyncFor) and any(exits(node.body, own=True)):
        tests = (*tests, _ANYTHING)  # the loop may have been left before the call
    if isinstance(node, ast.If | ast.IfExp):
        tests = (*tests, node.test)
    elif isinstance(node, ast.BoolOp):
        tests = (*tests, *node.values[:-1])
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        tests = loops = ()
    if isinstance(node, ast.For | ast.AsyncFor | ast.While):
        loops = (*loops, node)
    for child in ast.iter_child_nodes(node):
        yield from _conditional(child, file, names, tests, loops)


def _asks_something_else(test: ast.AST, names: set[str]) -> bool:
    """Whether a test looks at more than the scheduler. Classes it is compared with do not count."""
    asked = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    asked |= {node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)}
    others = asked - _GUARDS - names
    return any("sched" not in name.lower() and not name[:1].isupper() for name in others)
