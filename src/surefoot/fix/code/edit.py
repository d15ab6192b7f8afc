"""A set of changes to one source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import libcst as cst

from surefoot.fix.code.source import Source, Statement


class Edit:
    """Collects changes; `text()` is the source with all of them.

    New code is parsed only then: a proposal that makes no sense of the code it meets fails alone.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._before: dict[cst.CSTNode, list[Any]] = defaultdict(list)
        self._after: dict[cst.CSTNode, list[Any]] = defaultdict(list)
        self._instead: dict[cst.CSTNode, Callable[[], cst.CSTNode]] = {}
        self._removed: set[cst.CSTNode] = set()
        self._imports: list[str] = []

    def insert_before(self, anchor: Statement, *lines: str) -> "Edit":
        self._before[anchor] += lines
        return self

    def insert_after(self, anchor: Statement, *lines: str) -> "Edit":
        self._after[anchor] += lines
        return self

    def insert_first(self, block: cst.CSTNode, *lines: str) -> "Edit":
        """At the head of a loop's or a function's body, after the docstring."""
        body = [each for each in _body(block) if isinstance(each, cst.SimpleStatementLine | cst.BaseCompoundStatement)]
        if len(body) > 1 and _is_docstring(body[0]):
            return self.insert_after(body[0], *lines)
        return self.insert_before(body[0], *lines)

    def insert_last(self, block: cst.CSTNode, *lines: str) -> "Edit":
        return self.insert_after(_body(block)[-1], *lines)

    def remove(self, statement: Statement | cst.Decorator) -> "Edit":
        self._removed.add(statement)
        return self

    def replace(self, node: cst.CSTNode, code: str) -> "Edit":
        """An expression."""
        self._instead[node] = lambda: cst.parse_expression(code)
        return self

    def replace_statement(self, statement: Statement, code: str) -> "Edit":
        leading = getattr(statement, "leading_lines", ())
        self._instead[statement] = lambda: cst.parse_statement(code).with_changes(leading_lines=leading)
        return self

    def substitute(self, node: cst.CSTNode, made: cst.CSTNode) -> "Edit":
        """One node for another of the same kind."""
        self._instead[node] = lambda: made
        return self

    def move_before(self, statement: Statement, anchor: Statement) -> "Edit":
        self._removed.add(statement)
        self._before[anchor].append(_unspaced(statement))
        return self

    def move_after(self, statement: Statement, anchor: Statement) -> "Edit":
        self._removed.add(statement)
        self._after[anchor].append(_unspaced(statement))
        return self

    def add_import(self, line: str) -> "Edit":
        """Unless the file has it."""
        if line not in map(self._source.code, self._source.walk(cst.SimpleStatementLine)):
            self._imports.append(line)
        return self

    def text(self) -> str:
        if self._imports:
            self._insert_imports()
        changed = {*self._before, *self._after, *self._instead, *self._removed}
        above = {each for node in changed for each in self._source.above(node)}
        return self._source.module.visit(_Rewrite(self, above)).code

    def _insert_imports(self) -> None:
        body = self._source.module.body
        known = [s for s in body if isinstance(s, cst.SimpleStatementLine) and _is_import(s)]
        plain = [s for s in known if not _is_from_future(s)]
        if plain:
            self.insert_before(plain[0], *self._imports)
        elif known:
            self.insert_after(known[-1], *self._imports)
        else:
            self.insert_first(self._source.module, *self._imports)

    def rewritten(self, original: cst.CSTNode, updated: Any) -> Any:
        before, after = (
            [cst.parse_statement(each) if isinstance(each, str) else each for each in several.get(original, [])]
            for several in (self._before, self._after)
        )
        if original in self._instead:
            updated = self._instead[original]()
            if not before and not after:
                return updated
        kept = [] if original in self._removed else [updated]
        if before and kept and hasattr(updated, "leading_lines") and updated.leading_lines:
            first = before[0].with_changes(leading_lines=(*updated.leading_lines, *before[0].leading_lines))
            before, kept = [first, *before[1:]], [updated.with_changes(leading_lines=())]
        if not before and not after:
            return kept[0] if kept else cst.RemovalSentinel.REMOVE
        return cst.FlattenSentinel([*before, *kept, *after])


class _Rewrite(cst.CSTTransformer):
    """Goes down only where something changes: most of a file stays."""

    def __init__(self, edit: Edit, above: set[cst.CSTNode]) -> None:
        super().__init__()
        self._edit = edit
        self._above = above

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node in self._above

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        return self._edit.rewritten(original_node, updated_node)


def _body(block: cst.CSTNode) -> list[Any]:
    if isinstance(block, cst.Module):
        return list(block.body)
    inner = getattr(block, "body")  # noqa: B009
    return list(inner.body)


def _is_docstring(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _is_import(statement: cst.SimpleStatementLine) -> bool:
    return isinstance(statement.body[0], cst.Import | cst.ImportFrom)


def _is_from_future(statement: cst.SimpleStatementLine) -> bool:
    first = statement.body[0]
    return (
        isinstance(first, cst.ImportFrom) and isinstance(first.module, cst.Name) and first.module.value == "__future__"
    )


def _unspaced(statement: Any) -> Any:
    """Its comments move with it, empty lines stay behind."""
    return statement.with_changes(leading_lines=[line for line in statement.leading_lines if line.comment])
