"""Notice that `torch.compile` is in use: compiled code must not meet our hooks and modes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from surefoot.watch.patch import Function

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

WHY = "torch.compile is in use"


def switch_off_when_compiling(recorder: Recorder, probe: str, leave: Callable[[], None]) -> None:
    """Call `leave` and switch the probe off before anything is compiled; at once, if something already was."""
    recorder.patches.on_removal(_remember)
    if has_compiled():
        recorder.off.setdefault(probe, WHY)
        return

    def note() -> None:
        leave()
        recorder.off.setdefault(probe, WHY)

    def make(original: Function) -> Function:
        def compile(*args: Any, **kwargs: Any) -> Any:  # noqa: A001 - it carries the name of what it wraps
            recorder.guarded(probe, note)
            return original(*args, **kwargs)

        return compile

    recorder.patches.wrap(torch, "compile", make)
    recorder.patches.wrap(torch.nn.Module, "compile", make)


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
