"""Look for the origin of a NaN: of a loss before its backward, of gradients when they are found to be bad."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch import Tensor

from surefoot.facts import BirthFacts
from surefoot.watch.finite.origin.backward_origin import backward_origin
from surefoot.watch.finite.origin.forward_origin import forward_origin
from surefoot.watch.finite.origin.place import Places
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

MOST_LOOKS = 16  # in a run: what is NaN once is so for good, and every look goes through a whole graph


class OriginProbe(Probe):
    name = "birth"

    def __init__(self) -> None:
        self._looks_left = MOST_LOOKS

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_begins(self, backward: Backward) -> None:
        value = backward.value
        if value is None or len(backward.roots) != 1 or math.isfinite(value):
            return
        if self._looks_left:
            self._looks_left -= 1
            backward.birth = forward_origin(backward.roots[0], self._places())

    def of_gradients(self, is_bad: Callable[[Tensor], bool | None]) -> BirthFacts | None:
        """The last loss was finite and its gradients are not. Its graph has no values any more, but a shape."""
        last = self._recorder.last_loss
        root = None if last is None else last()
        if root is None or not self._looks_left:
            return None
        self._looks_left -= 1
        return backward_origin(root, is_bad, self._places())

    def _places(self) -> Places:
        self._recorder.names.learn()
        return Places(self._recorder.names)
