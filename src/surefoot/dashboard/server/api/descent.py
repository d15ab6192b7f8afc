"""The optimizer lab: settings in, paths out. A worker computes them; a request that nobody waits for is cancelled."""

from __future__ import annotations

from typing import Any

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from surefoot.dashboard.data.encode import Numbers, encode
from surefoot.dashboard.server.body import is_json, read_json
from surefoot.dashboard.server.reply import as_json, refuse
from surefoot.dashboard.server.worker import Answer, Worker, WorkerError

MOST_BYTES = 8_000  # of settings
COLUMNS = ("w0", "w1", "loss", "grad_norm", "rate")


async def descend(request: Request) -> Response:
    if not is_json(request):
        return refuse(415, "settings are sent as application/json.")
    settings = await read_json(request, MOST_BYTES)
    if settings is None:
        return refuse(400, 'settings are sent as {"paths": [{…}]}, and are shorter than that.')
    worker = _worker(request.app.state)
    try:
        number, future = await to_thread.run_sync(worker.ask, settings)
    except WorkerError as error:
        return refuse(503, str(error))
    answers: list[Response] = []
    async with anyio.create_task_group() as both:

        async def ask() -> None:
            answers.append(await to_thread.run_sync(_told, future))
            both.cancel_scope.cancel()

        both.start_soon(ask)
        while (await request.receive())["type"] != "http.disconnect":
            pass
        await to_thread.run_sync(worker.cancel, number)
    return answers[0] if answers else refuse(409, "this was cancelled.")


def _worker(state: Any) -> Worker:
    """One for all pages, made when the first asks."""
    if not hasattr(state, "descent"):
        state.descent = Worker()
        state.live.at_closing.add(state.descent.close)
    found: Worker = state.descent
    return found


def _told(future: Any) -> Response:
    try:
        answer: Answer = future.result()
    except WorkerError as error:
        return refuse(503, str(error))
    if "paths" in answer:
        return as_json(encode({"paths": [_path(path) for path in answer["paths"]]}))
    if "fields" in answer:
        fields: dict[str, str] = answer["fields"]
        return as_json(encode({"error": " ".join(fields.values()), "fields": fields}), 400)
    if "error" in answer:
        return refuse(422, answer["error"])
    return refuse(409, "this was cancelled.")


def _path(path: dict[str, Any]) -> dict[str, Any]:
    return {name: Numbers(value) if name in COLUMNS else value for name, value in path.items()}
