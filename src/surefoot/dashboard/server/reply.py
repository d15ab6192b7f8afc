"""Answers as JSON, made in a thread: reading a log blocks."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.server.late import HOME, late

Handler = Callable[[Request], Awaitable[Response]]


class BadRequestError(Exception):
    """Said to the page as it is."""


class Params:
    """What is asked for in a request: its path and its query."""

    def __init__(self, request: Request) -> None:
        self.path = request.path_params
        self._query = request.query_params

    def text(self, name: str, default: str = "") -> str:
        return self._query.get(name, default)

    def texts(self, name: str) -> list[str]:
        return self._query.getlist(name)

    def number(self, name: str, default: int | None = None, *, least: int = -(2**62), most: int = 2**62) -> int | None:
        """A whole number, kept within limits."""
        given = self._query.get(name, "")
        if not given:
            return default
        try:
            return min(most, max(least, int(float(given))))
        except (ValueError, OverflowError):
            raise BadRequestError(f"{name} must be a whole number, got {given[:40]!r}.") from None

    def count(self, name: str, default: int, most: int) -> int:
        return self.number(name, default, least=1, most=most) or default


def reading(name: str) -> Handler:
    """A route that reads: the answer is found and written in a thread."""
    answer = late(name)

    async def handle(request: Request) -> Response:
        state, params = request.app.state, Params(request)
        return await to_thread.run_sync(told, lambda: answer(state.late.run_cache(), params))

    return handle


def acting(name: str) -> Handler:
    """A route that does something; its handler, by module and name, is loaded when it is first asked for."""
    module, function = name.split(".")

    async def handle(request: Request) -> Response:
        loaded = await to_thread.run_sync(importlib.import_module, f"{HOME}.{module}")
        answer: Response = await getattr(loaded, function)(request)
        return answer

    return handle


def told(answer: Callable[[], dict[str, Any]]) -> Response:
    """The answer, or why there is none."""
    from surefoot.dashboard.data.run_cache import NoSuchRunError
    from surefoot.runlog.read.error import DAMAGE, RunLogError

    try:
        return as_json(encode(answer()))
    except (NoSuchRunError, KeyError) as error:
        return refuse(404, str(error.args[0]))
    except BadRequestError as error:
        return refuse(400, str(error))
    except RunLogError as error:
        return refuse(422, str(error))
    except DAMAGE as error:
        return refuse(422, f"this part of the log can't be read: {error}")


def as_json(text: str, status: int = 200) -> Response:
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, status, {"Cache-Control": "no-store"}, media_type="application/json")


def refuse(status: int, why: str) -> Response:
    return as_json(encode({"error": why}), status)
