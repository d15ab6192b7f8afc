"""surefoot: training in PyTorch that does not fail silently."""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from surefoot.version import __version__

if TYPE_CHECKING:
    from surefoot import testing
    from surefoot.alerts.request import alert
    from surefoot.check.python import check
    from surefoot.judge import Finding
    from surefoot.lab import schedule
    from surefoot.lab.ablate.compare import ablate
    from surefoot.lab.lr.find import lr_find
    from surefoot.lab.memory.fit import fit_batch
    from surefoot.lab.noise.scale import noise_scale
    from surefoot.loop import stop
    from surefoot.loop.baseline import baseline
    from surefoot.loop.every import every
    from surefoot.loop.loop import Loop
    from surefoot.loop.tensors import TensorBatches
    from surefoot.loop.track import track
    from surefoot.report import Report
    from surefoot.runlog.media.audio import Audio
    from surefoot.runlog.media.image import Image
    from surefoot.runlog.media.table import Table
    from surefoot.runlog.read import open as open  # noqa: A004
    from surefoot.runlog.write.current import log, start_run
    from surefoot.runlog.write.run import Run
    from surefoot.sanitizer import FindingError, Watch, watch
    from surefoot.verify.python import verify

# Where each public name lives. Loaded when asked for, because half of them bring torch along.
_HOMES = {
    "Audio": "surefoot.runlog.media.audio",
    "Finding": "surefoot.judge",
    "FindingError": "surefoot.sanitizer",
    "Image": "surefoot.runlog.media.image",
    "Loop": "surefoot.loop.loop",
    "Report": "surefoot.report",
    "Run": "surefoot.runlog.write.run",
    "Table": "surefoot.runlog.media.table",
    "TensorBatches": "surefoot.loop.tensors",
    "Watch": "surefoot.sanitizer",
    "ablate": "surefoot.lab.ablate.compare",
    "alert": "surefoot.alerts.request",
    "baseline": "surefoot.loop.baseline",
    "check": "surefoot.check.python",
    "every": "surefoot.loop.every",
    "fit_batch": "surefoot.lab.memory.fit",
    "open": "surefoot.runlog.read",
    "log": "surefoot.runlog.write.current",
    "lr_find": "surefoot.lab.lr.find",
    "noise_scale": "surefoot.lab.noise.scale",
    "schedule": "surefoot.lab",
    "start_run": "surefoot.runlog.write.current",
    "stop": "surefoot.loop",
    "testing": "surefoot",
    "track": "surefoot.loop.track",
    "verify": "surefoot.verify.python",
    "watch": "surefoot.sanitizer",
}
_MODULES = {"schedule", "stop", "testing"}  # public names that are modules of their home

# `open` is left out: a star import must not hide Python's own.
__all__ = [
    "Audio", "Finding", "FindingError", "Image", "Loop", "Report", "Run", "Table", "TensorBatches", "Watch",
    "__version__", "ablate", "alert", "baseline", "check", "every", "fit_batch", "log", "lr_find", "noise_scale",
    "schedule", "start_run", "stop", "testing", "track", "verify", "watch",
]  # fmt: skip


class _Package(ModuleType):
    """`sf.watch` is a function, though a package of that name does the watching: importing it must not hide it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'surefoot' has no attribute {name!r}")
    if _HOMES[name].startswith(("surefoot.sanitizer", "surefoot.loop", "surefoot.lab", "surefoot.verify")):
        importlib.import_module("torch")  # before our own modules: `surefoot run` starts to watch at its import
    if name in _MODULES:
        found: Any = importlib.import_module(f"{_HOMES[name]}.{name}")
    else:
        found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found  # asking here costs more than what `sf.log` does
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *__all__])
