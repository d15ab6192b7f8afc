"""A client of the official SDK, over stdin and stdout."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.cli.command import CLEAN, STALE, STALE_LINE, environment, write
from tests.runlog.making import LogFile

pytest.importorskip("mcp", reason="the extra surefoot[mcp] is not installed")

from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import TextContent

from surefoot.mcp.answer import MOST_BYTES

READING = ["findings", "explain", "query", "compare"]
RUNNING = ["run", "trace", "check", "verify", "fix"]
TRAIN = {"program": ["train.py"]}
SECONDS = 120.0  # only to end what hangs

Ask = Callable[..., Awaitable[tuple[bool, str]]]


@asynccontextmanager
async def connected(folder: Path, *options: str) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "surefoot", "mcp", *options], cwd=folder, env=environment()
    )
    with anyio.fail_after(SECONDS):
        async with Client(stdio_client(command)) as client:
            yield client


async def ask(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether it was refused, and the answer."""
    answer = await client.call_tool(tool, arguments)
    (content,) = answer.content
    assert isinstance(content, TextContent)
    assert len(content.text.encode()) <= MOST_BYTES
    return answer.is_error, content.text


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    refused, text = await ask(client, tool, **arguments)
    assert not refused, text
    answer: dict[str, Any] = json.loads(text)
    return answer


async def offered(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]


def test_a_bug_is_found_mended_and_gone(tmp_path: Path) -> None:
    script = write(tmp_path / "train.py", STALE)
    other = write(tmp_path / "other.py", "print('mine')\n")
    script.write_text(STALE.replace("import torch\n", "import sys\nprint(sys.argv[1:])\nimport torch\n"))
    line = STALE_LINE + 2

    async def talk() -> None:
        async with connected(tmp_path, "--allow-run", "--allow-write") as client:
            assert await offered(client) == [*READING, *RUNNING, "apply_fix"]
            found = await told(client, "run", program=["train.py", "--lr", "1"], max_steps=50)
            (finding,) = found["findings"]
            assert (finding["rule"], finding["file"], finding["line"]) == ("stale-gradients", "train.py", line)
            assert found["steps"] == 6
            assert found["output"] == {"stdout": "['--lr', '1']"}
            again = await told(client, "findings")
            assert again["findings"] == found["findings"]

            smuggled = {"program": ["train.py", "--apply", "--output", "other.py"]}
            (patch,) = (await told(client, "fix", **smuggled))["patches"]
            assert "+    optimizer.zero_grad()\n" in patch["diff"]
            assert "optimizer.zero_grad()" not in script.read_text()
            assert other.read_text() == "print('mine')\n"
            refused, why = await ask(client, "findings")
            assert refused and "holds the result of `surefoot fix`" in why
            first, _ = sorted(file.name for file in (tmp_path / "runs").iterdir())

            assert len((await told(client, "apply_fix", **TRAIN))["patches"]) == 1
            assert "optimizer.zero_grad()" in script.read_text()
            refused, compared = await ask(client, "compare", first=first, second="latest")
            assert not refused and "--lr 1" in compared

    anyio.run(talk)


