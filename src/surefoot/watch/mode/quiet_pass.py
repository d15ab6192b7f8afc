"""Passes over a loader during which nothing is backwarded, though every forward records a graph.

A graph that is gone can not be backwarded. A token in the `metadata` of one of its nodes lives exactly as long as it.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.watch.epoch import EpochProbe, Pass
    from surefoot.watch.recorder import Recorder

KEY = "surefoot.mode"


class Token:
    __slots__ = ("__weakref__",)


class QuietGraphs:
    """Graphs that a model recorded at one line, and the passes in which it did."""

    def __init__(self) -> None:
        self._passes: list[Pass] = []
        self._tokens: list[weakref.ref[Token]] = []

    def add(self, running: Pass, node: Any) -> None:
        if running not in self._passes:
            self._passes.append(running)
        token = Token()
        node.metadata[KEY] = token
        self._tokens = [ref for ref in self._tokens if ref() is not None]
        self._tokens.append(weakref.ref(token))

    @property
    def are_unused(self) -> bool:
        """Whether the passes are over, nothing was ever trained on their loaders, and the graphs are gone.

        The last graph may well live on, in the variables of the loop.
        """
        if any(not each.over or each.loader.is_trained_on for each in self._passes):
            return False
        return sum(ref() is not None for ref in self._tokens) <= 1


def running_quietly(epochs: EpochProbe, recorder: Recorder) -> Pass | None:
    """The running pass, if nothing was backwarded since it began, nor in earlier ones over its loader."""
    running = epochs.running
    if running is None or running.loader.is_trained_on or running.num_backwards != recorder.num_backwards:
        return None
    return running
