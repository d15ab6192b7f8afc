"""The application: routes and what they share."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from surefoot.dashboard.data.question import MEMORY
from surefoot.dashboard.server.api.query import query
from surefoot.dashboard.server.auth import Auth, Guard
from surefoot.dashboard.server.late import Late
from surefoot.dashboard.server.live import Live, live
from surefoot.dashboard.server.reply import acting, reading, refuse
from surefoot.runlog.box.boxes import Boxes

PAGE = Path(__file__).parent.parent / "page"
RUN = "/api/runs/{run}"
QUERIES = 8  # that run or wait for a box; others wait for these


def make_app(folder: Path | str, auth: Auth, *, allows_edits: bool = True) -> tuple[ASGIApp, Live]:
    """The application behind its door, and what must be told when the server ends."""
    mimetypes.add_type("text/javascript", ".js")  # some systems know it by another name, which browsers refuse
    app = Starlette(
        routes=[
            Route("/", _index),
            Route("/api/runs", reading("runs.list_runs")),
            Route("/api/edit", acting("edit.edit_runs"), methods=["POST"]),
            Route("/api/columns", reading("runs.list_columns")),
            Route("/api/series", reading("series.read_series_of_runs")),
            Route("/api/ranking", reading("compare.read_ranking")),
            Route(RUN, reading("runs.one_run")),
            Route(f"{RUN}/series", reading("series.read_series")),
            Route(f"{RUN}/params", reading("series.read_params")),
            Route(f"{RUN}/findings", reading("runs.list_findings")),
            Route(f"{RUN}/heatmap", reading("layers.read_heatmap")),
            Route(f"{RUN}/hists", reading("layers.read_hists")),
            Route(f"{RUN}/media", reading("media.read_media")),
            Route(f"{RUN}/media/{{process}}/{{file}}", acting("media.send_file")),
            Route("/api/compare", reading("compare.compare_runs")),
            Route("/api/rules/{rule}", reading("learn.read_rule_page")),
            Route("/api/learn", reading("learn.list_lessons")),
            Route("/api/learn/families/{family}", reading("learn.read_family")),
            Route("/api/learn/{rule}", reading("learn.read_rule")),
            Route("/api/learn/{rule}/run", acting("twins.run_twins"), methods=["POST"]),
            Route("/api/traces", reading("traces.list_traces")),
            Route("/api/traces/{trace}", reading("traces.one_trace")),
            Route("/api/query", query, methods=["POST"]),
            Route("/api/descent", _descend, methods=["POST"]),
            Route("/api/live", live),
            Mount("/static", StaticFiles(directory=PAGE)),
        ],
        exception_handlers={404: _missing, 405: _missing, 500: _failed},
    )
    app.state.late = Late(folder, allows_edits=allows_edits)
    app.state.live = Live(app.state.late)
    app.state.queries = CapacityLimiter(QUERIES)  # threads of their own: a long query holds up no other answer
    app.state.boxes = Boxes(MEMORY)
    app.state.live.at_closing.add(app.state.boxes.close)
    return Guard(app, auth), app.state.live


async def _index(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _descend(request: Request) -> Response:
    from surefoot.dashboard.server.api.descent import descend  # the lab is opened by few

    return await descend(request)


async def _missing(request: Request, error: Exception) -> Response:
    return refuse(getattr(error, "status_code", 404), "there is nothing at this address.")


async def _failed(request: Request, error: Exception) -> Response:
    return refuse(500, f"the server has failed at this: {type(error).__name__}.")
