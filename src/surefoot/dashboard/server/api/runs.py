"""Runs: the list, and one of them."""

from typing import Any

from surefoot.dashboard.data.findings import findings
from surefoot.dashboard.data.run import describe
from surefoot.dashboard.data.run_cache import RunCache
from surefoot.dashboard.data.series_index import SeriesIndexes
from surefoot.dashboard.server.reply import Params

MOST_COLUMNS = 32

_CENSUSES = SeriesIndexes()


def list_runs(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return {"runs": run_cache.rows(), "folder": run_cache.where, "can_edit": run_cache.allows_edits}


def list_columns(run_cache: RunCache, params: Params) -> dict[str, Any]:
    settings, metrics = (params.texts(kind)[:MOST_COLUMNS] for kind in ("setting", "metric"))
    return run_cache.columns(settings, metrics, with_metrics=bool(metrics or params.text("all")))


def one_run(run_cache: RunCache, params: Params) -> dict[str, Any]:
    run = run_cache.open(params.path["run"])
    return describe(run, run_cache.row(run), _CENSUSES, is_brief=bool(params.text("brief")))


def list_findings(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return {"findings": findings(run_cache.open(params.path["run"]))}
