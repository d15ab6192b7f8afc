"""File systems to log to, each made for the test and taken away again. Needs Linux, root, and sshfs."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

SFTP_SERVERS = (Path("/usr/lib/openssh/sftp-server"), Path("/usr/libexec/openssh/sftp-server"))
Place = Callable[[], AbstractContextManager[Path]]


@contextmanager
def memory(size: str) -> Iterator[Path]:
    with _mounted("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as folder:
        yield folder


@contextmanager
def image(size: str, *options: str) -> Iterator[Path]:
    """A file with an ext4 file system."""
    with tempfile.TemporaryDirectory() as made:
        file = Path(made, "image")
        subprocess.run(["truncate", "-s", size, file], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", *options, str(file)], check=True)
        with _mounted("mount", "-o", "loop", str(file)) as folder:
            yield folder


@contextmanager
def sshfs(delay: float = 0.0, kind: str = "sshfs") -> Iterator[Path]:
    """A folder of this machine by way of SFTP, each message late by `delay` seconds.

    Under another `kind` nobody knows it for a network file system: a local disk that is slow.
    """
    with tempfile.TemporaryDirectory() as served:
        port = Path(served, "port")
        command = [sys.executable, "-m", "benchmarks.log.places.late", str(port), str(delay), *map(str, SFTP_SERVERS)]
        with _running(command):
            while not port.exists() or not port.read_text():
                time.sleep(0.01)
            Path(served, "files").mkdir()
            options = f"directport={port.read_text()},subtype={kind}"
            with _mounted("sshfs", f"localhost:{served}/files", "-o", options, is_last=False) as folder:
                yield folder


@contextmanager
def _mounted(*command: str, is_last: bool = True) -> Iterator[Path]:
    """The folder is the last argument, or the second behind the command."""
    folder = Path(tempfile.mkdtemp(prefix="surefoot-mount-"))
    words = [*command, str(folder)] if is_last else [*command[:2], str(folder), *command[2:]]
    subprocess.run(words, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(command: list[str]) -> Iterator[None]:
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
