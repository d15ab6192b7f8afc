"""Series as charts show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefoot.dashboard.data.cursor import as_text
from surefoot.dashboard.data.encode import TIMES, Numbers
from surefoot.dashboard.data.track import Cells, Odd
from surefoot.dashboard.data.tracks import Memory, known_series
from surefoot.runlog.read.process import StoredProcess

EVER = 2**62
BUCKETS = 800
MOST_BUCKETS = 5000


def charts(
    process: StoredProcess, memory: Memory, names: Sequence[str], first: int | None, last: int | None, num: int
) -> dict[str, Any]:
    """The named series of a process, those that it has, in the order asked for."""
    known = {series.name: series for series in known_series(process)}
    wanted = [known[name] for name in dict.fromkeys(names) if name in known]
    begin, end = -EVER if first is None else first, EVER if last is None else last
    now, found = memory.of(process).read(wanted, begin, end, num)
    listed = [
        {"name": series.name, "rank": process.rank, **chart(cells, odd, begin, end)}
        for series, (cells, odd) in found.items()
    ]
    return {"series": listed, "cursor": as_text({process.name: now})}


def params(process: StoredProcess, memory: Memory, num: int = BUCKETS) -> dict[str, Any]:
    """Values of tracked parameters."""
    now, found = memory.of(process).read(known_series(process, "param"), -EVER, EVER, num)
    listed = []
    for series, (cells, odd) in found.items():
        shown = chart(cells, odd, -EVER, EVER)
        listed.append({"name": series.name, "place": series.place, "values": shown["lasts"], **shown})
    return {"params": listed, "cursor": as_text({process.name: now})}


def chart(cells: Cells, odd: Odd, first: int, last: int) -> dict[str, Any]:
    """`steps` and `times` are those of the last row of each bucket, as `lasts` are its values."""
    return {
        "steps": Numbers(cells.steps),
        "times": Numbers(cells.times, form=TIMES),
        "lows": Numbers(cells.lows, gap=math.nan),
        "highs": Numbers(cells.highs, gap=math.nan),
        "lasts": Numbers(cells.lasts),
        "nonfinite": odd.within(first, last),
        "num_nonfinite": int(cells.odd.sum()),
        "is_exact": bool((cells.counts == 1).all()),
        "count": int(cells.counts.sum()),
        "every": every(cells),
    }


def every(cells: Cells) -> list[float]:
    """How many steps lie between two rows: the tenth and the ninetieth percentile. Signals are not sampled evenly."""
    if len(cells) < 2:
        return []
    gaps = np.diff(cells.steps) / cells.counts[1:]
    return [round(float(gap), 1) for gap in np.quantile(gaps, [0.1, 0.9])]
