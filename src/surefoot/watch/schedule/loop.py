"""The loops of the user's source around a running line: how far they are, and whether they can be left early."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from surefoot.watch.schedule.rounds import num_rounds, value_of
from surefoot.watch.source import parse

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Loop:
    first: int  # lines
    last: int
    names: tuple[str, ...]  # its variables; none for `while`
    may_stop_early: bool
    over: ast.expr | None = None


class Loops:
    """Reads each file once."""

    def __init__(self) -> None:
        self._scopes: dict[str, dict[tuple[str, int], tuple[Loop, ...]] | None] = {}
        self._known: dict[tuple[CodeType, int], tuple[Loop, ...] | None] = {}

    def around(self, frame: FrameType) -> tuple[Loop, ...] | None:
        """The loops around the line that `frame` is at, innermost first. None when the source can't be read."""
        key = (frame.f_code, frame.f_lasti)  # finding out the line costs far more
        if key not in self._known:
            self._known[key] = self._read(frame)
        return self._known[key]

    def _read(self, frame: FrameType) -> tuple[Loop, ...] | None:
        code = frame.f_code
        if code.co_filename not in self._scopes:
            self._scopes[code.co_filename] = _scopes(code.co_filename)
        scopes = self._scopes[code.co_filename]
        if scopes is None:
            return None
        loops = scopes.get(_key(code), ())
        line = frame.f_lineno
        return tuple(loop for loop in reversed(loops) if loop.first < line <= loop.last)

    def may_stop_early(self, frames: Sequence[FrameType]) -> bool:
        """Whether a loop around one of the lines can be left before its end, as far as can be told."""
        for frame in frames:
            loops = self.around(frame)
            if loops is None or any(loop.may_stop_early for loop in loops):
                return True
        return False

    def planned(self, frames: Sequence[FrameType]) -> int | None:
        """How often the innermost line runs if no loop is left early; None when that can't be told."""
        total = 1
        for frame in frames:
            loops = self.around(frame)
            if loops is None:
                return None
            for loop in loops:
                rounds = None if loop.over is None else num_rounds(loop.over, frame)
                if rounds is None:
                    return None
                total *= rounds
        return total

    def round_of(self, frames: Sequence[FrameType], subject: Any) -> tuple[Any, ...] | None:
        """The round that the loops around the innermost loop are in; None when there are none, or none can be told.

        A loop over several subjects (`for s in schedulers: s.step()`) is not the innermost one.
        """
        found = [(frame, loop) for frame in frames for loop in self.around(frame) or ()]
        while len(found) > 1 and any(value_of(found[0][0], name) is subject for name in found[0][1].names):
            del found[0]
        if len(found) < 2:
            return None
        innermost, hidden = found[0][0], found[0][1].names  # `for _ in …: for _ in …:`
        rounds = []
        for frame, loop in found[1:]:
            for name in loop.names:
                value = None if frame is innermost and name in hidden else value_of(frame, name)
                if isinstance(value, int | str):
                    rounds.append(value)
        return tuple(rounds) or None


def _key(code: CodeType) -> tuple[str, int]:
    return (code.co_name, 0 if code.co_name == "<module>" else code.co_firstlineno)


def _scopes(file: str) -> dict[tuple[str, int], tuple[Loop, ...]] | None:
    """The loops of every function of a file and of the file itself, outer before inner."""
    tree = parse(file)
    if tree is None:
        return None
    scopes = {("<module>", 0): tuple(_loops(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            scopes[node.name, first] = tuple(_loops(node))
    return scopes


def _loops(scope: ast.AST) -> Iterator[Loop]:
    for node in _inside(scope):
        if isinstance(node, ast.For | ast.AsyncFor):
            names = tuple(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
            early = any(exits(node.body, own=True))
            yield Loop(node.lineno, node.end_lineno or node.lineno, names, early, node.iter)
        elif isinstance(node, _COMPREHENSIONS):
            yield Loop(node.lineno - 1, node.end_lineno or node.lineno, (), False)
        elif isinstance(node, ast.While):
            yield Loop(node.lineno, node.end_lineno or node.lineno, (), True)


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or file without those of functions inside it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, _FUNCTIONS):
            yield child
            yield from _inside(child)


def exits(body: Sequence[ast.AST], own: bool) -> Iterator[ast.AST]:
    """The `return`s in a loop's body, and the `break`s that belong to it."""
    for node in body:
        if isinstance(node, ast.Return) or (own and isinstance(node, ast.Break)):
            yield node
        if isinstance(node, _FUNCTIONS):
            continue
        inner = isinstance(node, ast.For | ast.AsyncFor | ast.While)
        yield from exits(list(ast.iter_child_nodes(node)), own and not inner)


def user_frames(frame: FrameType | None, is_user: Any, most: int = 4) -> list[FrameType]:
    """The frames of user code from `frame` upwards, innermost first."""
    frames: list[FrameType] = []
    while frame is not None and len(frames) < most:
        if is_user(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    return frames
