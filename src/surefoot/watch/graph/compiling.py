"""Notice that `torch.compile` is in use: compiled code must not meet our hooks and modes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

WHY = "torch.compile is in use"


def switch_off_when_compiling(recorder: Recorder, probe: str, leave: Callable[[], None]) -> None:
    """Call `leave` and switch the probe off before anything is compiled; at once, if something already was."""
    recorder.tap.on_removal(_remember)
    if has_compiled():
        recorder.tap.off.setdefault(probe, WHY)
        return

    def note(args: Any, kwargs: Any) -> None:
        leave()
        recorder.tap.off.setdefault(probe, WHY)

    recorder.tap.listen(torch, "compile", probe, before=note)
    recorder.tap.listen(torch.nn.Module, "compile", probe, before=note)


_num_known = 0  # frames compiled by the end of the last watch of this process


def has_compiled() -> bool:
    """Whether something was compiled outside any watch: before this one began."""
    return _num_frames() > _num_known


def _num_frames() -> int:
    utils = sys.modules.get("torch._dynamo.utils")
    return 0 if utils is None else int(sum(utils.counters["frames"].values()))


def _remember() -> None:
    global _num_known
    _num_known = _num_frames()
