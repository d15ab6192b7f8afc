"""Values that the program reads from a device while it trains: each read waits until the device has done all its work.

Nothing is listened to before an optimizer holds parameters on a device, so that this costs nothing on a CPU.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import HostReadFacts, Site
from surefoot.watch import tap
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

NEAR = frozenset(("cpu", "meta"))  # kinds of devices with no queue to wait for
READS = {
    "item": ".item()", "tolist": ".tolist()", "cpu": ".cpu()", "__bool__": "bool()", "__float__": "float()",
    "__int__": "int()", "__repr__": "print()", "__format__": "a format string",
}  # fmt: skip
KEPT = 256  # lines


@dataclass(slots=True)
class Reads:
    what: str
    device: str
    first: int  # step during which the line first read
    last: int = -1
    num_steps: int = 0  # during which it read


class HostReadProbe(Probe):
    name = "host-read"

    def __init__(self) -> None:
        self._lines: dict[tuple[CodeType, int], Reads] = {}
        self._listens = False

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def optimizer_made(self, tracked: TrackedOptimizer) -> None:
        with torch._C.DisableTorchFunction():  # a subclass would see what we ask it
            if self._listens or all(param.device.type in NEAR for param in tracked.ledger.params):
                return
        self._listens = True
        for method, what in READS.items():
            self._recorder.tap.listen(Tensor, method, self.name, before=partial(self._reads, what))

    def _reads(self, what: str, args: Any, kwargs: Any) -> None:
        """Only lines of the program that ask for it themselves: what torch or a library reads is not theirs to save."""
        device = args[0].device.type
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals is vars(tap):
            frame = frame.f_back
        if device in NEAR or frame is None or not self._recorder.sites.is_user(frame.f_code.co_filename):
            return
        step, key = self._recorder.num_steps, (frame.f_code, frame.f_lineno)
        reads = self._lines.get(key)
        if reads is None:
            if len(self._lines) == KEPT:
                return
            reads = self._lines[key] = Reads(what, device, step)
        if reads.last != step:
            reads.last = step
            reads.num_steps += 1

    def end_facts(self) -> dict[str, Any]:
        num_steps = self._recorder.num_steps
        return {
            "host_reads": tuple(
                HostReadFacts(
                    Site(code.co_filename, line, code.co_qualname), reads.what, reads.device, reads.num_steps,
                    max(num_steps - reads.first, reads.num_steps),
                )
                for (code, line), reads in self._lines.items()
            )
        }  # fmt: skip
