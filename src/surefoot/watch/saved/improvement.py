"""Whether weights are kept where a score is compared with the best so far, and used somewhere else."""

from __future__ import annotations

import ast
from functools import lru_cache

from surefoot.facts import Site
from surefoot.watch.source import parse

_BETTER = ast.Lt | ast.Gt | ast.LtE | ast.GtE


def is_kept_as_best(taken: Site | None, used: Site | None) -> bool:
    """Whether an `if` that compares by size holds the line that took them, and not the one that uses them."""
    if taken is None or used is None:
        return False
    spans = [span for span in _comparing_branches(taken.file) if span[0] <= taken.line <= span[1]]
    return any(used.file != taken.file or not first <= used.line <= last for first, last in spans)


@lru_cache(maxsize=16)
def _comparing_branches(file: str) -> tuple[tuple[int, int], ...]:
    """First and last line of each."""
    tree = parse(file)
    if tree is None:
        return ()
    branches = (node for node in ast.walk(tree) if isinstance(node, ast.If) and _compares(node.test))
    return tuple((node.lineno, node.body[-1].end_lineno or node.lineno) for node in branches)


def _compares(test: ast.AST) -> bool:
    return any(isinstance(op, _BETTER) for node in ast.walk(test) if isinstance(node, ast.Compare) for op in node.ops)
