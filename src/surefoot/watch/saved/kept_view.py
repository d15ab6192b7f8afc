"""Weights that the program keeps as `p.data` or `p.detach()`, which is no copy, and copies back onto themselves.

`copy_` is listened to only where the source keeps weights in such a way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.facts import AliasFacts, Site
from surefoot.watch.source import parse

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

FEWEST = 2  # parameters: one may be copied onto itself by a program that has two names for it
_LISTS_WEIGHTS = frozenset({"parameters", "named_parameters"})


class KeptViews:
    def __init__(self, recorder: Recorder, probe: str, found: Callable[[AliasFacts], None]) -> None:
        self._recorder, self._probe, self._found = recorder, probe, found
        self._taken: Site | None = None
        self._is_looked_for = False
        self._copied: set[int] = set()  # addresses of what was copied onto itself

    def trains(self) -> None:
        """An optimizer takes its first step."""
        if not self._is_looked_for:
            self._is_looked_for = True
            self._taken = find_keeping(self._recorder.sites.files())
            if self._taken is not None:
                self._recorder.tap.listen(Tensor, "copy_", self._probe, before=self._copies)

    def _copies(self, args: Any, kwargs: Any) -> None:
        source = args[1] if len(args) > 1 else kwargs.get("src")
        if not is_one(source, args[0]):
            return
        self._copied.add(args[0].data_ptr())
        for tracked in self._recorder.optimizers.values():
            if tracked.num_updates and self._has_all(tracked):
                self._tell(tracked)

    def _has_all(self, tracked: TrackedOptimizer) -> bool:
        params = tracked.ledger.params
        return len(params) >= FEWEST and all(param.data_ptr() in self._copied for param in params)

    def _tell(self, tracked: TrackedOptimizer) -> None:
        params = tracked.ledger.params
        self._copied.difference_update([param.data_ptr() for param in params])
        used = self._recorder.sites.here()
        kind = f"{len(params)} parameters"
        self._found(AliasFacts(kind, self._taken, used, "load", tracked.num_updates, is_view=True))


def is_one(value: Any, own: Any) -> bool:
    """Whether two tensors are the same memory, seen in the same way."""
    if type(value) is not Tensor or not isinstance(own, Tensor) or value.is_meta or value.device != own.device:
        return False
    same = value.shape == own.shape and value.dtype == own.dtype and value.stride() == own.stride()
    return same and value.data_ptr() == own.data_ptr() and (value.data_ptr() != 0 or not value.numel())


def find_keeping(files: Iterable[str]) -> Site | None:
    """The first line that puts `p.data` of every parameter into a list or a dict."""
    for file in files:
        tree = parse(file)
        lines = [] if tree is None else [line for node in ast.walk(tree) for line in _kept_at(node)]
        if lines:
            return Site(file, min(lines))
    return None


def _kept_at(node: ast.AST) -> Iterator[int]:
    match node:
        case ast.ListComp(elt=value, generators=[loop]) | ast.DictComp(value=value, generators=[loop]):
            if _lists_weights(loop.iter) and _is_view(value):
                yield node.lineno
        case ast.For(iter=source, body=body) if _lists_weights(source):
            for inner in (child for statement in body for child in ast.walk(statement)):
                match inner:
                    case ast.Assign(targets=[ast.Subscript()], value=value) if _is_view(value):
                        yield inner.lineno
                    case ast.Call(func=ast.Attribute(attr="append"), args=[value]) if _is_view(value):
                        yield inner.lineno


def _lists_weights(node: ast.AST) -> bool:
    calls = [child.func for child in ast.walk(node) if isinstance(child, ast.Call)]
    return any(isinstance(called, ast.Attribute) and called.attr in _LISTS_WEIGHTS for called in calls)


def _is_view(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="data") | ast.Call(func=ast.Attribute(attr="detach"), args=[]):
            return True
    return False
