"""A real server, and the process it has started: neither outlives the other."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are told by /proc")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "surefoot", "dash", str(tmp_path), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = next(filter(None, (re.search(r"http://\S+token=\S+", line) for line in process.stderr)))
        yield process, found[0]
        process.kill()


def children(pid: int) -> list[int]:
    found = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(child) for text in found for child in text.split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_worker_is_started_when_asked_and_ends_with_its_server(
    server: tuple[subprocess.Popen[str], str], how: signal.Signals
) -> None:
    process, address = server
    root = address.partition("?")[0]
    with httpx.Client(base_url=root, headers={"Origin": root.rstrip("/")}) as client:
        client.get(address)
        assert client.get("/").status_code == 200 and client.get("/api/runs").status_code == 200
        assert children(process.pid) == []
        assert client.post("/api/descent", json={"paths": [{"rate": 0}]}, timeout=60).status_code == 400
    (worker,) = children(process.pid)
    assert is_running(worker)
    process.send_signal(how)
    process.wait(30)
    end = time.monotonic() + 30
    while is_running(worker):
        assert time.monotonic() < end, "it goes on without its server"
        time.sleep(0.05)
