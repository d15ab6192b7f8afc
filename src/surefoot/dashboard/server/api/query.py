"""SQL, answered in lines of JSON as rows come. A long query holds up nobody, and ends when nobody waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.data.question import answer_parts, remote_parts
from surefoot.dashboard.server.body import is_json, read_json
from surefoot.dashboard.server.reply import refuse
from surefoot.runlog.box.boxes import Stop
from surefoot.runlog.box.error import QueryError
from surefoot.runlog.read.error import RunLogError

MOST_BYTES = 100_000  # of a question

Parts = Iterator[dict[str, Any]]


async def query(request: Request) -> Response:
    if not is_json(request):
        return refuse(415, "a query is sent as application/json.")
    sql = await _sql(request)
    if sql is None:
        return refuse(400, 'a query is sent as {"sql": "SELECT …"}.')
    state, stop = request.app.state, Stop()
    state.live.at_closing.add(stop.ask)
    parts = _parts(state, sql, stop)
    gone = asyncio.create_task(_until_gone(request, stop))
    try:
        head = await _next(request, parts)
    except (QueryError, RunLogError) as error:
        _end(request, gone, stop)
        return refuse(422 if isinstance(error, RunLogError) else 400, str(error))
    except BaseException:
        _end(request, gone, stop)
        raise
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    lines = _lines(request, head, parts, gone, stop)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


def _parts(state: State, sql: str, stop: Stop) -> Parts:
    if isinstance(state.late.folder, Path):
        return answer_parts(state.late.folder, state.boxes, sql, stop)
    return remote_parts(lambda: state.late.run_cache().remote, sql)


async def _lines(
    request: Request, head: dict[str, Any] | None, parts: Parts, gone: asyncio.Task[None], stop: Stop
) -> AsyncIterator[bytes]:
    """What goes wrong after the first line is the last one."""
    try:
        part = head
        while part is not None:
            yield _line(part)
            part = await _next(request, parts)
    except (QueryError, RunLogError) as error:
        yield _line({"error": str(error)})
    finally:
        _end(request, gone, stop)


async def _next(request: Request, parts: Parts) -> dict[str, Any] | None:
    return await to_thread.run_sync(next, parts, None, limiter=request.app.state.queries)


async def _until_gone(request: Request, stop: Stop) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    stop.ask()


def _end(request: Request, gone: asyncio.Task[None], stop: Stop) -> None:
    """What is left of the answer is given up, and its process with it; after the last part there is nothing left."""
    request.app.state.live.at_closing.discard(stop.ask)
    gone.cancel()
    stop.ask()


def _line(part: dict[str, Any]) -> bytes:
    return encode(part).encode("utf-8", "backslashreplace") + b"\n"


async def _sql(request: Request) -> str | None:
    given = await read_json(request, MOST_BYTES)
    sql = given.get("sql") if isinstance(given, dict) else None
    return sql if isinstance(sql, str) else None
