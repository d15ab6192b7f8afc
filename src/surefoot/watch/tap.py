"""The tap: each function of torch that we listen to is replaced once, by a wrapper that asks all who listen.

Every guard stands here. Nothing of ours runs while torch compiles, traces or exports, nor inside itself; the program's
modes and autocast are switched off for it; a failure of ours never reaches the program, and an exception that the
program's own signal handler raises while our code runs always does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import get_ident
from types import FunctionType
from typing import Any

import torch
from torch._C import _get_tracing_state, _len_torch_dispatch_stack, _len_torch_function_stack
from torch.compiler import is_compiling, is_dynamo_compiling

from surefoot.watch.compiler import leave_alone
from surefoot.watch.exception import is_the_programs
from surefoot.watch.unseen import unseen

Function = Callable[..., Any]
Observers = tuple[Function | None, Function | None]  # before a call and after it


class Listeners:
    """Who is asked around one function. With a single one its own calls are made, without anything in between."""

    __slots__ = ("_all", "_tap", "begin", "end", "probe")

    def __init__(self, tap: Tap) -> None:
        self._tap = tap
        self._all: list[tuple[str, Function | None, Function | None]] = []
        self.probe = ""
        self.begin: Function | None = None
        self.end: Function | None = None

    def add(self, probe: str, before: Function | None, after: Function | None) -> None:
        self._all.append((probe, before, after))
        if len(self._all) == 1:
            self.probe, self.begin, self.end = probe, before, after
        else:
            self.probe, self.begin, self.end = "", self._begin_all, self._end_all

    def _begin_all(self, args: Any, kwargs: Any) -> list[Any]:
        attempt = self._tap.attempt
        return [None if before is None else attempt(probe, before, args, kwargs) for probe, before, _ in self._all]

    def _end_all(self, begun: list[Any] | None, args: Any, kwargs: Any, result: Any) -> BaseException | None:
        stop = None
        for i, (probe, _, after) in enumerate(self._all):
            if after is not None:
                answer = self._tap.attempt(probe, after, begun and begun[i], args, kwargs, result)
                stop = stop if answer is None else answer
        return stop


class Entry:
    """One function: who listens to it in every window, and who in armed ones."""

    __slots__ = ("armed", "every", "observers", "prepare")

    def __init__(self) -> None:
        self.every: Listeners | None = None
        self.armed: Listeners | None = None
        self.prepare: Function | None = None
        self.observers: Observers | None = None  # asked in their place while windows are only observed


class Tap:
    most_failures = 3  # of a probe, each of which costs what it was about to note; then it is switched off

    def __init__(self, report_failure: Callable[[str, Exception], None]) -> None:
        self.on = False
        self.armed = True  # the window that is running is read closely
        self.is_steady = False  # the window that is running is only observed, in the thread that
        self.steady_thread = 0
        self.on_unsteady: Callable[[], None] = lambda: None  # account for what was observed
        self.has_subclasses = False  # of tensors among the parameters, which would see what we ask them
        self.off: dict[str, str] = {}  # probes that are switched off, and why
        self.report_failure = report_failure
        self.on_interruption: Callable[[], None] = lambda: None  # our code was left half-way
        self._entries: dict[tuple[int, str], Entry] = {}  # by the identity of the owner and the name
        self._num_failures: dict[str, int] = {}
        self._lock = threading.RLock()
        self._busy: set[int] = set()  # threads that run our own code
        self._undo: list[Callable[[], None]] = []
        self._replaced: list[tuple[Any, str, Any, Any]] = []  # owner, name, what was there, what is there now

    # --- listening

    def listen(
        self, owner: Any, name: str, probe: str, *, before: Function | None = None, after: Function | None = None,
        prepare: Function | None = None, only_armed: bool = False,
        observers: Observers | None = None,
    ) -> None:  # fmt: skip
        """Have `before(args, kwargs)` and `after(begun, args, kwargs, result)` called around `owner.name`.

        `begun` is what `before` returned, None if there is none; `result` is None where the function raised. What
        `after` returns is raised, if it is an exception. `prepare(args)` may replace the arguments. With `only_armed`
        nobody is called in windows that are not read closely. `observers` are called like `before` and `after`, but
        in place of everybody, in windows that are only observed; they must not touch a tensor but for its `grad` and
        its version.
        """
        entry = self._entries.get((id(owner), name))
        if entry is None:
            entry = self._entries[id(owner), name] = Entry()
            self._replace(owner, name, lambda original: self._wrapper(entry, original))
        for call in (before, after, *(observers or ())):
            if call is not None:
                _leave_alone(call)
        entry.armed = entry.armed or Listeners(self)
        entry.armed.add(probe, before, after)
        if not only_armed:
            entry.every = entry.every or Listeners(self)
            entry.every.add(probe, before, after)
        entry.prepare = prepare or entry.prepare
        entry.observers = observers or entry.observers

    def _wrapper(self, entry: Entry, original: Function) -> Function:
        tap, busy, off = self, self._busy, self.off

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if is_dynamo_compiling() or not tap.on:
                return original(*args, **kwargs)
            thread = get_ident()
            if tap.is_steady and entry.observers is not None:
                if thread == tap.steady_thread and not _len_torch_function_stack() and not _len_torch_dispatch_stack():
                    begin, end = entry.observers
                    begun = None
                    if entry.prepare is not None:
                        args = entry.prepare(args)
                    if begin is not None:  # called here and not in a function: it is most of what steady windows cost
                        try:
                            begun = begin(args, kwargs)
                        except Exception as error:
                            tap.fail_observing(error)
                    if end is None:
                        return original(*args, **kwargs)
                    try:
                        result = original(*args, **kwargs)
                    except BaseException:
                        tap.run("steady", end, begun, args, kwargs, None)
                        raise
                    try:
                        end(begun, args, kwargs, result)
                    except Exception as error:
                        tap.fail_observing(error)
                    return result
                tap.run("steady", tap.on_unsteady)
            asked = entry.armed if tap.armed else entry.every
            if asked is None or asked.probe in off or thread in busy:
                return original(*args, **kwargs)
            if _get_tracing_state() is not None or is_compiling():
                return original(*args, **kwargs)
            if entry.prepare is not None:
                args = entry.prepare(args)
            return tap._ask_around(asked, original, thread, args, kwargs)

        return wrapper

    def _ask_around(self, asked: Listeners, original: Function, thread: int, args: Any, kwargs: Any) -> Any:
        """Call the original, and before and after it those who listen."""
        begun = None
        is_disturbed = self.has_subclasses or _len_torch_function_stack() or _len_torch_dispatch_stack()
        if asked.begin is not None:  # written out here, too: programs that are never steady come by at each event
            try:
                self._busy.add(thread)
                with self._lock:
                    if is_disturbed:
                        begun = self.call_undisturbed(asked.begin, args, kwargs)
                    else:
                        begun = asked.begin(args, kwargs)
            except Exception as error:
                self.fail(asked.probe, error)
            finally:
                self._busy.discard(thread)
        if asked.end is None:
            return original(*args, **kwargs)
        try:
            result = original(*args, **kwargs)
        except BaseException:
            self.run(asked.probe, asked.end, begun, args, kwargs, None)
            raise
        if not self.on or is_disturbed:
            stop = self.run(asked.probe, asked.end, begun, args, kwargs, result)
        else:
            stop = None
            try:
                self._busy.add(thread)
                with self._lock:
                    stop = asked.end(begun, args, kwargs, result)
            except Exception as error:
                self.fail(asked.probe, error)
            finally:
                self._busy.discard(thread)
        if stop is not None:
            raise stop
        return result

    def replace(self, owner: Any, name: str, make: Callable[[Function], Function]) -> None:
        """Put `make(original)` there: for the few functions whose wrapper must decide itself what it calls."""
        assert (id(owner), name) not in self._entries, f"{name} is replaced already: listen to it"
        self._entries[id(owner), name] = Entry()
        self._replace(owner, name, make)

    def _replace(self, owner: Any, name: str, make: Callable[[Function], Function]) -> None:
        is_inherited = isinstance(owner, type) and name not in vars(owner)  # from a type that takes no attributes
        stored: Any = vars(owner)[name] if isinstance(owner, type) and not is_inherited else getattr(owner, name)
        static = isinstance(stored, staticmethod)
        original = stored.__func__ if static else stored
        wrapper = wraps(original)(_unseen(make(original)))
        replacement = staticmethod(wrapper) if static else wrapper
        setattr(owner, name, replacement)

        def undo() -> None:
            # Somebody may have wrapped our wrapper since: then it stays below theirs, switched off.
            if vars(owner).get(name) is not replacement:
                return
            if is_inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, stored)

        self._undo.append(undo)
        self._replaced.append((owner, name, stored, replacement))

    def replace_for_a_while(self, owner: Any, name: str, make: Callable[[Function], Function]) -> Callable[[], None]:
        """Put `make(original)` there until what is returned is called, or everything is put back."""
        self._replace(owner, name, make)
        undo, entry = self._undo[-1], self._replaced[-1]

        def put_back() -> None:
            undo()
            if undo in self._undo:
                self._undo.remove(undo)
            if entry in self._replaced:
                self._replaced.remove(entry)

        return put_back

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """The originals are back, for what reads source code or compares functions."""
        suspended = [entry for entry in self._replaced if vars(entry[0]).get(entry[1]) is entry[3]]
        for owner, name, stored, _ in reversed(suspended):
            setattr(owner, name, stored)
        try:
            yield
        finally:
            for owner, name, _, replacement in suspended if self._undo else ():
                setattr(owner, name, replacement)

    def on_removal(self, undo: Callable[[], None]) -> None:
        self._undo.append(undo)

    def remove(self) -> None:
        self.on = False
        while self._undo:
            self._undo.pop()()
        self._entries.clear()
        self._replaced.clear()

    # --- running our own code

    def is_deaf(self) -> bool:
        """Whether what happens now is none of our business: our own doing, or a program that is being taken down."""
        return not self.on or get_ident() in self._busy or _get_tracing_state() is not None or is_compiling()

    @property
    def is_busy(self) -> bool:
        """Our own code is running in this thread."""
        return get_ident() in self._busy

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What this thread does in the block is our own doing."""
        thread = get_ident()
        was_busy = thread in self._busy
        self._busy.add(thread)
        try:
            yield
        finally:
            if not was_busy:
                self._busy.discard(thread)

    def run(self, probe: str, call: Function, *args: Any) -> Any:
        """Run code of ours; None when it failed, was switched off or has no business here."""
        thread = get_ident()
        if not self.on or probe in self.off or thread in self._busy:
            return None
        if _get_tracing_state() is not None or is_compiling():
            return None
        try:
            self._busy.add(thread)
            with self._lock:
                if self.has_subclasses or _len_torch_function_stack() or _len_torch_dispatch_stack():
                    with Undisturbed():
                        return call(*args)
                return call(*args)
        except Exception as error:
            self.fail(probe, error)
            return None
        finally:
            self._busy.discard(thread)

    def attempt(self, probe: str, call: Function, *args: Any) -> Any:
        """Ask one probe while our own code runs; if it fails, the others go on."""
        if probe in self.off:
            return None
        try:
            return call(*args)
        except Exception as error:
            self.fail(probe, error)
            return None

    def call_undisturbed(self, call: Function, *args: Any) -> Any:
        with Undisturbed():
            return call(*args)

    def fail_observing(self, error: Exception) -> None:
        """What was observed so far is lost: nobody knows where gradients come from."""
        if not is_the_programs(error):
            self.on_interruption()
        self.fail("steady", error)

    def fail(self, probe: str, error: Exception) -> None:
        if isinstance(error, RecursionError):  # the program is deep in its own calls: one value less
            return
        if is_the_programs(error):
            self.on_interruption()
            raise error
        self._num_failures[probe] = number = self._num_failures.get(probe, 0) + 1
        if number >= self.most_failures and probe not in self.off:
            self.off[probe] = f"{type(error).__name__}: {error}"
            self.report_failure(probe, error)


