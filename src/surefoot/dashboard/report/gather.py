"""What the server would tell of one run, all at once, in as many points as a file may hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

from surefoot.dashboard.data.charts import charts, params
from surefoot.dashboard.data.findings import findings
from surefoot.dashboard.data.heatmap import COLUMNS, KINDS, heatmap
from surefoot.dashboard.data.hists import hists
from surefoot.dashboard.data.media import as_address, find_medium, list_media
from surefoot.dashboard.data.rule_page import rule_page
from surefoot.dashboard.data.run import describe
from surefoot.dashboard.data.run_cache import row_of
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.dashboard.data.tracks import Memory
from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.process import StoredProcess
from surefoot.runlog.read.run import Run

MOST_POINTS = 2000  # of a series
LEAST_POINTS = 50
ALL_POINTS = 400_000  # of all series
ALL_BINS = 200_000  # of all histograms
MOST_HISTS, LEAST_HISTS = 40, 3  # of a name
BINS = 40  # of a histogram, about
MEDIA_BYTES = 3_000_000  # of files, all together
EVER = 2**62


def gather(run: Run, share: float = 1.0) -> dict[str, Any]:
    """`share` of the points that a file may hold."""
    memory = Memory()
    media = _media(run, int(share * MEDIA_BYTES))  # first: the page tells which of them are damaged
    about = describe(run, row_of(run, memory), SeriesIndexes())
    kinds = [series["kind"] for series in about["series"]]
    num = _within(LEAST_POINTS, share * ALL_POINTS / max(1, len(kinds) - kinds.count("hist")), share * MOST_POINTS)
    num_hists = _within(LEAST_HISTS, share * ALL_BINS / BINS / max(1, kinds.count("hist")), MOST_HISTS)
    found = findings(run)
    return {
        "run": about,
        "findings": {"findings": found},
        "media": media,
        "rules": {name: page for name in {str(one["rule"]) for one in found} if (page := _rule(name))},
        "ranks": {
            str(process.rank): _of_process(process, memory, num, num_hists)
            for process in run
            if process.rank is not None or len(run.processes) == 1
        },
    }


def _of_process(process: StoredProcess, memory: Memory, num: int, num_hists: int) -> dict[str, Any]:
    series = process.series()
    names = [one.name for one in series if one.kind == "scalar"]
    maps = {of: heatmap(process, memory, of, None, None, COLUMNS) for of in KINDS}
    return {
        "series": [_short(chart) for chart in charts(process, memory, names, None, None, num)["series"]],
        "params": params(process, memory, num),
        "heatmaps": {of: found for of, found in maps.items() if found["rows"]},
        "hists": {one.name: hists(process, one.name, -EVER, EVER, num_hists) for one in series if one.kind == "hist"},
    }


def _media(run: Run, room: int) -> list[dict[str, Any]]:
    """The newest of each name first, as many as there is room for; of the others only that they are there."""
    found = list_media(run)
    num_newer: Counter[tuple[str, str]] = Counter()
    order = []
    for line in reversed(found):
        num_newer[line["process"], line["name"]] += 1
        order.append((num_newer[line["process"], line["name"]], line))
    for _, line in sorted(order, key=lambda pair: pair[0]):
        if line["bytes"] <= room:
            try:
                line["address"] = as_address(find_medium(run, line["process"], line["file"]))
                room -= line["bytes"]
            except RunLogError as error:
                next(process for process in run if process.name == line["process"]).say(str(error))
    return found


def _short(chart: dict[str, Any]) -> dict[str, Any]:
    """Where every row is there, its low and high are itself."""
    return {key: value for key, value in chart.items() if not (chart["is_exact"] and key in ("lows", "highs"))}


def _rule(name: str) -> dict[str, Any] | None:
    try:
        return rule_page(name)
    except KeyError:  # of a plug-in that is not installed here
        return None


def _within(least: int, wanted: float, most: float) -> int:
    return max(least, int(min(wanted, most)))
