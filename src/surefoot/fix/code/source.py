"""One file of the program, parsed: find statements and calls in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, ParentNodeProvider, PositionProvider

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
Loop = cst.For | cst.While
Scope = cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.Module


class Source:
    """Nodes are known by identity, so they are good for edits of this very source only."""

    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.text = text
        self._codes: dict[cst.CSTNode, str] = {}

    @cached_property
    def _wrapper(self) -> MetadataWrapper:
        return MetadataWrapper(cst.parse_module(self.text), unsafe_skip_copy=True)

    @property
    def module(self) -> cst.Module:
        return self._wrapper.module

    @cached_property
    def _positions(self) -> dict[cst.CSTNode, CodeRange]:
        return dict(self._wrapper.resolve(PositionProvider))

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        return dict(self._wrapper.resolve(ParentNodeProvider))

    @cached_property
    def _spans(self) -> tuple[list[cst.CSTNode], dict[cst.CSTNode, tuple[int, int]]]:
        """All nodes in the order of the text, and where those below each of them lie in it: patches ask many times."""
        nodes: list[cst.CSTNode] = []
        spans: dict[cst.CSTNode, tuple[int, int]] = {}

        def visit(node: cst.CSTNode) -> None:
            start = len(nodes)
            nodes.append(node)
            for child in node.children:
                visit(child)
            spans[node] = (start, len(nodes))

        visit(self.module)
        return nodes, spans

    def line(self, node: cst.CSTNode) -> int:
        return self._positions[node].start.line

    def last_line(self, node: cst.CSTNode) -> int:
        return self._positions[node].end.line

    def code(self, node: cst.CSTNode) -> str:
        if node not in self._codes:
            self._codes[node] = self.module.code_for_node(node).strip()
        return self._codes[node]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self._parents.get(node)

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Its parent, the parent's parent, and so on."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def enclosing(self, node: cst.CSTNode, *kinds: type[Node]) -> Node | None:
        return next((above for above in self.above(node) if isinstance(above, kinds)), None)

    def statement_of(self, node: cst.CSTNode) -> Statement | None:
        """The statement that a line of its own begins with."""
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            return node
        for above in self.above(node):
            if isinstance(above, cst.SimpleStatementLine | cst.BaseCompoundStatement):
                return above
        return None

    def function_of(self, node: cst.CSTNode) -> cst.FunctionDef | cst.Module:
        return self.enclosing(node, cst.FunctionDef) or self.module

    def loop_of(self, node: cst.CSTNode) -> Loop | None:
        """The innermost loop around it, in its own function."""
        for above in self.above(node):
            if isinstance(above, cst.For | cst.While):
                return above
            if isinstance(above, cst.FunctionDef):
                return None
        return None

    def loops_of(self, node: cst.CSTNode) -> list[Loop]:
        """All loops around it in its own function, innermost first."""
        found = []
        loop = self.loop_of(node)
        while loop is not None:
            found.append(loop)
            loop = self.loop_of(loop)
        return found

    def walk(self, kind: type[Node], within: cst.CSTNode | None = None) -> list[Node]:
        """All nodes of a kind, in the order of the text."""
        nodes, spans = self._spans
        start, end = spans[within or self.module]
        return [node for node in nodes[start:end] if isinstance(node, kind)]

    def siblings(self, statement: Statement) -> list[Statement]:
        """The block it stands in."""
        parent = self._parents[statement]
        body = getattr(parent, "body", ())
        return [each for each in body if isinstance(each, cst.SimpleStatementLine | cst.BaseCompoundStatement)]

    def statement_at(self, line: int | None) -> cst.SimpleStatementLine | None:
        """The simple statement on that line."""
        if line is None:
            return None
        for statement in self.walk(cst.SimpleStatementLine):
            if self.line(statement) <= line <= self.last_line(statement):
                return statement
        return None
