"""Count the graphs of past losses that are still alive.

A node of the autograd graph has a `metadata` dict that lives exactly as long as the node. A token put there tells,
by dying, that the graph is gone. Nothing is kept alive by it.
"""

from __future__ import annotations

import gc
import weakref
from collections import deque
from typing import Any

from torch import Tensor

from surefoot.facts import KeptGraphFacts, Site
from surefoot.watch.graph.retention import find_retention
from surefoot.watch.graph.walk import deep_node
from surefoot.watch.instances import live

KEY = "surefoot"
FIRST = 40  # backwards of a line that all get tokens; later only some stretches do
STRETCH, EVERY = 20, 512
SUSPICIOUS = 3  # a loop may well hold the last loss and the one before it
MANY = 64  # so many are not kept by a container that is emptied as it is filled
MAX_LOOKS = 12  # at who holds them, each about 50 ms


class Token:
    """Lies in a graph, and dies with it."""

    __slots__ = ("__weakref__", "living")

    def __init__(self, living: Living) -> None:
        self.living = living


class Living:
    """Of each of a line's steps, the tokens that live. Nothing of ours runs when one dies."""

    def __init__(self) -> None:
        self._tokens: dict[int, list[weakref.ref[Token]]] = {}

    def token(self, step: int) -> Token:
        made = Token(self)
        self._tokens.setdefault(step, []).append(weakref.ref(made))
        return made

    def steps(self) -> list[int]:
        self._tokens = {
            step: alive for step, refs in self._tokens.items() if (alive := [ref for ref in refs if ref() is not None])
        }
        return sorted(self._tokens)


class Line:
    """The losses that one line of user code backwards."""

    def __init__(self, site: Site | None) -> None:
        self.site = site
        self.era = 0
        self.num_backwards = 0
        self.num_steps = 0
        self.step = -1  # the recorder's step at the last backward
        self.roots = Living()
        self.parts = Living()
        self.next_look = SUSPICIOUS  # the number of steps at which to look who holds them
        self.num_looks = 0
        self.bounded = False
        self.keeper: Site | None = None

    def mark(self, roots: tuple[Tensor, ...], step: int, era: int) -> None:
        """Put tokens into the graph of a loss that is about to be backwarded. A new era starts the count anew."""
        if era != self.era:
            self.era, self.roots, self.parts = era, Living(), Living()
        self.num_backwards += 1
        if step != self.step:
            self.step = step
            self.num_steps += 1
        if self.num_backwards > FIRST and self.num_backwards % EVERY >= STRETCH:
            return
        for root in roots:
            node: Any = root.grad_fn
            if node is None:
                continue
            node.metadata[KEY] = self.roots.token(self.num_steps)
            deep = deep_node(node)
            if deep is not node:
                deep.metadata[KEY] = self.parts.token(self.num_steps)

    @property
    def is_suspicious(self) -> bool:
        return len(self.roots.steps()) > SUSPICIOUS or len(self.parts.steps()) > SUSPICIOUS

    def kept(self) -> KeptGraphFacts | None:
        """What lives of earlier steps, if that is more than a loop may well hold."""
        for living, whole in ((self.roots, True), (self.parts, False)):
            steps = self._steps(living)
            if len(steps) < SUSPICIOUS:
                continue
            if len(steps) >= self.next_look and self.num_looks < MAX_LOOKS:
                steps = self._look(living, whole)
            if len(steps) >= SUSPICIOUS:
                return KeptGraphFacts(self.site, len(steps), _longest_run(steps), whole, self.bounded, self.keeper)
        self.next_look = SUSPICIOUS
        return None

    def _look(self, living: Living, whole: bool) -> list[int]:
        """Look for the holder, and count again without those that only a reference cycle holds."""
        self.num_looks += 1
        gc.collect()
        steps = self._steps(living)
        self.next_look = max(2 * len(steps), SUSPICIOUS)
        self.keeper, emptied = (None, False) if self.site is None else find_retention(self.site, whole=whole)
        self.bounded = (emptied and len(steps) < MANY) or (whole and _is_bounded(living))
        return steps

    def _steps(self, living: Living) -> list[int]:
        return [step for step in living.steps() if step != self.num_steps]


def _longest_run(steps: list[int]) -> int:
    longest = run = 0
    before = None
    for step in steps:
        run = run + 1 if before is not None and step == before + 1 else 1
        longest = max(longest, run)
        before = step
    return longest


def _is_bounded(living: Living) -> bool:
    """Whether the kept losses lie in a container that drops the oldest by itself."""
    losses = [item for item in live(Tensor) if _is_among(item, living)]
    return any(type(holder) is deque and holder.maxlen is not None for holder in gc.get_referrers(*losses))


def _is_among(tensor: Tensor, living: Living) -> bool:
    try:
        node: Any = tensor.grad_fn
    except RuntimeError:  # a view whose base was changed under no_grad
        return False
    token = None if node is None else node.metadata.get(KEY)
    return token is not None and token.living is living
