"""What is new, as server-sent events. One look at the files serves all who listen, and nobody looks when none does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.data.news import FolderNews, RunNews
from surefoot.dashboard.data.shelf import NoSuchRunError, Shelf
from surefoot.dashboard.server.reply import refuse

LOOK_SECONDS = 0.25
QUIET_SECONDS = 15.0  # after which a comment shows that the server is there
RETRY_MILLISECONDS = 1000

Message = tuple[str, str, dict[str, Any]]  # event, cursor, data


class Watcher:
    """Looks at files while somebody listens, and wakes the listeners when something has changed."""

    def __init__(self, look: Callable[[], bool]) -> None:
        self._look = look
        self._listeners: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        event = asyncio.Event()
        event.set()  # there may be news since the cursor
        self._listeners.add(event)
        if self._task is None:
            self._task = asyncio.create_task(self._watch())
        try:
            yield event
        finally:
            self._listeners.discard(event)
            if not self._listeners and self._task is not None:
                self._task.cancel()
                self._task = None

    def wake(self) -> None:
        for event in self._listeners:
            event.set()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if await to_thread.run_sync(self._look):
                self.wake()


class Live:
    """All that is listened to."""

    def __init__(self, shelf: Shelf) -> None:
        self.is_closing = False
        self._shelf = shelf
        self._runs: dict[str, tuple[RunNews, Watcher]] = {}
        self._folder: tuple[FolderNews, Watcher] | None = None

    async def run(self, name: str) -> tuple[RunNews, Watcher]:
        await to_thread.run_sync(self._shelf.open, name)  # says if there is none
        if name not in self._runs:
            news = RunNews(self._shelf, name)
            self._runs[name] = news, Watcher(news.look)
        return self._runs[name]

    def folder(self) -> tuple[FolderNews, Watcher]:
        if self._folder is None:
            news = FolderNews(self._shelf)
            self._folder = news, Watcher(news.look)
        return self._folder

    def close(self) -> None:
        """End all streams at once."""
        self.is_closing = True
        for _, watcher in [*self._runs.values(), *([self._folder] if self._folder else [])]:
            watcher.wake()


async def live(request: Request) -> Response:
    """`/api/live?run=NAME&cursor=…`, or without a run what changes in the list."""
    streams: Live = request.app.state.live
    name = request.query_params.get("run")
    cursor = request.headers.get("last-event-id") or request.query_params.get("cursor", "")
    try:
        news, watcher = streams.folder() if name is None else await streams.run(name)
    except NoSuchRunError as error:
        return refuse(404, str(error))
    told = news.since(cursor)

    async def read() -> list[Message]:
        return await to_thread.run_sync(told.next)

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(streams, watcher, read), media_type="text/event-stream", headers=headers)


async def _events(streams: Live, watcher: Watcher, read: Callable[[], Awaitable[list[Message]]]) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    with watcher.listening() as changed:
        while not streams.is_closing:
            try:
                await asyncio.wait_for(changed.wait(), QUIET_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            changed.clear()
            for event, cursor, data in await read():
                yield f"event: {event}\nid: {cursor}\ndata: {encode(data)}\n\n"
