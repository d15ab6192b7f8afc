"""Run something in a copy of this process that is killed, with SIGKILL, at a chosen call."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def run_until_killed(work: Callable[[], object], targets: list[tuple[Any, str]], at: int) -> bool:
    """Whether the process was killed at the `at`-th call of any target, before or after it did its work."""
    pid = os.fork()
    if pid == 0:
        try:
            with kill_at(targets, at):
                work()
        except BaseException:  # a test's process must not go on as pytest
            os._exit(2)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return os.WIFSIGNALED(status)


@contextmanager
def kill_at(targets: list[tuple[Any, str]], at: int) -> Iterator[None]:
    """Each call has two moments: before it (even) and after it (odd)."""
    moments = 0

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            pass_moment()
            result = function(*args, **kwargs)
            pass_moment()
            return result

        return wrapped

    def pass_moment() -> None:
        nonlocal moments
        if moments == at:
            os.kill(os.getpid(), signal.SIGKILL)
        moments += 1

    originals = [(holder, name, getattr(holder, name)) for holder, name in targets]
    for holder, name, original in originals:
        setattr(holder, name, wrap(original))
    try:
        yield
    finally:
        for holder, name, original in originals:
            setattr(holder, name, original)
