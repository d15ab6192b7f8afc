"""Two runs side by side."""

from __future__ import annotations

from typing import Any

from surefoot.runlog.read.compare import compare_series, settings_that_differ
from surefoot.runlog.read.run import Run

CLOCKS = ("step_seconds", "items_per_second", "memory_bytes")  # never the same twice: they tell of the machine


def comparison(one: Run, two: Run) -> dict[str, Any]:
    settings = [{"name": name, "a": a, "b": b} for name, (a, b) in settings_that_differ(one, two).items()]
    curves = list(compare_series(one, two))
    series = [
        {
            "name": both.name,
            "last_a": both.last[0], "last_b": both.last[1],
            "low_a": both.lowest[0], "low_b": both.lowest[1],
            "num_common": both.num_common,
            "first_difference": both.first_difference,
            "largest_difference": both.largest_difference,
        }
        for both in curves
    ]  # fmt: skip
    told = [both for both in curves if both.name.rpartition("/")[2] not in CLOCKS]
    steps = [both.first_difference for both in told if both.first_difference is not None]
    return {"settings": settings, "series": series, "first_difference": min(steps, default=None)}