class Undisturbed:
    """Inside, no mode of the program, no override of a tensor subclass and no autocast acts on what we do."""

    def __enter__(self) -> None:
        self._guards: list[Any] = [torch._C.DisableTorchFunction()]
        if _len_torch_dispatch_stack():  # else a tensor that is a subclass would be read without its own operations
            self._guards.append(torch._C._DisableTorchDispatch())
        self._guards.append(torch._C._DisableAutocast())  # last: torch puts things back in this order only
        for guard in self._guards:
            guard.__enter__()

    def __exit__(self, *error: object) -> None:
        for guard in reversed(self._guards):
            guard.__exit__(None, None, None)


def _leave_alone(call: Any) -> None:
    """Have the compiler leave what listens alone: it is called by wrappers that may be inside a compiled program."""
    function = getattr(getattr(call, "func", call), "__func__", getattr(call, "func", call))
    if isinstance(function, FunctionType):
        leave_alone(function.__code__, and_all_they_call=True)


def _unseen(wrapper: Function) -> Function:
    """Have the compiler leave it alone, and warnings pass it over."""
    if isinstance(wrapper, FunctionType):
        wrapper.__code__ = unseen(wrapper.__code__)
        leave_alone(wrapper.__code__, and_all_they_call=False)
    return wrapper


_unseen(Tap._ask_around)
leave_alone(Tap.run.__code__, Tap.call_undisturbed.__code__, and_all_they_call=True)
leave_alone(Listeners._begin_all.__code__, Listeners._end_all.__code__, and_all_they_call=True)
