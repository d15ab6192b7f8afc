"""Whatever starts another program passes the hook on to it.

`os.environ` stays as the program made it: the hook is added to what a child is given. Where a child is given the
environment of the process itself, the hook is put there by `putenv`, which `os.environ` does not show.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # the real one takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

VARIABLE = "SUREFOOT_FOLLOW"
HOOK = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120

_FORK_EXEC_ENV, _CREATE_PROCESS_ENV = 5, 6  # which argument it is


class Spawning:
    """`value` is asked for what to hand on before anything is started; `started` hears what was, by its command.

    `replace` is asked before this process becomes another program, and may end it.
    """

    def __init__(
        self,
        value: Callable[[], str],
        started: Callable[[int, list[str]], None],
        replace: Callable[[str, list[str], Mapping[Any, Any] | None], None],
    ) -> None:
        self._value = value
        self._started = started
        self._replace = replace
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        for module, name, wrap in (
            ("_posixsubprocess", "fork_exec", lambda call: self._wrap(call, _FORK_EXEC_ENV, 0)),
            ("_winapi", "CreateProcess", lambda call: self._wrap(call, _CREATE_PROCESS_ENV, 1)),
            ("os", "posix_spawn", lambda call: self._wrap(call, 2, 1)),
            ("os", "posix_spawnp", lambda call: self._wrap(call, 2, 1)),
            ("os", "system", lambda call: self._wrap(call, None, None)),
            ("os", "execv", self._wrap_execv),
            ("os", "execve", self._wrap_execve),
        ):
            self._install(module, name, wrap)
        if os.name == "nt":  # elsewhere these fork and call the others
            self._install("os", "spawnv", lambda call: self._wrap(call, None, 2))
            self._install("os", "spawnve", lambda call: self._wrap(call, 3, 2))

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()

    def withdraw(self) -> None:
        """Take the hook out of the environment of this process."""
        os.unsetenv(VARIABLE)
        if "PYTHONPATH" in os.environ:
            os.putenv("PYTHONPATH", os.environ["PYTHONPATH"])
        else:
            os.unsetenv("PYTHONPATH")

    def environment(self, env: Any) -> Any:
        """The same with the hook; None where the process's own is meant."""
        value = self._value()
        if not value:
            return env
        if env is None:
            os.putenv(VARIABLE, value)
            os.putenv("PYTHONPATH", _with_hook(os.environ.get("PYTHONPATH", "")))
            return None
        if isinstance(env, (list, tuple)):  # of b"NAME=value"
            added = _added(dict(entry.split(b"=", 1) for entry in env), value, is_bytes=True)
            return [b"%s=%s" % pair for pair in added.items()]
        return _added(dict(env), value, is_bytes=any(isinstance(key, bytes) for key in env))

    def _wrap(self, call: Any, env_at: int | None, argv_at: int | None) -> Any:
        def start(*args: Any, **kwargs: Any) -> Any:
            given = list(args)
            try:
                if env_at is None or len(given) <= env_at:
                    self.environment(None)
                else:
                    given[env_at] = self.environment(given[env_at])
            except Exception:
                given = list(args)
            try:
                result = call(*given, **kwargs)
            except BaseException:
                hide_frames()
                raise
            if argv_at is not None:
                self._report(result, args[argv_at])
            return result

        return start

    def _report(self, result: Any, argv: Any) -> None:
        try:
            pid = result[2] if isinstance(result, tuple) else result
            words = argv.split() if isinstance(argv, str) else [os.fsdecode(word) for word in argv]
            self._started(int(pid), words)
        except Exception:
            pass

    def _wrap_execv(self, call: Any) -> Any:
        def execv(path: Any, argv: Sequence[Any]) -> None:
            self._before_exec(path, argv, None)
            self.environment(None)
            try:
                call(path, argv)
            except BaseException:
                hide_frames()
                raise

        return execv

    def _wrap_execve(self, call: Any) -> Any:
        def execve(path: Any, argv: Sequence[Any], env: Mapping[Any, Any]) -> None:
            self._before_exec(path, argv, env)
            try:
                call(path, argv, self.environment(env))
            except BaseException:
                hide_frames()
                raise

        return execve

    def _before_exec(self, path: Any, argv: Sequence[Any], env: Mapping[Any, Any] | None) -> None:
        if isinstance(path, int) or not os.access(path, os.X_OK):
            return  # a descriptor, or the call will fail
        words = [os.fsdecode(word) for word in argv]
        self._replace(os.fsdecode(path), words, env)
        self._report(os.getpid(), words)

    def _install(self, module: str, name: str, wrap: Callable[[Any], Any]) -> None:
        try:
            home = __import__(module)
        except ImportError:
            return
        original = getattr(home, name, None)
        if original is None:
            return
        wrapper = wrap(original)
        wrapper.__name__, wrapper.__doc__ = name, original.__doc__
        self._put(home, name, original, wrapper)
        subprocess = sys.modules.get("subprocess")
        if getattr(subprocess, "_" + name, None) is original:  # it has a name of its own for it
            self._put(subprocess, "_" + name, original, wrapper)

    def _put(self, home: Any, name: str, original: Any, wrapper: Any) -> None:
        def undo() -> None:
            if getattr(home, name) is wrapper:
                setattr(home, name, original)

        setattr(home, name, wrapper)
        self._undo.append(undo)


def _added(env: dict[Any, Any], value: str, *, is_bytes: bool) -> dict[Any, Any]:
    path, variable = (b"PYTHONPATH", VARIABLE.encode()) if is_bytes else ("PYTHONPATH", VARIABLE)
    before = env.get(path, b"" if is_bytes else "")
    with_hook = _with_hook(os.fsdecode(before))
    env[path] = os.fsencode(with_hook) if isinstance(before, bytes) else with_hook
    env[variable] = os.fsencode(value) if is_bytes else value
    return env


def hide_frames() -> None:
    """From now on, our frames are left out of the traceback that Python shows when an exception ends the program."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _excepthook


def _excepthook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    before, entry = None, trace
    while entry is not None:
        if not entry.tb_frame.f_code.co_filename.startswith(HOOK):
            before = entry
        elif before is None:
            trace = entry.tb_next
        else:
            before.tb_next = entry.tb_next
        entry = entry.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _with_hook(path: str) -> str:
    rest = [entry for entry in path.split(os.pathsep) if entry != HOOK] if path else []
    return os.pathsep.join([HOOK, *rest])
