"""How a program ended, and what Python does then."""

import atexit
import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from surefoot.facts.frozen import frozen
from surefoot.launch.program import ProgramError
from surefoot.launch.traceback import clean, end_at_user

Reason = Literal["finished", "raised", "interrupted", "max-steps", "stopped"]


@frozen
class Outcome:
    status: int = 0
    reason: Reason = "finished"
    error: BaseException | None = None


def run(program: Callable[[], None]) -> Outcome:
    """Run it to its end; say on stderr what Python would say about how it ended."""
    error = _run(program)
    if error is None:
        return Outcome()
    if isinstance(error, SystemExit):
        return Outcome(_status(error), reason_of(error), error)
    clean(error)
    if reason_of(error) == "stopped":
        end_at_user(error)
    _show(error)
    return Outcome(1, reason_of(error), error)


def _run(program: Callable[[], None]) -> BaseException | None:
    """Returned, not handled here, so that it is not the context of what `sys.excepthook` may raise."""
    try:
        program()
    except ProgramError:
        raise
    except BaseException as error:
        return error
    return None


def reason_of(error: BaseException) -> Reason:
    """By name, because these classes come with torch, which the program may not have imported."""
    reasons: dict[str, Reason] = {
        "KeyboardInterrupt": "interrupted", "MaxStepsReached": "max-steps", "FindingError": "stopped"
    }  # fmt: skip
    return reasons.get(type(error).__name__, "finished" if isinstance(error, SystemExit) else "raised")


def wait_for_threads() -> None:
    """What Python does after the main module: wait for threads that are no daemons, wind up thread pools."""
    _as_python_would(threading._shutdown)  # type: ignore[attr-defined]


def run_exit_functions() -> None:
    """Then Python calls what was registered with `atexit`. It finds nothing left when it does so itself."""
    _as_python_would(atexit._run_exitfuncs)


def _as_python_would(call: Callable[[], None]) -> None:
    try:
        call()
    except BaseException as error:  # Python ignores these after having shown them
        clean(error)
        with suppress(OSError, ValueError):  # a closed stderr
            traceback.print_exception(error)


def _status(exit_: SystemExit) -> int:
    if exit_.code is None or isinstance(exit_.code, int):
        return int(exit_.code or 0)
    _print_to_stderr(exit_.code)
    return 1


def _print_to_stderr(what: object) -> None:
    """As Python does it at the end of a program, whose stderr may be closed or missing."""
    with suppress(OSError, ValueError):
        if sys.stderr is None:
            os.write(2, f"{what}\n".encode(errors="backslashreplace"))
        else:
            print(what, file=sys.stderr)


def _show(error: BaseException) -> None:
    """Call the program's own `sys.excepthook`, if it has one."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException as second:
        clean(second)
        with suppress(OSError, ValueError):  # a closed stderr
            print("Error in sys.excepthook:", file=sys.stderr)
            traceback.print_exception(second)
            print("\nOriginal exception was:", file=sys.stderr)
            traceback.print_exception(error)
