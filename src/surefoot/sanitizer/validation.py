"""Validation losses that the program logs itself, known by their names."""

from __future__ import annotations

import struct

from surefoot.facts.validation import is_validation_loss
from surefoot.watch.recorder import Recorder
from surefoot.watch.validation import ValidationProbe

KNOWN_ROWS = 1024


class LoggedLosses:
    """Listens to the rows of a run. Those of our own making are not heard: they are written while we are busy."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._probe = next((probe for probe in recorder.probes if isinstance(probe, ValidationProbe)), None)
        self._places: dict[int, tuple[tuple[str, ...], list[int]]] = {}  # by id of the names, which are kept

    def scalars(self, names: tuple[str, ...], step: int, time: float, packed: bytes) -> None:
        known = self._places.get(id(names))
        if known is None:
            known = self._look_at(names)
        if known[1] and self._probe is not None:
            self._recorder.tap.run(self._probe.name, self._report, self._probe, known, packed)

    def _look_at(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], list[int]]:
        if len(self._places) >= KNOWN_ROWS:
            self._places.clear()
        found = (names, [place for place, name in enumerate(names) if is_validation_loss(name)])
        self._places[id(names)] = found
        return found

    def _report(self, probe: ValidationProbe, known: tuple[tuple[str, ...], list[int]], packed: bytes) -> None:
        names, places = known
        site = self._recorder.sites.here()
        values = struct.unpack(f"<{len(names)}d", packed)
        for place in places:
            probe.named(names[place], values[place], site)
