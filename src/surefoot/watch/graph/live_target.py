"""Watch reinforcement learning for targets and advantages that carry a gradient."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from torch.optim import Optimizer

from surefoot.facts import LiveTargetFacts, Site
from surefoot.watch.build_facts import NAMED
from surefoot.watch.graph.bootstrap import live_targets
from surefoot.watch.probe import Probe
from surefoot.watch.source import parse

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

LOOKED_AT = 16  # backwards of each line whose graph is read
REINFORCEMENT = frozenset(("reward", "rewards", "action", "actions"))
RESIDUAL = frozenset(("residual", "residuals"))  # who minimises Bellman residuals wants both gradients


@dataclass(slots=True)
class Seen:
    """One kind of target at one line."""

    kind: str
    site: Site | None
    discount: float
    leaves: frozenset[int]
    unused: set[int] = field(default_factory=set)  # backwards that no step has used so far
    used_by: dict[int, int] = field(default_factory=dict)  # by tracked optimizer, steps that used it


class LiveTargetProbe(Probe):
    name = "live-target"

    def __init__(self) -> None:
        self._num_looked: dict[int, int] = {}  # by line
        self._seen: dict[tuple[int, str], Seen] = {}
        self._is_wanted: bool | None = None  # the source speaks of reinforcement learning

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_begins(self, backward: Backward) -> None:
        line = id(backward.site)
        self._num_looked[line] = number = self._num_looked.get(line, 0) + 1
        root = backward.roots[0].grad_fn if len(backward.roots) == 1 else None
        if number > LOOKED_AT or root is None or not self._is_reinforcement():
            return
        for found in live_targets(root):
            seen = self._seen.get((line, found.kind))
            if seen is None:
                loss = backward.loss.site if backward.loss is not None and found.kind == "target" else None
                site = loss or backward.site  # of the losses in a sum, the one that is known is seldom the policy's
                seen = self._seen[line, found.kind] = Seen(found.kind, site, found.discount, found.leaves)
            seen.unused.add(backward.ordinal)

    def _is_reinforcement(self) -> bool:
        if self._is_wanted is None:
            words = _words(self._recorder.sites.files())
            self._is_wanted = not words.isdisjoint(REINFORCEMENT) and words.isdisjoint(RESIDUAL)
        return self._is_wanted

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or not self._seen:
            return None
        used = {ordinal for p in tracked.ledger.distinct for ordinal in p.fresh}
        for seen in self._seen.values():
            if seen.unused & used and not seen.leaves.isdisjoint(tracked.ids):
                seen.unused -= used
                seen.used_by[tracked.id] = seen.used_by.get(tracked.id, 0) + 1
        return tuple(seen.used_by.get(tracked.id) for seen in self._seen.values())

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None:
            return {}
        facts = [self._fact(seen, tracked) for seen in self._seen.values() if seen.used_by.get(tracked.id)]
        return {"live_targets": tuple(facts)} if facts else {}

    def _fact(self, seen: Seen, tracked: TrackedOptimizer) -> LiveTargetFacts:
        params = [p for p in tracked.ledger.params if id(p) in seen.leaves]
        names = tuple(self._recorder.names.of(p) for p in params[:NAMED])
        return LiveTargetFacts(
            seen.kind, seen.used_by[tracked.id], seen.discount, names, len(params), seen.site
        )  # fmt: skip


def _words(files: Iterable[str]) -> set[str]:
    """The words that names in the source are made of: `next_action` and `NextAction` have `action`."""
    return set[str]().union(*map(_words_of, filter(None, map(parse, files))))


@lru_cache(maxsize=64)
def _words_of(tree: ast.Module) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
        if isinstance(name, str):
            found.update(word.lower() for word in re.findall(r"[A-Za-z][a-z]*", name))
    return frozenset(found)
