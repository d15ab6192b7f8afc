"""What is new, as server-sent events. One look at the files serves all who listen, and nobody looks when none does."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from surefoot.dashboard.data.encode import encode
from surefoot.dashboard.server.late import Late
from surefoot.dashboard.server.reply import refuse

if TYPE_CHECKING:
    from surefoot.dashboard.data.news import FolderNews, RunNews, Told, ToldOfSeveral

LOOK_SECONDS = 0.25
QUIET_SECONDS = 15.0  # after which a comment shows that the server is there
RETRY_MILLISECONDS = 1000
MOST_RUNS = 64  # in one stream

Message = tuple[str, str, dict[str, Any]]  # event, cursor, data


class Watcher:
    """Looks at files while somebody listens, and wakes the listeners when something has changed."""

    def __init__(self, look: Callable[[], bool]) -> None:
        self._look = look
        self._listeners: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def listening(self, event: asyncio.Event) -> Iterator[None]:
        """The event is set whenever there may be news, as since the cursor."""
        event.set()
        self._listeners.add(event)
        if self._task is None:
            self._task = asyncio.create_task(self._watch())
        try:
            yield
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
        from surefoot.dashboard.data.run_cache import NoSuchRunError

        run_cache = self._late.run_cache()
        if name is None:
            return FolderNews(run_cache)
        try:
            run_cache.open(name)
        except NoSuchRunError:
            return None
        return RunNews(run_cache, name)


async def live(request: Request) -> Response:
    """`/api/live?run=NAME&cursor=…`, also of several runs in one stream, or without a run what changes in the list."""
    streams: Live = request.app.state.live
    cursor = request.headers.get("last-event-id") or request.query_params.get("cursor", "")
    names = request.query_params.getlist("run")
    if len(names) > MOST_RUNS:
        return refuse(400, f"at most {MOST_RUNS} runs are followed at once.")
    found = []
    wanted: list[str | None] = [*names] or [None]
    for name in wanted:
        one = await streams.stream(name)
        if one is None:
            return refuse(404, "there is no such run.")
        found.append(one)
    told = _told([news for news, _ in found], names, cursor)

    async def read() -> list[Message]:
        return await to_thread.run_sync(told.next)

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    events = _events(streams, [watcher for _, watcher in found], read)
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def _told(news: Sequence[RunNews | FolderNews], names: Sequence[str], cursor: str) -> Told | ToldOfSeveral:
    if len(news) == 1:
        return news[0].since(cursor)
    from surefoot.dashboard.data.news import ToldOfSeveral

    return ToldOfSeveral(dict(zip(names, news, strict=True)), cursor)


async def _events(
    streams: Live, watchers: Sequence[Watcher], read: Callable[[], Awaitable[list[Message]]]
) -> AsyncIterator[str]:
    yield f"retry: {RETRY_MILLISECONDS}\n\n"
    changed = asyncio.Event()
    with contextlib.ExitStack() as listening:
        for watcher in watchers:
            listening.enter_context(watcher.listening(changed))
        while not streams.is_closing:
            try:
                await asyncio.wait_for(changed.wait(), QUIET_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            changed.clear()
            for event, cursor, data in await read():
                yield f"event: {event}\nid: {cursor}\ndata: {encode(data)}\n\n"
