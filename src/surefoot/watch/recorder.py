"""Fold what the probes see into facts, one record per step that tells something new.

Most steps of a run have the shape of an earlier one: the same events from the same lines with the same provenance.
Those cost a comparison; only new shapes, the first steps and a thinning sample of the rest become records.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import OtherStepFacts, Record, Site
from surefoot.watch.account import Account, Accounts
from surefoot.watch.backward import Backward
from surefoot.watch.compiler import leave_alone
from surefoot.watch.doze import Sleep
from surefoot.watch.fold import fold_end, fold_setup, fold_step, shape_of
from surefoot.watch.journal import Journal
from surefoot.watch.lane import Lanes
from surefoot.watch.name import Names
from surefoot.watch.patch import Patches
from surefoot.watch.probe import Probe
from surefoot.watch.settings import Settings
from surefoot.watch.site import Sites
from surefoot.watch.unowned import UnownedLedger

FIRST_STEPS = 32  # of each optimizer, recorded whatever they look like
FIRST_ALIKE = 3  # of each shape: rules wait until a thing has happened again
MAX_SPACING = 64  # at least every so many steps one is recorded, so that slow changes are seen
MANY = 32  # optimizers that are gone, or records of what exists: after so many they come all the time, and are thinned
TIDY_AT = 256  # events; fewer are not worth looking for what can be dropped

Emit = Callable[[Record], BaseException | None]


class Recorder:
    """Owns the state of one watch: accounts of optimizers, the journal, the patches, the probes."""

    def __init__(
        self, emit: Emit, probes: Sequence[Probe], report_failure: Callable[[str, Exception], None],
        user_code: tuple[str, ...] = (), settings: Settings | None = None,
    ) -> None:  # fmt: skip
        self.emit = emit
        self.on_sample: Callable[[int, int, float, float], None] | None = None  # optimizer, step, loss, rate
        self.settings = settings or Settings()
        self.probes = list(probes)
        self.report_failure = report_failure
        self.patches = Patches()
        self.sites = Sites(user_code)
        self.journal = Journal()
        self.names = Names()
        self.accounts = Accounts()
        self.lanes = Lanes()
        self.unowned = UnownedLedger()
        self.num_backwards = 0
        self.num_steps = 0
        self.num_optimizers = 0
        self.last_step_at = 0  # on the journal's clock
        self.off: dict[str, str] = {}  # probes switched off, and why
        self.on = False
        self.by_scaler: Any = None  # the watch.scaler.Scaler through which the running step is taken
        self.scaler_factors: dict[int, Any] = {}  # sequence number of a root that `scaler.scale` made, to its scale
        self.setup_due = True
        self.record_due = False
        self.until_awake: Callable[[Account], int] | None = None  # how many steps may be slept through
        self.sleep = Sleep(self)
        self._num_setups = 0
        self._lock = threading.RLock()
        self._busy = 0  # the thread that runs our own code
        self._hooks: dict[str, list[Callable[..., Any]]] = {}

    # --- switching on and off

    def start(self) -> None:
        self.on = True
        for probe in self.probes:
            self.guarded(probe.name, probe.install, self)
        for method in ("backward_begins", "backward_ends", "step_begins", "step_facts", "step_ends"):
            self._hooks[method] = [
                getattr(p, method) for p in self.probes if getattr(type(p), method) is not getattr(Probe, method)
            ]

    def stop(self) -> None:
        self.on = False
        self.patches.remove()

    def guarded(self, probe: str, call: Callable[..., Any], *args: Any) -> Any:
        """Run our own code so that no failure of it reaches the program. None when switched off or failed."""
        thread = threading.get_ident()
        if not self.on or self._busy == thread or probe in self.off:  # busy: what our own code does is not told
            return None
        nap = self.sleep.nap
        if nap is not None and nap.goes_on(probe, depth=3):
            return None
        with self._lock:
            self._busy = thread
            heard = self.sleep.hear(probe)
            clock = self.journal.clock
            try:
                result = call(*args)
                heard.events = self.journal.since(clock)
                return result
            except Exception as error:
                self.off[probe] = f"{type(error).__name__}: {error}"
                self.report_failure(probe, error)
                return None
            finally:
                self._busy = 0

    def finish(self, probe: str, call: Callable[..., Any], begun: Any) -> Any:
        """Run the end of what `guarded` began; nothing when that was switched off, failed or slept through."""
        if begun is None or not self.on or self.sleep.nap is not None:
            return None
        with self._lock, self.sleep.one_call():  # another thread may end the window meanwhile
            return self.guarded(probe, call, begun)

    def wake(self) -> None:
        """Watch again, from the present moment on (see doze.py)."""
        with self._lock:
            self.sleep.wake()

    @property
    def is_busy(self) -> bool:
        """Our own code is running, so that `guarded` would do nothing."""
        return self._busy == threading.get_ident()

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What this thread does in the block is our own doing, and is not told."""
        self.wake()
        before, self._busy = self._busy, threading.get_ident()
        try:
            yield
        finally:
            self._busy = before

    def attempt(self, probe: Probe, call: Callable[..., Any], *args: Any) -> Any:
        """Ask a probe something while our own code runs; one that fails is switched off."""
        if probe.name in self.off:
            return None
        try:
            return call(*args)
        except Exception as error:
            self.off[probe.name] = f"{type(error).__name__}: {error}"
            self.report_failure(probe.name, error)
            return None

    def _ask(self, method: str, *args: Any) -> list[Any]:
        answers = []
        for call in self._hooks[method]:
            name = call.__self__.name  # type: ignore[attr-defined]
            if name in self.off:
                continue
            try:
                answers.append(call(*args))
            except Exception as error:
                self.off[name] = f"{type(error).__name__}: {error}"
                self.report_failure(name, error)
        return answers

    # --- what exists

    @property
    def inside_step(self) -> int | None:
        stack = self.lanes.here().step_stack
        return stack[-1] if stack else None

    def account(self, optimizer: Optimizer, site: Site | None = None) -> Account:
        account = self.accounts.get(optimizer)
        if account is None:
            self.num_optimizers += 1
            account = Account(self.num_optimizers, optimizer, site, self.journal.clock)
            self.accounts.add(optimizer, account)
            self.unowned.drop(account.ids)
            self.setup_due = True
        elif account.refresh(optimizer):
            self.accounts.changed()
            self.unowned.drop(account.ids)
            self.setup_due = True
        return account

    def look(self) -> None:
        """Account for what happened to gradients since the last event."""
        lane = self.lanes.here()
        for account in self.accounts.within_reach(self.lanes):
            if account.has_grown():
                self.account(account.optimizer())  # type: ignore[arg-type]  # alive: it is in the list
            account.ledger.look(lane.clears)
        if len(self.lanes) == 1:
            self.unowned.look(lane.clears)
        lane.clears.clear()

    # --- backward

    def backward_begins(self, tensors: Any, gradient: Any, retain_graph: bool | None, create_graph: bool) -> Backward:
        self.look()
        self.num_backwards += 1
        roots = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
        site = self.sites.here(4)
        keeps = create_graph if retain_graph is None else retain_graph
        backward = Backward(self.num_backwards, site, roots, gradient, bool(keeps), create_graph)
        backward.inside_step = self.inside_step
        if len(roots) == 1 and roots[0].grad_fn is not None:
            backward.root = roots[0].grad_fn._sequence_nr()
        self._ask("backward_begins", backward)
        self.lanes.here().backward_stack.append(backward)
        return backward

    def backward_ends(self, backward: Backward) -> None:
        lane = self.lanes.here()
        if backward in lane.backward_stack:
            lane.backward_stack.remove(backward)
        ordinal = backward.ordinal
        reached = []
        for account in self.accounts.within_reach(self.lanes):
            num_reached = account.ledger.receive(ordinal)
            if num_reached:
                account.lane = lane
                reached.append((account.id, num_reached))
        backward.reached = tuple(reached)
        if len(self.lanes) == 1:
            backward.num_unowned = self.unowned.receive(ordinal)
        self._ask("backward_ends", backward)
        backward.roots, backward.gradient = (), None
        self.journal.note(backward.key(), backward.fact)

    # --- step

    def step_begins(self, optimizer: Optimizer, site: Site | None, *, closure: bool) -> BaseException | None:
        """Judge the step before its update; what to raise instead of updating, if anything."""
        account = self.account(optimizer)
        skipped = self.by_scaler is not None and self.by_scaler.attempt(optimizer)
        stop = None if closure else self.fold_step(account, optimizer, site, skipped=skipped)
        if stop is None:
            self.lanes.here().step_stack.append(account.id)
        return stop

    def closure_ends(self, optimizer: Optimizer, site: Site | None) -> BaseException | None:
        """Judge a step when its closure returns for the first time, before the update."""
        account = self.account(optimizer)
        if account.judged_in_closure:
            return None
        stop = self.fold_step(account, optimizer, site, closure=True)
        stack = self.lanes.here().step_stack
        if stop is not None and stack and stack[-1] == account.id:
            stack.pop()
        account.judged_in_closure = stop is None
        return stop

    def step_ends(self, optimizer: Optimizer, site: Site | None, *, closure: bool) -> BaseException | None:
        account = self.account(optimizer)
        stack = self.lanes.here().step_stack
        if stack and stack[-1] == account.id:
            stack.pop()
        stop = None
        if account.judged_in_closure:  # what later calls of the closure did is no news
            account.judged_in_closure = False
            self.look()
            account.ledger.use((self.num_steps, account.id))
            account.since = self.journal.clock
        elif closure:
            stop = self.fold_step(account, optimizer, site, closure=True)
        self._ask("step_ends", optimizer)
        self.sleep.window_ends(account)
        if len(self.journal) > TIDY_AT:  # not before the window's events were handed on
            self.journal.forget(min(a.since for a in self.accounts.values()))
        return stop

    def fold_step(
        self, account: Account, optimizer: Optimizer, site: Site | None, *, closure: bool = False, skipped: bool = False
    ) -> BaseException | None:
        lane = account.lane = self.lanes.here()
        for running in lane.backward_stack:  # an optimizer that steps inside backward
            account.ledger.receive(running.ordinal)
        if not lane.backward_stack:
            self.look()
        self.num_steps += 1
        account.num_updates += 1
        asked = tuple(self._ask("step_begins", optimizer))
        events = self.journal.since(account.since)
        groups = account.ledger.groups()
        shape = (site, closure, skipped, asked, shape_of(groups, events, account.id))
        stop = None
        if self._is_due(account, shape):
            stop = self._record(account, optimizer, site, closure, skipped)
            account.repeats, account.alike = 0, {}
            account.recorded[shape] = account.like = self.num_steps
        else:
            account.repeats += 1
            account.like = account.recorded.get(shape, 0)
            account.alike[account.like] = account.alike.get(account.like, 0) + 1
            self.sleep.sampler.step(account, events)
        account.shapes[shape] = account.shapes.get(shape, 0) + 1
        index = self.num_steps
        account.step_site = site
        nested = closure or skipped or bool(lane.backward_stack) or bool(lane.step_stack)
        account.is_simple = not nested and sum(present for _, present in groups) == 1
        account.ledger.use(None if skipped else (index, account.id))
        if not skipped:
            self.accounts.mark_shared(account, (index, account.id))
        self.note_step(account, index, site, skipped=skipped)
        return stop

    def _is_due(self, account: Account, shape: Hashable) -> bool:
        due = self.record_due or (self.setup_due and self._may_emit_setup()) or account.num_updates <= FIRST_STEPS
        self.record_due = False
        if self.num_optimizers - len(self.accounts.values()) > MANY:
            return self.num_steps % MAX_SPACING == 0
        return due or account.shapes.get(shape, 0) < FIRST_ALIKE or account.repeats + 1 >= MAX_SPACING

    def _record(
        self, account: Account, optimizer: Optimizer, site: Site | None, closure: bool, skipped: bool
    ) -> BaseException | None:
        if self.setup_due and self._may_emit_setup():
            self.emit_setup()
        fields: dict[str, Any] = {}
        for answer in self._ask("step_facts", optimizer):
            fields.update(answer)
        return self.emit(fold_step(self, account, optimizer, site=site, closure=closure, skipped=skipped, **fields))

    def note_step(self, account: Account, index: int, site: Site | None, *, skipped: bool) -> None:
        number = account.id
        account.since = self.journal.note(
            ("step", number, site, skipped), lambda at: OtherStepFacts(at, index, number, site, skipped)
        )
        self.last_step_at = account.since

    # --- other records

    def _may_emit_setup(self) -> bool:
        return self._num_setups < MANY or self.num_steps % MAX_SPACING == 0

    def emit_setup(self) -> None:
        self.setup_due = False
        self._num_setups += 1
        self.emit(fold_setup(self))

    def emit_end(self, reason: str) -> None:
        self.wake()
        if self.setup_due:
            self.emit_setup()
        self.look()
        self.emit(fold_end(self, reason))


leave_alone(Recorder.guarded.__code__, Recorder.finish.__code__, and_all_they_call=True)
