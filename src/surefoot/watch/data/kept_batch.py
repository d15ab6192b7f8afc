"""A batch that was taken from a loader which was then left: does every step use it?

The loader may be started again and give the same one, as `next(iter(loader))` in a loop does without shuffling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.facts import SameBatchFacts, Site
from surefoot.watch.data.batch_mark import UNREAD
from surefoot.watch.data.graph import holds, inputs_of

LOOKS_AT = (0, 1, 4, 12)  # steps since it was taken, after which the graph is searched for it; then after FAR
FAR = 256  # steps: nobody adapts to a single batch for as long
ENOUGH = 16  # steps, if the run ends with them
OFTEN = 8  # times that the same batch was taken; a few may be meant


class KeptBatch:
    def __init__(
        self,
        loader: int,
        length: int,
        site: Site | None,
        marks: tuple[int, ...],
        rows: frozenset[int],
        num_steps: int,
    ) -> None:
        self.loader = loader
        self.length = length
        self.site = site
        self.marks = {mark for mark in marks if mark != UNREAD}
        self.rows = rows
        self.inputs: frozenset[int] = frozenset()  # of the last graph that did not hold it as it is
        self.taken_at = num_steps
        self.num_taken = 1
        self.trainers: set[int] = set()  # ids of the optimizers that stepped since
        self.num_seen = 0  # how often a graph was found to hold it
        self.next_look = LOOKS_AT[0]
        self.is_late = False  # the loader was left only when it was started anew, after the batch was used

    def is_due(self, num_steps: int) -> bool:
        return num_steps - self.taken_at >= self.next_look

    def look(self, roots: Sequence[Any], num_steps: int) -> bool:
        """Whether the graph that is about to be backwarded holds it, or may hold what the program made of it."""
        since = num_steps - self.taken_at
        self.next_look = next((at for at in LOOKS_AT if at > since), max(FAR, since + FAR // 2))
        if holds(roots, self.marks):
            self.num_seen += 1
            return True
        former, self.inputs = self.inputs, inputs_of(roots, self.rows)
        if self.num_taken == 1:
            return bool(self.inputs) and not former  # the loader has to give it again before this tells anything
        is_same = bool(self.inputs) and self.inputs == former
        self.num_seen += is_same
        return is_same

    def is_taken_again(self, loader: int, marks: tuple[int, ...]) -> bool:
        """Whether a loader gave the same batch once more, after it had been used."""
        was_used = self.num_seen > 0 or bool(self.inputs)
        again = loader == self.loader and was_used and {m for m in marks if m != UNREAD} == self.marks
        self.num_taken += again
        return again

    def facts(self, num_steps: int) -> SameBatchFacts:
        return SameBatchFacts(self.loader, self.site, self.length, num_steps - self.taken_at, self.num_taken)

    def is_proven(self, num_steps: int) -> bool:
        """It has fed more steps in a row, or was taken more often, than anybody means to."""
        since = num_steps - self.taken_at
        often = self.num_taken >= OFTEN and self.num_seen >= len(LOOKS_AT) - 1 and since >= OFTEN
        return often or (since >= FAR and self.num_seen > len(LOOKS_AT))

    def is_likely(self, num_steps: int) -> bool:
        """The same, of a run that is over."""
        return num_steps - self.taken_at >= ENOUGH and self.num_seen >= len(LOOKS_AT)
