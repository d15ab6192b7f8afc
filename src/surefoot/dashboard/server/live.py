"""What is new, as server-sent events. One look at the files serves all who listen, and nobody looks when none does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.server.late import Late
from surefoot.dashboard.server.reply import refuse

if TYPE_CHECKING:
    from surefoot.dashboard.data.news import FolderNews, RunNews

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
            try:
                has_changed = await to_thread.run_sync(self._look)
            except Exception:  # of a folder that is going away: whoever reads it is told
                has_changed = True
            if has_changed:
                self.wake()


class Live:
    """All that is listened to."""

    def __init__(self, late: Late) -> None:
        self.is_closing = False
        self.at_closing: set[Callable[[], None]] = set()  # what else must end
        self._late = late
        self._streams: dict[str | None, tuple[RunNews | FolderNews, Watcher]] = {}

    async def stream(self, name: str | None) -> tuple[RunNews | FolderNews, Watcher] | None:
        """Of one run, or of the list of runs; None if there is no such run."""
        news = await to_thread.run_sync(self._news, name)
        if news is not None and name not in self._streams:
            self._streams[name] = news, Watcher(news.look)
        return None if news is None else self._streams[name]

    def close(self) -> None:
        """End all streams at once."""
        self.is_closing = True
        for _, watcher in self._streams.values():
            watcher.wake()
        for end in list(self.at_closing):
            end()

    def _news(self, name: str | None) -> RunNews | FolderNews | None:
        from surefoot.dashboard.data.news import FolderNews, RunNews
        from surefoot.dashboard.data.shelf import NoSuchRunError

        shelf = self._late.shelf()
        if name is None:
            return FolderNews(shelf)
        try:
            shelf.open(name)
        except NoSuchRunError:
            return None
        return RunNews(shelf, name)


async def live(request: Request) -> Response:
    """`/api/live?run=NAME&cursor=…`, or without a run what changes in the list."""
    streams: Live = request.app.state.live
    cursor = request.headers.get("last-event-id") or request.query_params.get("cursor", "")
    found = await streams.stream(request.query_params.get("run"))
    if found is None:
        return refuse(404, "there is no such run.")
    news, watcher = found
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
