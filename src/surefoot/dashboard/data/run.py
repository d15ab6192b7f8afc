"""All that is told of one run at first; its curves come when they are asked for."""

from __future__ import annotations

import dataclasses
from typing import Any

from surefoot.dashboard.data.cursor import as_text
from surefoot.dashboard.data.heatmap import places_in_model
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.runlog.media.kind import MEDIA
from surefoot.runlog.read.connection import snapshot
from surefoot.runlog.read.error import DAMAGE
from surefoot.runlog.read.follow import Cursor, newest
from surefoot.runlog.read.run import Run
from surefoot.runlog.setting import PREFIX


def describe(run: Run, row: dict[str, Any], indexes: SeriesIndexes, *, is_brief: bool = False) -> dict[str, Any]:
    """If it `is_brief`, without what only the run's own page shows.

    `cursor` is from where on news must be asked for; what comes between is told twice rather than not at all.
    """
    cursor = as_text(cursors(run))
    series = []
    for process in run:
        try:
            series += indexes.take(process)
        except DAMAGE as error:
            process.say(f"series of {process.name} can't be read: {error}")
    return {
        "run": row,
        "meta": {key: text for key, text in run.meta.items() if not key.startswith(PREFIX)},
        "settings": [
            {"name": name, "value": setting.value, "source": setting.source} for name, setting in run.settings.items()
        ],
        "ranks": [process.rank for process in run if process.rank is not None],
        "series": _in_order(series, places_in_model(run.first)),
        "convergence": None if is_brief else _convergence(run),
        "events": [] if is_brief else events(run),
        "has_media": not is_brief and any(process.media() for process in run),
        "problems": list(dict.fromkeys(run.problems)),
        "cursor": cursor,
    }


def _in_order(series: list[dict[str, Any]], places: dict[str, int]) -> list[dict[str, Any]]:
    """Those of parameters last, as the model has them; measured together, they are written in another order."""
    return sorted(series, key=lambda one: places.get(str(one["name"]).partition("/")[2], -1))


def cursors(run: Run) -> dict[str, Cursor]:
    found = {}
    for process in run:
        with snapshot(process.file) as connection:
            found[process.name] = newest(connection)
    return found


def events(run: Run) -> list[dict[str, Any]]:
    all_of_them = [(process.rank, event) for process in run for event in process.events() if event.kind != MEDIA]
    found = [{"rank": rank, **dataclasses.asdict(event)} for rank, event in all_of_them]
    return sorted(found, key=lambda event: float(event["time"]))


def _convergence(run: Run) -> dict[str, str] | None:
    from surefoot.report.convergence import stored_loss_summary

    try:
        lines = stored_loss_summary(run.first, goes_on=run.status == "running")
    except Exception as error:  # of a damaged log, or of a rule's finding of another version
        return {"text": f"Can't tell how the loss ended: {error}"}
    return {"text": "\n".join(lines)} if lines else None
