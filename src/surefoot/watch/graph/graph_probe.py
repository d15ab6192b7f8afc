"""Watch the graphs behind losses: how long they live, how far back they reach, whether they are used again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import Optimizer

from surefoot.facts import GraphFacts, KeptGraphFacts, Site
from surefoot.watch.graph.alive import Line
from surefoot.watch.graph.walk import sequence_numbers
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

FIRST_WALKS = 8  # the backwards whose graphs are all walked; then those at powers of two
MAX_WALKS = 64  # of graphs that reach back, or were kept for another use
ALL_TOLD = 32  # numbers of kept graphs that are all told; then powers of two


@dataclass(slots=True)
class Window:
    """What the backwards since the last step had behind them."""

    num_nodes: int | None = None
    num_spanned_steps: int | None = None
    reused: bool | None = None


class GraphProbe(Probe):
    name = "graph"

    def __init__(self) -> None:
        self._lines: dict[Site | None, Line] = {}
        self._last_root = 0  # sequence number of the last loss backwarded
        self._last_retained = False
        self._num_backwards = 0
        self._num_walks = 0
        self._reaches_back = False
        self._num_grad_calls = 0
        self._window = Window()
        self._kept: tuple[KeptGraphFacts, ...] = ()
        self._most_kept = 0

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.tap.listen(torch.autograd, "grad", self.name, before=self._count_grad)

    def _count_grad(self, args: Any, kwargs: Any) -> None:
        self._num_grad_calls += 1

    def backward_begins(self, backward: Backward) -> None:
        self._num_backwards += 1
        roots = tuple(backward.roots)
        if self._is_walk_due(backward):
            self._walk(backward)
        line = self._lines.get(backward.site)
        if line is None:
            line = self._lines[backward.site] = Line(backward.site)
        # With every optimizer the program begins something new, such as another fold, and may keep one loss of each.
        line.mark(roots, self._recorder.num_steps, era=self._recorder.num_optimizers)
        numbers = [node._sequence_nr() for root in roots if (node := root.grad_fn) is not None]
        self._last_root = max(numbers, default=self._last_root)
        self._last_retained = backward.retain_graph

    def _is_walk_due(self, backward: Backward) -> bool:
        count = self._num_backwards
        if count <= FIRST_WALKS or not count & (count - 1):
            return True
        wanted = self._reaches_back or self._last_retained or backward.retain_graph
        return wanted and self._num_walks < MAX_WALKS

    def _walk(self, backward: Backward) -> None:
        self._num_walks += 1
        numbers = sequence_numbers(backward.roots)
        if not numbers:
            return
        edges = list(self._recorder.edges)
        spanned = {place for number in numbers if (place := bisect_left(edges, number)) < len(edges)}
        self._reaches_back = bool(spanned)
        window = self._window
        window.num_nodes = max(window.num_nodes or 0, len(numbers))
        window.num_spanned_steps = max(window.num_spanned_steps or 0, len(spanned))
        window.reused = window.reused or (self._last_retained and min(numbers) <= self._last_root)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        suspicious = [line for line in self._lines.values() if line.is_suspicious]
        if not suspicious:
            self._kept = ()
            return False
        self._kept = tuple(kept for line in suspicious if (kept := line.kept()) is not None)
        most = max((kept.num_steps for kept in self._kept), default=0)
        if most > self._most_kept:
            self._most_kept = most
            if most <= ALL_TOLD or not most & (most - 1):  # it may cross a rule's threshold
                self._recorder.record_due = True
        return bool(self._kept)

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        window = self._window
        own = not type(optimizer).__module__.startswith("torch.")
        facts = GraphFacts(
            window.num_nodes, window.num_spanned_steps, window.reused, self._num_grad_calls, own, self._kept
        )
        return {"graph": facts}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._window = Window()
