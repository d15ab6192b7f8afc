"""From what the tap hears to facts: one record for each step that tells something new.

Most windows of a run have the signature of an earlier one and are only counted (see window.py). What is cheap is
done in every window: tokens of events, provenance of gradients, the value of the loss. Probes are asked in armed ones.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from math import isfinite
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from surefoot.facts import OtherStepFacts, Record, Site
from surefoot.watch.account import Account, Accounts
from surefoot.watch.arming import ANY, Arming
from surefoot.watch.asking import Asking
from surefoot.watch.backward import KNOWN_SIZES, Backward
from surefoot.watch.fold import fold_end, fold_setup, fold_step
from surefoot.watch.forwards import Forwards
from surefoot.watch.journal import Build, Journal
from surefoot.watch.lane import Lanes
from surefoot.watch.last_read import LastRead
from surefoot.watch.losses import Losses
from surefoot.watch.name import Names
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import UNKNOWN, Clear, State
from surefoot.watch.reach import FEW, accounts_behind
from surefoot.watch.settings import Settings
from surefoot.watch.site import Sites
from surefoot.watch.steady import Steady
from surefoot.watch.tap import Tap
from surefoot.watch.unowned import UnownedLedger
from surefoot.watch.window import FIRST_ALIKE, Seen

MANY_SETUPS = 32  # records of what exists: after so many they come all the time, and are thinned
SETUP_SPACING = 64  # steps
KEPT_EDGES = 512  # steps that nodes of a graph can be told to be from
KEPT_CLEARS = 64

Emit = Callable[[Record], BaseException | None]


class Recorder:
    """The state of one watch: accounts of optimizers, the journal, the tap, the probes."""

    def __init__(
        self, emit: Emit, probes: Sequence[Probe], report_failure: Callable[[str, Exception], None],
        user_code: tuple[str, ...] = (), settings: Settings | None = None,
    ) -> None:  # fmt: skip
        self.emit = emit
        self.settings = settings or Settings()
        self.probes = list(probes)
        self.tap = Tap(report_failure)
        self.tap.on_interruption = self._lose_track
        self.arming = Arming(self.tap)
        self.asking = Asking(self.tap, self.arming)
        self.forwards = Forwards(self.tap)
        self.sites = Sites(user_code)
        self.journal = Journal()
        self.losses = Losses()
        self.steady = Steady(self)
        self.tap.on_unsteady = self.steady.catch_up
        self.names = Names()
        self.accounts = Accounts()
        self.lanes = Lanes()
        self._local = self.lanes.local
        self.unowned = UnownedLedger()
        self.module_clears: list[Clear] = []  # by `zero_grad` of modules, the newest last
        self.num_backwards = 0
        self.num_steps = 0
        self.num_optimizers = 0
        self.updates: dict[int, int] = {}  # attempted steps, by id of the account
        self.stepped_at: dict[int, int] = {}  # likewise the index of the last one
        self.last_step_at = 0  # on the journal's clock
        self.last_loss: weakref.ref[Tensor] | None = None
        self.edges: deque[int] = deque(maxlen=KEPT_EDGES)  # sequence number of the last root before each step
        self.by_scaler: Any = None  # the watch.scaler.Scaler through which the running step is taken
        self.by_scaler_at: Site | None = None  # the line of that
        self.scaler_factors: dict[int, Any] = {}  # sequence number of a root that `scaler.scale` made, to its scale
        self.accumulates = False  # some window has several backwards of one loss
        self.setup_due = True
        self.record_due = False
        self.at_next_backward: list[tuple[str, Callable[[], None]]] = []  # by probe, what to call then
        self.on_batch: list[Callable[..., None]] = []  # told of each batch: its pass, the batch, the seconds it took
        self.on_loss_call: list[Callable[..., None]] = []  # told of each loss function's name, arguments and result
        self.on_training_loss: list[tuple[str, Callable[..., None]]] = []  # by probe, in armed windows: see `Calls`
        self.on_switch: list[Callable[[Any, bool], None]] = []  # told of each `train()` and `eval()`: module and mode
        self.on_clip: list[Callable[[float, Any], None]] = []  # told of each limit of a norm, and of the norm
        self.conditions: dict[int, Hashable] = {}  # by account, until one may have changed
        self.loss_rows = 0  # of what the last loss function was given, in programs that accumulate
        self._last_read = LastRead()
        self.sizes: dict[int, set[int]] = {}  # of graphs, by the identity of the line that backwards them
        self._unowned_looked_at = 0
        self.last_root = 0  # sequence number of what was backwarded last
        self._num_setups = 0

    # --- switching on and off

    def start(self) -> None:
        self.tap.on = True
        self.names.registry.listen(self.tap)
        for probe in self.probes:
            self.tap.run(probe.name, probe.install, self)
        self.asking.start(self.probes)

    def stop(self) -> None:
        self.tap.remove()

    def ask_in_every_window(self, probe: Probe, *methods: str, observing: bool = False) -> None:
        """Call these methods of a probe in windows that are not armed, too, from now on.

        With `observing` only `backward_begins` is called in windows that are observed, and it looks at no gradient.
        """
        self.leave_steady()
        self.asking.in_every_window(probe, methods, observing=observing)
        self.conditions_change()

    def leave_steady(self) -> None:
        if self.tap.is_steady:
            self.steady.catch_up()

    # --- events

    def note(self, token: Hashable, build: Build, details: Hashable = None) -> int:
        """Something happened; its moment. The token tells windows apart, `details` those that are armed."""
        journal = self.journal
        if self.tap.is_steady:
            self.steady.note(token, self.note, token, build, details)
            return journal.clock
        journal.clock = at = journal.clock + 1
        key = token if details is None else (token, details)
        journal.events.append((at, key, build))
        try:  # written out, as in some other places: each call costs microseconds where the caches are cold
            self._local.lane.tokens.append(token)
        except AttributeError:
            self.lanes.here().tokens.append(token)
        if journal.listener is not None:
            journal.listener(at, key, build)
        return at

    def mark(self, token: Hashable) -> None:
        """Tell the window apart from those without the token; there is no fact to it."""
        if self.tap.is_steady:
            self.steady.note(token, self.mark, token)
        else:
            self.lanes.here().tokens.append(token)

    def conditions_change(self) -> None:
        """A mode was switched, or the like: ask the probes again."""
        self.conditions.clear()

    def arm(self, account: Account | None = None) -> None:
        """Read closely what comes, up to the end of the next step: of that optimizer, or else of any."""
        self.leave_steady()
        self.arming.arm(ANY if account is None else account.id, self.num_steps)

    # --- what exists

    @property
    def inside_step(self) -> int | None:
        stack = self.lanes.here().step_stack
        return stack[-1] if stack else None

    def account(self, optimizer: Optimizer, site: Site | None = None) -> Account:
        account = self.accounts.by_id.get(id(optimizer))
        if account is None or account.optimizer() is not optimizer:
            self.leave_steady()
            self.num_optimizers += 1
            account = Account(self.num_optimizers, optimizer, site, self.journal.clock)
            self.accounts.add(optimizer, account)
            self._changed(account)
            self.asking.ask_all("optimizer_made", account)
        elif account.refresh(optimizer):
            self.accounts.changed()
            self._changed(account)
        return account

    def _changed(self, account: Account) -> None:
        self.unowned.drop(account.ids)
        self.setup_due = True
        self.tap.has_subclasses |= account.ledger.has_subclasses
        self.arm(account)

    def look(
        self, accounts: Sequence[Account] | None = None, states: Sequence[list[State] | None] | None = None
    ) -> None:
        """Account for what happened to gradients since the last event: of these, or of all within reach.

        `states` are those that were observed then.
        """
        self.leave_steady()
        clock, clears = self.journal.clock, self.module_clears
        for i, account in enumerate(self.accounts.within_reach(self.lanes) if accounts is None else accounts):
            own = account.clears
            if clears and clears[-1].at > account.looked_at:
                own = sorted([*own, *[clear for clear in clears if clear.at > account.looked_at]])
            account.ledger.look(own, None if states is None else states[i])
            account.looked_at = clock
            if own:
                account.clears = []
        if not self.lanes.are_several:
            at, self._unowned_looked_at = self._unowned_looked_at, clock
            if self.unowned.states:
                self.unowned.look([clear for clear in clears if clear.at > at])
        if len(clears) > KEPT_CLEARS:
            del clears[: -KEPT_CLEARS // 2]

    def _lose_track(self) -> None:
        """An exception of the program left our code half-way: nobody knows where its gradients come from."""
        self.steady.forget()
        for account in self.accounts.all:
            account.ledger.settle()
            account.ledger.assign([UNKNOWN] * len(account.ledger.params))
            account.clears = []

    # --- backward

    def backward_begins(self, roots: tuple[Tensor, ...], gradient: Any, retain: bool, create: bool) -> Backward:
        self.leave_steady()
        self.num_backwards += 1
        backward = Backward(self.num_backwards, self.sites.here(3), roots, gradient, retain, create)
        lane = self.lanes.here()
        stack = lane.step_stack
        backward.inside_step = stack[-1] if stack else None
        backward.under_autocast = torch._C._is_any_autocast_enabled()
        if len(roots) == 1 and (node := roots[0].grad_fn) is not None:
            backward.root = node._sequence_nr()
            backward.size, self.last_root = backward.root - self.last_root, backward.root
            self.last_loss = weakref.ref(roots[0])
            sizes = self.sizes.setdefault(id(backward.site), set())
            if backward.size not in sizes and len(sizes) < KNOWN_SIZES:  # something else may lie behind the line
                sizes.add(backward.size)
                self.arm()
        if self.at_next_backward:
            waiting, self.at_next_backward[:] = list(self.at_next_backward), ()
            with self.tap.unseen():
                for name, call in waiting:
                    self.tap.attempt(name, call)
        backward.num_rows = self.loss_rows
        self.losses.note(backward, self.scaler_factors)
        if backward.value is not None and not isfinite(backward.value):
            self.arm()
            self.record_due = True
        accounts: Sequence[Account] = self.accounts.all
        if len(accounts) > FEW or self.lanes.are_several:
            accounts = accounts_behind(roots, self.accounts, self.lanes)
        backward.accounts = accounts
        self.account_for_begin(backward)
        if self.asking.is_due("backward_begins"):
            self.asking.ask("backward_begins", backward)
        if self.tap.armed:
            self._last_read.remember(backward)
        lane.backward_stack.append(backward)
        return backward

    def account_for_begin(self, backward: Backward, states: Sequence[list[State] | None] | None = None) -> None:
        """What happened to gradients before a backward."""
        self.look(backward.accounts, states)
        if backward.create_graph:  # sums take the places of gradients, and may have their identity
            for account in backward.accounts:
                account.ledger.used = account.ledger.used or account.ledger.references()
        backward.loss = self._last_read.of(backward)

    def backward_ends(self, backward: Backward) -> None:
        self.leave_steady()
        lane = self.lanes.here()
        stack = lane.backward_stack
        if stack and stack[-1] is backward:
            stack.pop()
        else:
            stack[:] = [running for running in stack if running is not backward]
        self.account_for_end(backward)

    def account_for_end(self, backward: Backward, found: Sequence[tuple[list[State], Any]] | None = None) -> None:
        """What a backward has added to. With what was found then it ended a while ago, and nobody is asked."""
        ordinal, lane = backward.ordinal, self.lanes.here()
        reached = []
        for i, account in enumerate(backward.accounts):
            num_reached = (
                account.ledger.receive(ordinal) if found is None else account.ledger.receive(ordinal, *found[i])
            )
            if num_reached:
                account.lane = lane
                reached.append((account.id, num_reached))
        backward.reached = tuple(reached)
        if not self.lanes.are_several and self.unowned.states:
            backward.num_unowned = self.unowned.receive(ordinal)
        if found is None and self.asking.is_due("backward_ends"):
            self.asking.ask("backward_ends", backward)
        backward.roots, backward.gradient, backward.accounts = (), None, ()
        token = (
            "backward", id(backward.site), backward.reached, backward.num_unowned, backward.retain_graph,
            backward.create_graph, backward.scaled_by, backward.under_autocast,
            backward.value is None or isfinite(backward.value),
        )  # fmt: skip
        self.note(token, backward.fact, backward.loss_key if self.tap.armed else None)

    # --- step

    def step_begins(self, optimizer: Optimizer, closure: bool) -> BaseException | None:
        """Judge the step before its update; what to raise instead of updating, if anything."""
        self.leave_steady()
        account = self.account(optimizer)
        skipped = self.by_scaler is not None and self.by_scaler.attempt(optimizer)
        stop = (
            None
            if closure
            else self.fold_step(account, optimizer, self.by_scaler_at or self.sites.here(4), skipped=skipped)
        )
        if stop is None:
            (account.lane or self.lanes.here()).step_stack.append(account.id)
            if self.asking.is_due("step_starts"):
                self.asking.ask("step_starts", optimizer, closure)
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

    def step_ends(self, optimizer: Optimizer, closure: bool) -> BaseException | None:
        account = self.accounts.get(optimizer) or self.account(optimizer)
        stack = (account.lane or self.lanes.here()).step_stack
        if stack and stack[-1] == account.id:
            stack.pop()
        stop = None
        if account.judged_in_closure:  # what later calls of the closure did is no news
            account.judged_in_closure = False
            self.look([account])
            account.ledger.use((self.num_steps, account.id))
            account.since = self.journal.clock
        elif closure:
            stop = self.fold_step(account, optimizer, self.sites.here(), closure=True)
        params = account.ledger.params
        account.version_left = params[0]._version if params else 0
        if account.num_updates == 1:
            account.was_stateful = any(len(state) > 0 for state in optimizer.state.values())
        if self.asking.is_due("step_ends"):
            self.asking.ask("step_ends", optimizer)
        self._arm_next(account)
        if self.journal.is_long:  # not before the window's events were handed on
            self.journal.forget(min(a.since for a in self.accounts.all))
        return stop

    def skip_step(self, account: Account, optimizer: Optimizer, site: Site | None) -> BaseException | None:
        """A GradScaler decided against the step."""
        self.leave_steady()
        account.num_skipped += 1
        stop = self.fold_step(account, optimizer, site, skipped=True)
        self._arm_next(account)
        return stop

    def _arm_next(self, account: Account) -> None:
        """Whether the window that begins now is read closely, and if not, whether it is only observed."""
        is_due = self.record_due or self.settings.stops or self.settings.thorough
        if self.arming.begin_window(account, self.num_steps, is_due=is_due):
            self.asking.ask_all("window_opens", account)
        if self.tap.armed or self.arming.is_measured:
            self.leave_steady()
        else:
            self.steady.begin()

    def fold_step(
        self, account: Account, optimizer: Optimizer, site: Site | None, *, closure: bool = False, skipped: bool = False
    ) -> BaseException | None:
        """An optimizer is about to step, or a scaler skipped it: count the window, or record it."""
        try:
            lane = account.lane = self._local.lane
        except AttributeError:
            lane = account.lane = self.lanes.here()
        for running in lane.backward_stack:  # an optimizer that steps inside backward
            account.ledger.receive(running.ordinal)
        if not lane.backward_stack:
            if account.clears or self.module_clears or self.unowned.states:
                self.look([account])
            else:
                account.ledger.look()
                account.looked_at = self.journal.clock
        index, windows = self.count_step(account), account.windows
        answers: tuple[Any, ...] = ()
        if self.tap.armed or self.asking.is_constant("step_begins"):
            answers = tuple(self.asking.ask("step_begins", optimizer))
        always = self.asking.of_every_window("step_begins", answers)
        condition = self.condition_of(account)
        signature = (id(site), closure, skipped, account.ledger.story(), tuple(lane.tokens), condition, always)
        seen = windows.meet(signature)
        ordinals = account.ledger.ordinals()
        self.losses.step(account, optimizer, index, ordinals)
        self.steady.learn(seen, ordinals)
        closely = None
        if self.tap.armed:
            details = tuple([key for _, key, _ in self.journal.since(account.since)])
            closely = windows.meet_closely(signature, (answers, details))
        stop = None
        if (
            closely is not None or windows.is_new or self.record_due or self.setup_due
            or account.num_updates <= windows.num_first
        ) and self._is_due(account, closely):  # fmt: skip
            stop = self._record(account, optimizer, site, closure, skipped)
            windows.recorded(index, *([seen] if closely is None else [seen, closely]))
        else:
            windows.count(closely or seen)
        account.step_site = site
        account.ledger.use(None if skipped else (index, account.id))
        if not skipped and len(self.accounts.all) > 1:
            self.accounts.mark_shared(account, (index, account.id))
        self.note_step(account, index, site, skipped)
        return stop

    def count_step(self, account: Account) -> int:
        """The index of a step that begins."""
        self.num_steps = index = self.num_steps + 1
        account.num_updates += 1
        account.previous_step, account.last_step = account.last_step, index
        self.updates[account.id], self.stepped_at[account.id] = account.num_updates, index
        edges = self.edges
        if self.last_root and (not edges or edges[-1] < self.last_root):
            edges.append(self.last_root)
        return index

    def note_step(self, account: Account, index: int, site: Site | None, skipped: bool) -> None:
        number = account.id
        token = ("step", number, id(site), skipped)
        at = self.note(token, lambda at: OtherStepFacts(at, index, number, site, skipped))
        account.since = self.last_step_at = at
        self.lanes.here().tokens = [token]

    def condition_of(self, account: Account) -> Hashable:
        """What probes say holds for its steps, as long as nothing of it may have changed."""
        if account.id not in self.conditions:
            self.conditions[account.id] = tuple(self.asking.ask_all("condition", account))
        return self.conditions[account.id]

    def _is_due(self, account: Account, closely: Seen | None) -> bool:
        windows, settings = account.windows, self.settings
        due = self.record_due or (self.setup_due and self._may_emit_setup())
        self.record_due = False
        if due or settings.stops or settings.thorough or account.num_updates <= windows.num_first:
            return True
        if closely is None or windows.is_new:
            return windows.is_new
        return closely.count <= FIRST_ALIKE or account.num_updates % windows.spacing == 0

    def _record(
        self, account: Account, optimizer: Optimizer, site: Site | None, closure: bool, skipped: bool
    ) -> BaseException | None:
        if self.setup_due and self._may_emit_setup():
            self.emit_setup()
        fields: dict[str, Any] = {}
        for answer in self.asking.ask_all("step_facts", optimizer):
            fields.update(answer or {})
        return self.emit(fold_step(self, account, optimizer, site=site, closure=closure, skipped=skipped, **fields))

    # --- other records

    def _may_emit_setup(self) -> bool:
        return self._num_setups < MANY_SETUPS or self.num_steps % SETUP_SPACING == 0

    def emit_setup(self) -> None:
        self.leave_steady()
        self.setup_due = False
        self._num_setups += 1
        self.emit(fold_setup(self))

    def emit_end(self, reason: str) -> None:
        self.losses.read()
        if self.setup_due:
            self.emit_setup()
        self.look()
        self.emit(fold_end(self, reason))
