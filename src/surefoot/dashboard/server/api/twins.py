"""Run the two programs of a rule: `surefoot learn RULE --run` in a process of its own, whose lines are the answer.

Only names of the catalogue get there. Whoever closes the request ends the process; so does the end of the server, by
whatever means, because the process listens to its stdin.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from surefoot.dashboard.server.child import environment
from surefoot.dashboard.server.reply import refuse
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import Lesson, lesson_of

AT_ONCE = 2
END_SECONDS = 10.0  # for a process that was asked to end
LONGEST_LINE = 2**24


class Running:
    """The processes of this server. `tasks` holds those that wait for the end of one."""

    def __init__(self) -> None:
        self.num = 0
        self.tasks: set[asyncio.Task[None]] = set()


async def run_twins(request: Request) -> Response:
    lesson = await to_thread.run_sync(_lesson, request.path_params["rule"])
    if lesson is None:
        return refuse(404, "there is no such rule.")
    if lesson.obstacle:
        return refuse(409, lesson.obstacle)
    running = _running(request)
    if running.num >= AT_ONCE:
        return refuse(429, f"{AT_ONCE} pairs of programs run already. Wait for one to end, or cancel it.")
    running.num += 1  # before anything is waited for
    try:
        process = await _start(lesson.rule.name)
    except BaseException:
        running.num -= 1
        raise
    task = asyncio.create_task(_wait(process, running))
    running.tasks.add(task)
    task.add_done_callback(running.tasks.discard)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_lines(request, process), media_type="application/x-ndjson", headers=headers)


def _running(request: Request) -> Running:
    state = request.app.state
    if not hasattr(state, "twins"):
        state.twins = Running()
    running: Running = state.twins
    return running


def _lesson(name: str) -> Lesson | None:
    rule = catalogue().get(name)
    return None if rule is None else lesson_of(rule)


async def _start(rule: str) -> Process:
    """Nothing comes from the folder where the server was started (-P)."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "surefoot", "learn", rule, "--run", "--format", "json", "--until-stdin-closes",
        stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_LINE, start_new_session=True, env=environment(),
    )  # fmt: skip


async def _lines(request: Request, process: Process) -> AsyncIterator[bytes]:
    assert process.stdin is not None and process.stdout is not None
    at_closing, end = request.app.state.live.at_closing, process.stdin.close
    at_closing.add(end)
    watch = asyncio.create_task(_until_gone(request, process))
    try:
        async for line in process.stdout:
            yield line
    finally:
        at_closing.discard(end)
        watch.cancel()
        _let_go(process)


async def _until_gone(request: Request, process: Process) -> None:
    """The next line may be seconds away: nobody waits for it."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    _let_go(process)


def _let_go(process: Process) -> None:
    """It ends when its stdin is closed. If it does not, it is killed, and its programs end in the same way."""
    assert process.stdin is not None
    process.stdin.close()
    asyncio.get_running_loop().call_later(END_SECONDS, _kill, process)


def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            process.kill()


async def _wait(process: Process, running: Running) -> None:
    try:
        await process.wait()
    finally:
        running.num -= 1
