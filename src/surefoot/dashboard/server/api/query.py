"""SQL. A long query holds up nobody, and ends when nobody waits for it any more."""

from __future__ import annotations

from pathlib import Path

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from surefoot.dashboard.data.question import question
from surefoot.dashboard.server.body import is_json, read_json
from surefoot.dashboard.server.reply import refuse, told
from surefoot.runlog.box.boxes import Boxes, Stop
from surefoot.runlog.box.error import QueryError

MOST_BYTES = 100_000  # of a question


async def query(request: Request) -> Response:
    if not is_json(request):
        return refuse(415, "a query is sent as application/json.")
    sql = await _sql(request)
    if sql is None:
        return refuse(400, 'a query is sent as {"sql": "SELECT …"}.')
    stop = Stop()
    at_closing = request.app.state.live.at_closing
    at_closing.add(stop.ask)
    try:
        return await _answer(request, sql, stop)
    finally:
        at_closing.discard(stop.ask)


async def _answer(request: Request, sql: str, stop: Stop) -> Response:
    state = request.app.state
    answers: list[Response] = []
    async with anyio.create_task_group() as both:

        async def ask() -> None:
            answers.append(
                await to_thread.run_sync(_asked, state.late.folder, state.boxes, sql, stop, limiter=state.queries)
            )
            both.cancel_scope.cancel()

        both.start_soon(ask)
        while (await request.receive())["type"] != "http.disconnect":
            pass
        stop.ask()
    return answers[0] if answers else refuse(400, "the query was stopped.")


async def _sql(request: Request) -> str | None:
    given = await read_json(request, MOST_BYTES)
    sql = given.get("sql") if isinstance(given, dict) else None
    return sql if isinstance(sql, str) else None


def _asked(folder: Path, boxes: Boxes, sql: str, stop: Stop) -> Response:
    try:
        return told(lambda: question(folder, boxes, sql, stop))
    except QueryError as error:
        return refuse(400, str(error))
