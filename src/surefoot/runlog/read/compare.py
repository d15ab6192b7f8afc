"""Two runs side by side: which settings differ, and where their series part."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.read.column import Column
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run
from surefoot.runlog.read.summary import Summary, summarize

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETTINGS = ("script", "command", "git_commit", "git_dirty", "device", "host", "ranks", "attempt", "resumed_from")
AT_ONCE = 2_000_000  # rows that are in memory together, about
MOST_SERIES = 512


@frozen
class Curves:
    """One series in both runs; None where a run has no value of it."""

    name: str
    last: tuple[float | None, float | None]
    lowest: tuple[float | None, float | None]
    num_common: int  # steps that both have
    first_difference: int | None  # the first of them at which the values differ
    largest_difference: float | None  # of finite values, at common steps


def settings_that_differ(first: Run, second: Run) -> dict[str, tuple[Any, Any]]:
    one, two = _settings(first), _settings(second)
    return {name: (one.get(name), two.get(name)) for name in {**one, **two} if one.get(name) != two.get(name)}


def compare_series(first: Run, second: Run) -> Iterator[Curves]:
    """Series of rank 0 by name, a few at a time."""
    processes = (first.process(0), second.process(0))
    for names in _groups(processes):
        one, two = (_columns(process, names) for process in processes)
        for name in names:
            yield _compare(name, one.get(name), two.get(name))


def _groups(processes: Sequence[StoredProcess]) -> Iterator[list[str]]:
    """All names in order: of long series one by itself is read fastest, many short ones are read together."""
    num_rows: dict[str, int] = {}
    for process in processes:
        series = process.series()
        each = sum(segment.num_rows for segment in process.segments()) // max(1, len(series))
        for one in series:
            if one.kind == "scalar":
                num_rows[one.name] = num_rows.get(one.name, 0) + each
    group: list[str] = []
    for name in sorted(num_rows):
        if group and (len(group) == MOST_SERIES or sum(num_rows[one] for one in (*group, name)) > AT_ONCE):
            yield group
            group = []
        group.append(name)
    if group:
        yield group


def _settings(run: Run) -> dict[str, Any]:
    line: Summary = summarize([run])[0]
    found: dict[str, Any] = {name: getattr(line, name) for name in SETTINGS}
    try:
        versions = json.loads(run.meta.get("versions", "{}"))
    except ValueError:
        versions = {}
    found |= {f"version of {name}": version for name, version in versions.items()}
    own = {name: setting.text or setting.type for name, setting in run.settings.items()}
    return found | {(f"setting {name}" if name in found else name): value for name, value in own.items()}


def _columns(process: StoredProcess, names: Sequence[str]) -> dict[str, Column]:
    wanted = frozenset(names)
    found = process.columns(lambda series: series.kind == "scalar" and series.name in wanted)
    return {series.name: _last_of_each_step(column) for series, column in found.items() if len(column)}


def _compare(name: str, one: Column | None, two: Column | None) -> Curves:
    import numpy as np

    last, lowest = (_last(one), _last(two)), (_lowest(one), _lowest(two))
    if one is None or two is None:
        return Curves(name, last, lowest, 0, None, None)
    common, at_one, at_two = np.intersect1d(one.steps, two.steps, assume_unique=True, return_indices=True)
    left, right = one.values[at_one], two.values[at_two]
    differs = (left != right) & ~(np.isnan(left) & np.isnan(right))
    finite = np.isfinite(left) & np.isfinite(right)
    largest = float(np.abs(left[finite] - right[finite]).max()) if finite.any() else None
    first = int(common[int(differs.argmax())]) if differs.any() else None
    return Curves(name, last, lowest, len(common), first, largest)


def _last_of_each_step(column: Column) -> Column:
    """A step may have been logged twice: what was said last counts."""
    import numpy as np

    is_last: NDArray[np.bool_] = np.append(column.steps[1:] != column.steps[:-1], True)
    if is_last.all():
        return column
    return Column(column.steps[is_last], column.times[is_last], column.values[is_last])


def _last(column: Column | None) -> float | None:
    return None if column is None else float(column.values[-1])


def _lowest(column: Column | None) -> float | None:
    import numpy as np

    if column is None:
        return None
    finite = column.values[np.isfinite(column.values)]
    return float(finite.min()) if len(finite) else None
