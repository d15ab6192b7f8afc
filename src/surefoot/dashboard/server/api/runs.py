"""Runs: the list, and one of them."""

from typing import Any

from surefoot.dashboard.data.census import Censuses
from surefoot.dashboard.data.findings import findings
from surefoot.dashboard.data.run import describe
from surefoot.dashboard.data.shelf import Shelf
from surefoot.dashboard.server.reply import Params

MOST_COLUMNS = 32

_CENSUSES = Censuses()


def list_runs(shelf: Shelf, params: Params) -> dict[str, Any]:
    return {"runs": shelf.rows(), "folder": str(shelf.folder)}


def list_settings(shelf: Shelf, params: Params) -> dict[str, Any]:
    return shelf.settings(params.texts("name")[:MOST_COLUMNS])


def one_run(shelf: Shelf, params: Params) -> dict[str, Any]:
    run = shelf.open(params.path["run"])
    return describe(run, shelf.row(run), _CENSUSES)


def list_findings(shelf: Shelf, params: Params) -> dict[str, Any]:
    return {"findings": findings(shelf.open(params.path["run"]))}