def test_reading_only(tmp_path: Path) -> None:
    write(tmp_path / "train.py", STALE)
    write(tmp_path / "duckdb.py", "raise SystemExit('a module of the folder was imported')\n")

    async def talk() -> None:
        async with connected(tmp_path) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == READING
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
            assert "runs no program" in (client.instructions or "")
            assert (await ask(client, "run", **TRAIN))[0]
            refused, page = await ask(client, "explain", rule="stale-gradients")
            assert not refused and page.startswith("# stale-gradients\n")
            refused, why = await ask(client, "explain", rule="stale-gradient")
            assert refused and "Did you mean 'stale-gradients'?" in why
            for name in ("--help", "../elsewhere", "", ".", "a\\b"):
                assert (await ask(client, "findings", run=name))[0]
            (tmp_path / "runs").mkdir()
            refused, rows = await ask(client, "query", sql="-- all\nselect range as n from range(100000)")
            assert not refused and rows.startswith("n\n0\n1\n") and rows.endswith("more bytes are left out.")
            kept, _, left = rows.partition("… ")
            assert len(kept) + int(left.split()[0]) == sum(len(f"{n}\n") for n in ("n", *range(100_000)))
            with LogFile(tmp_path / "runs" / "damaged" / "rank-0.db") as log:
                log.log([1], loss=[1.0])
                log.seal().write_bytes(b"cut")
                log.log([2], loss=[2.0])
            refused, rows = await ask(client, "query", sql="select step, value from scalars")
            assert not refused and rows.startswith("step,value\n2,2.0\n") and "is damaged: its 1 values" in rows
            assert "is damaged: its 1 values" in (await ask(client, "compare", first="latest", second="latest"))[1]
            refused, why = await ask(client, "query", sql="copy (select 1) to 'file.csv'")
            assert refused
            assert {file.name for file in tmp_path.iterdir()} == {"train.py", "duckdb.py", "runs"}

    anyio.run(talk)


def test_other_tools_that_run(tmp_path: Path) -> None:
    write(tmp_path / "train.py", CLEAN)
    write(tmp_path / "loud.py", "import sys\nfor _ in range(60_000): print('word ' * 20)\nsys.exit('the end')\n")

    async def talk() -> None:
        async with connected(tmp_path, "--allow-run") as client:
            assert await offered(client) == [*READING, *RUNNING]
            refused, trace = await ask(client, "trace", **TRAIN)
            assert not refused and "── step 1 ──" in trace and "train.py:11" in trace
            checked = await told(client, "check", **TRAIN, only=["equal-seeds-agree"])
            assert [check["verdict"] for check in checked["checks"]] == ["pass"]
            refused, why = await ask(client, "check", **TRAIN, only=["nonsense"])
            assert refused and "there is no check 'nonsense'" in why
            said = await told(client, "run", program=["loud.py"])
            assert (said["steps"], said["ended"]) == (0, "with status 1")
            assert said["output"]["stderr"] == "the end" and said["output"]["stdout"].endswith("word word")
            refused, why = await ask(client, "run", program=["-c", "print(1)"])
            assert refused and "must begin with a script" in why
            refused, why = await ask(client, "run", program=["trian.py"])
            assert refused and "Did you mean 'train.py'?" in why

    anyio.run(talk)


SLEEPING = """
import os, time
open("pid", "w").write(str(os.getpid()))
time.sleep(100)
"""


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    write(tmp_path / "slow.py", SLEEPING)

    async def talk() -> None:
        async with connected(tmp_path, "--allow-run", "--timeout", "3") as client:
            slow = await told(client, "run", program=["slow.py"])
            assert slow["ended"] == "interrupted at its limit of time"
            assert "KeyboardInterrupt" in slow["output"]["stderr"]
            assert not _lives(tmp_path)

    anyio.run(talk)


@pytest.mark.parametrize("how", ["cancelled", "closed"])
def test_nothing_is_left_running(tmp_path: Path, how: str) -> None:
    write(tmp_path / "slow.py", SLEEPING)

    async def talk() -> None:
        async with connected(tmp_path, "--allow-run") as client, anyio.create_task_group() as tasks:
            tasks.start_soon(ask_in_vain, client)
            while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
                await anyio.sleep(0.05)
            if how == "cancelled":
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True), anyio.fail_after(20):
                    while _lives(tmp_path):
                        await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()

    anyio.run(talk)
    deadline = time.monotonic() + 20
    while _lives(tmp_path):
        assert time.monotonic() < deadline
        time.sleep(0.05)


async def ask_in_vain(client: Client) -> None:
    await client.call_tool("run", {"program": ["slow.py"]})


def _lives(folder: Path) -> bool:
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True
