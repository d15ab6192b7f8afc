"""Real ranks over gloo on this machine, kept for many cases: importing torch costs seconds."""

import gc
import multiprocessing as mp
import os
import socket
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

WAIT_SECONDS = 120.0  # only a hang takes so long


def context() -> Any:
    """Forked from a server that has imported torch, where there is one."""
    if "forkserver" not in mp.get_all_start_methods():
        return mp.get_context("spawn")
    chosen = mp.get_context("forkserver")
    chosen.set_forkserver_preload(["torch._dynamo", "torch.distributed.fsdp", "tests.loop.parallel.whole_run"])
    return chosen


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(rank: int, size: int, port: int) -> dict[str, str]:
    """As torchrun sets it."""
    return {
        "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
    }  # fmt: skip


class Team:
    """`size` processes; each call runs a function of this test package in all of them, as rank 0, 1, …"""

    def __init__(self, size: int) -> None:
        self.size = size
        self._members: list[tuple[Any, Connection]] = []

    def start(self) -> None:
        port = free_port()
        for rank in range(self.size):
            here, there = mp.Pipe()
            member = context().Process(target=_serve, args=(there, environment(rank, self.size, port)), daemon=True)
            member.start()
            there.close()
            self._members.append((member, here))

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
        """What it returned, by rank."""
        if not self._members:
            self.start()
        for _, connection in self._members:
            connection.send((function, args, kwargs))
        answers = [connection.recv() if connection.poll(WAIT_SECONDS) else "hangs" for _, connection in self._members]
        if any(isinstance(answer, str) for answer in answers):
            self.stop()  # the others wait for one that will not come
            raise AssertionError("\n".join(a for a in answers if isinstance(a, str)))
        return [answer[0] for answer in answers]

    def stop(self) -> None:
        for member, connection in self._members:
            connection.close()
            member.join(0.2 if member.is_alive() else None)
            member.kill()
            member.join()
        self._members = []


@contextmanager
def team(size: int) -> Iterator[Team]:
    made = Team(size)
    try:
        yield made
    finally:
        made.stop()


def _serve(connection: Connection, variables: dict[str, str]) -> None:
    import torch._dynamo  # as the first optimizer would

    torch.set_num_threads(1)
    gc.freeze()  # each start of a sanitizer looks through what the collector sees
    os.environ.update(variables)
    while True:
        try:
            function, args, kwargs = connection.recv()
        except EOFError:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                connection.send((function(*args, **kwargs),))
        except BaseException:
            connection.send(f"rank {variables['RANK']}: {traceback.format_exc()}")
