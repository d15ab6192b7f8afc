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
from surefoot.watch.arming import ANY, Arming
from surefoot.watch.asking import Asking
from surefoot.watch.backward import KNOWN_SIZES, Backward
from surefoot.watch.build_facts import build_end, build_setup, build_step
from surefoot.watch.forwards import Forwards
from surefoot.watch.journal import Build, Journal
from surefoot.watch.last_read import LastRead
from surefoot.watch.losses import Losses
from surefoot.watch.name import Names
from surefoot.watch.probe import Probe
from surefoot.watch.provenance import UNKNOWN, Clear, State
from surefoot.watch.reach import FEW, optimizers_behind
from surefoot.watch.settings import Settings
from surefoot.watch.site import Sites
from surefoot.watch.steady import Steady
from surefoot.watch.tap import Tap
from surefoot.watch.thread_state import ThreadStates
from surefoot.watch.tracked_optimizer import TrackedOptimizer, TrackedOptimizers
from surefoot.watch.unowned import UnownedLedger
from surefoot.watch.window import FIRST_ALIKE, Seen

MANY_SETUPS = 32  # records of what exists: after so many they come all the time, and are thinned
SETUP_SPACING = 64  # steps
KEPT_EDGES = 512  # steps that nodes of a graph can be told to be from
KEPT_CLEARS = 64

Emit = Callable[[Record], BaseException | None]


class Recorder:
    """The state of one watch: tracked optimizers of optimizers, the journal, the tap, the probes."""

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
        self.optimizers = TrackedOptimizers()
        self.thread_states = ThreadStates()
        self._local = self.thread_states.local
        self.unowned = UnownedLedger()
        self.module_clears: list[Clear] = []  # by `zero_grad` of modules, the newest last
        self.num_backwards = 0
        self.num_steps = 0
        self.num_optimizers = 0
        self.not_watched: dict[str, int] = {}  # steps, by whose they are and why
        self.updates: dict[int, int] = {}  # attempted steps, by id of the tracked optimizer
        self.stepped_at: dict[int, int] = {}  # likewise the index of the last one
        self.last_step_at = 0  # on the journal's clock
        self.last_loss: weakref.ref[Tensor] | None = None
        self.edges: deque[int] = deque(maxlen=KEPT_EDGES)  # sequence number of the last root before each step
        self.by_scaler: Any = None  # the watch.scaler.Scaler through which the running step is taken
        self.by_scaler_at: Site | None = None  # the line of that
        self.scaler_factors: dict[int, Any] = {}  # sequence number of a root that `scaler.scale` made, to its scale
        self.accumulates = False  # some window has several backwards of one loss
        self.last_loader: Site | None = None  # where the DataLoader was made that gave the last batch
        self.setup_due = True
        self.record_due = False
        self.at_next_backward: list[tuple[str, Callable[[], None]]] = []  # by probe, what to call then
        self.on_batch: list[Callable[..., None]] = []  # told of each batch: its pass, the batch, the seconds it took
        self.on_loss_call: list[Callable[..., None]] = []  # told of each loss function's name, arguments and result
        self.on_training_loss: list[tuple[str, Callable[..., None]]] = []  # by probe, in armed windows: see `Calls`
        self.on_switch: list[Callable[[Any, bool], None]] = []  # told of each `train()` and `eval()`: module and mode
        self.on_clip: list[Callable[[float, Any], None]] = []  # told of each limit of a norm, and of the norm
        self.conditions: dict[int, Hashable] = {}  # by tracked optimizer, until one may have changed
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
            self._local.thread_state.tokens.append(token)
        except AttributeError:
            self.thread_states.here().tokens.append(token)
        if journal.listener is not None:
            journal.listener(at, key, build)
        return at

    def mark(self, token: Hashable) -> None:
        """Tell the window apart from those without the token; there is no fact to it."""
        if self.tap.is_steady:
            self.steady.note(token, self.mark, token)
        else:
            self.thread_states.here().tokens.append(token)

    def conditions_change(self) -> None:
        """A mode was switched, or the like: ask the probes again."""
        self.conditions.clear()

    def arm(self, tracked: TrackedOptimizer | None = None) -> None:
        """Read closely what comes, up to the end of the next step: of that optimizer, or else of any."""
        self.leave_steady()
        self.arming.arm(ANY if tracked is None else tracked.id, self.num_steps)

    # --- what exists

    @property
    def inside_step(self) -> int | None:
        stack = self.thread_states.here().step_stack
        return stack[-1] if stack else None

    def tracked(self, optimizer: Optimizer, site: Site | None = None) -> TrackedOptimizer:
        tracked = self.optimizers.by_id.get(id(optimizer))
        if tracked is None or tracked.optimizer() is not optimizer:
            self.leave_steady()
            self.num_optimizers += 1
            tracked = TrackedOptimizer(self.num_optimizers, optimizer, site, self.journal.clock)
            self.optimizers.add(optimizer, tracked)
            self._changed(tracked)
            self.asking.ask_all("optimizer_made", tracked)
        elif tracked.refresh(optimizer):
            self.optimizers.changed()
            self._changed(tracked)
        return tracked

    def _changed(self, tracked: TrackedOptimizer) -> None:
        self.unowned.drop(tracked.ids)
        self.setup_due = True
        self.tap.has_subclasses |= tracked.ledger.has_subclasses
        self.arm(tracked)

    def look(
        self, all_tracked: Sequence[TrackedOptimizer] | None = None, states: Sequence[list[State] | None] | None = None
    ) -> None:
        """Account for what happened to gradients since the last event: of these, or of all within reach.

        `states` are those that were observed then.
        """
        self.leave_steady()
        clock, clears = self.journal.clock, self.module_clears
        for i, tracked in enumerate(
            self.optimizers.within_reach(self.thread_states) if all_tracked is None else all_tracked
        ):
            own = tracked.clears
            if clears and clears[-1].at > tracked.looked_at:
                own = sorted([*own, *[clear for clear in clears if clear.at > tracked.looked_at]])
            tracked.ledger.look(own, None if states is None else states[i])
            tracked.looked_at = clock
            if own:
                tracked.clears = []
        if not self.thread_states.are_several:
            at, self._unowned_looked_at = self._unowned_looked_at, clock
            if self.unowned.states:
                self.unowned.look([clear for clear in clears if clear.at > at])
        if len(clears) > KEPT_CLEARS:
            del clears[: -KEPT_CLEARS // 2]

    def _lose_track(self) -> None:
        """An exception of the program left our code half-way: nobody knows where its gradients come from."""
        self.steady.forget()
        for tracked in self.optimizers.all:
            tracked.ledger.settle()
            tracked.ledger.assign([UNKNOWN] * len(tracked.ledger.params))
            tracked.clears = []

    # --- backward

    def backward_begins(self, roots: tuple[Tensor, ...], gradient: Any, retain: bool, create: bool) -> Backward:
        self.leave_steady()
        self.num_backwards += 1
        backward = Backward(self.num_backwards, self.sites.here(3), roots, gradient, retain, create)
        thread_state = self.thread_states.here()
        stack = thread_state.step_stack
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
        all_tracked: Sequence[TrackedOptimizer] = self.optimizers.all
        if len(all_tracked) > FEW or self.thread_states.are_several:
            all_tracked = optimizers_behind(roots, self.optimizers, self.thread_states)
        backward.optimizers = all_tracked
        self.account_for_begin(backward)
        if self.asking.is_due("backward_begins"):
            self.asking.ask("backward_begins", backward)
        if self.tap.armed:
            self._last_read.remember(backward)
        thread_state.backward_stack.append(backward)
        return backward

    def account_for_begin(self, backward: Backward, states: Sequence[list[State] | None] | None = None) -> None:
        """What happened to gradients before a backward."""
        self.look(backward.optimizers, states)
        if backward.create_graph:  # sums take the places of gradients, and may have their identity
            for tracked in backward.optimizers:
                tracked.ledger.used = tracked.ledger.used or tracked.ledger.references()
        backward.loss = self._last_read.of(backward)

    def backward_ends(self, backward: Backward) -> None:
        self.leave_steady()
        thread_state = self.thread_states.here()
        stack = thread_state.backward_stack
        if stack and stack[-1] is backward:
            stack.pop()
        else:
            stack[:] = [running for running in stack if running is not backward]
        self.account_for_end(backward)

    def account_for_end(self, backward: Backward, found: Sequence[tuple[list[State], Any]] | None = None) -> None:
        """What a backward has added to. With what was found then it ended a while ago, and nobody is asked."""
        ordinal, thread_state = backward.ordinal, self.thread_states.here()
        reached = []
        for i, tracked in enumerate(backward.optimizers):
            num_reached = (
                tracked.ledger.receive(ordinal) if found is None else tracked.ledger.receive(ordinal, *found[i])
            )
            if num_reached:
                tracked.thread_state = thread_state
                reached.append((tracked.id, num_reached))
        backward.reached = tuple(reached)
        if not self.thread_states.are_several and self.unowned.states:
            backward.num_unowned = self.unowned.receive(ordinal)
        if found is None and self.asking.is_due("backward_ends"):
            self.asking.ask("backward_ends", backward)
        backward.roots, backward.gradient, backward.optimizers = (), None, ()
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
        tracked = self.tracked(optimizer)
        skipped = self.by_scaler is not None and self.by_scaler.attempt(optimizer)
        stop = (
            None
            if closure
            else self.build_step(tracked, optimizer, self.by_scaler_at or self.sites.here(4), skipped=skipped)
        )
        if stop is None:
            (tracked.thread_state or self.thread_states.here()).step_stack.append(tracked.id)
            if self.asking.is_due("step_starts"):
                self.asking.ask("step_starts", optimizer, closure)
        return stop

    def closure_ends(self, optimizer: Optimizer, site: Site | None) -> BaseException | None:
        """Judge a step when its closure returns for the first time, before the update."""
        tracked = self.tracked(optimizer)
        if tracked.judged_in_closure:
            return None
        stop = self.build_step(tracked, optimizer, site, closure=True)
        stack = self.thread_states.here().step_stack
        if stop is not None and stack and stack[-1] == tracked.id:
            stack.pop()
        tracked.judged_in_closure = stop is None
        return stop

    def step_ends(self, optimizer: Optimizer, closure: bool) -> BaseException | None:
        tracked = self.optimizers.get(optimizer) or self.tracked(optimizer)
        stack = (tracked.thread_state or self.thread_states.here()).step_stack
        if stack and stack[-1] == tracked.id:
            stack.pop()
        stop = None
        if tracked.judged_in_closure:  # what later calls of the closure did is no news
            tracked.judged_in_closure = False
            self.look([tracked])
            tracked.ledger.use((self.num_steps, tracked.id))
            tracked.since = self.journal.clock
        elif closure:
            stop = self.build_step(tracked, optimizer, self.sites.here(), closure=True)
        params = tracked.ledger.params
        tracked.version_left = params[0]._version if params else 0
        if tracked.num_updates == 1:
            tracked.was_stateful = any(len(state) > 0 for state in optimizer.state.values())
        if self.asking.is_due("step_ends"):
            self.asking.ask("step_ends", optimizer)
        self._arm_next(tracked)
        if self.journal.is_long:  # not before the window's events were handed on
            self.journal.forget(min(a.since for a in self.optimizers.all))
        return stop

    def skip_step(self, tracked: TrackedOptimizer, optimizer: Optimizer, site: Site | None) -> BaseException | None:
        """A GradScaler decided against the step."""
        self.leave_steady()
        tracked.num_skipped += 1
        stop = self.build_step(tracked, optimizer, site, skipped=True)
        self._arm_next(tracked)
        return stop

    def _arm_next(self, tracked: TrackedOptimizer) -> None:
        """Whether the window that begins now is read closely, and if not, whether it is only observed."""
        is_due = self.record_due or self.settings.stops or self.settings.thorough
        if self.arming.begin_window(tracked, self.num_steps, is_due=is_due):
            self.asking.ask_all("window_opens", tracked)
        if self.tap.armed:
            self.leave_steady()
        else:
            self.steady.begin()

    def build_step(
        self,
        tracked: TrackedOptimizer,
        optimizer: Optimizer,
        site: Site | None,
        *,
        closure: bool = False,
        skipped: bool = False,
    ) -> BaseException | None:
        """An optimizer is about to step, or a scaler skipped it: count the window, or record it."""
        try:
            thread_state = tracked.thread_state = self._local.thread_state
        except AttributeError:
            thread_state = tracked.thread_state = self.thread_states.here()
        for running in thread_state.backward_stack:  # an optimizer that steps inside backward
            tracked.ledger.receive(running.ordinal)
        if not thread_state.backward_stack:
            if tracked.clears or self.module_clears or self.unowned.states:
                self.look([tracked])
            else:
                tracked.ledger.look()
                tracked.looked_at = self.journal.clock
        index, windows = self.count_step(tracked), tracked.windows
        answers: tuple[Any, ...] = ()
        if self.tap.armed or self.asking.is_constant("step_begins"):
            answers = tuple(self.asking.ask("step_begins", optimizer))
        always = self.asking.of_every_window("step_begins", answers)
        condition = self.condition_of(tracked)
        signature = (id(site), closure, skipped, tracked.ledger.story(), tuple(thread_state.tokens), condition, always)
        seen = windows.meet(signature)
        ordinals = tracked.ledger.ordinals()
        self.losses.step(tracked, optimizer, index, ordinals)
        self.steady.learn(seen, ordinals)
        closely = None
        if self.tap.armed:
            details = tuple([key for _, key, _ in self.journal.since(tracked.since)])
            closely = windows.meet_closely(signature, (answers, details))
        stop = None
        if (
            closely is not None or windows.is_new or self.record_due or self.setup_due
            or tracked.num_updates <= windows.num_first
        ) and self._is_due(tracked, closely):  # fmt: skip
            stop = self._record(tracked, optimizer, site, closure, skipped)
            windows.recorded(index, *([seen] if closely is None else [seen, closely]))
        else:
            windows.count(closely or seen)
        tracked.step_site = site
        tracked.ledger.use(None if skipped else (index, tracked.id))
        if not skipped and len(self.optimizers.all) > 1:
            self.optimizers.mark_shared(tracked, (index, tracked.id))
        self.note_step(tracked, index, site, skipped)
        return stop

    def count_step(self, tracked: TrackedOptimizer) -> int:
        """The index of a step that begins."""
        self.num_steps = index = self.num_steps + 1
        tracked.num_updates += 1
        tracked.previous_step, tracked.last_step = tracked.last_step, index
        self.updates[tracked.id], self.stepped_at[tracked.id] = tracked.num_updates, index
        edges = self.edges
        if self.last_root and (not edges or edges[-1] < self.last_root):
            edges.append(self.last_root)
        return index

    def note_step(self, tracked: TrackedOptimizer, index: int, site: Site | None, skipped: bool) -> None:
        number = tracked.id
        token = ("step", number, id(site), skipped)
        at = self.note(token, lambda at: OtherStepFacts(at, index, number, site, skipped))
        tracked.since = self.last_step_at = at
        self.thread_states.here().tokens = [token]

    def condition_of(self, tracked: TrackedOptimizer) -> Hashable:
        """What probes say holds for its steps, as long as nothing of it may have changed."""
        if tracked.id not in self.conditions:
            self.conditions[tracked.id] = tuple(self.asking.ask_all("condition", tracked))
        return self.conditions[tracked.id]

    def _is_due(self, tracked: TrackedOptimizer, closely: Seen | None) -> bool:
        windows, settings = tracked.windows, self.settings
        due = self.record_due or (self.setup_due and self._may_emit_setup())
        self.record_due = False
        if due or settings.stops or settings.thorough or tracked.num_updates <= windows.num_first:
            return True
        if closely is None or windows.is_new:
            return windows.is_new
        return closely.count <= FIRST_ALIKE or tracked.num_updates % windows.spacing == 0

    def _record(
        self, tracked: TrackedOptimizer, optimizer: Optimizer, site: Site | None, closure: bool, skipped: bool
    ) -> BaseException | None:
        if self.setup_due and self._may_emit_setup():
            self.emit_setup()
        fields: dict[str, Any] = {}
        for answer in self.asking.ask_all("step_facts", optimizer):
            fields.update(answer or {})
        return self.emit(build_step(self, tracked, optimizer, site=site, closure=closure, skipped=skipped, **fields))

    # --- other records

    def _may_emit_setup(self) -> bool:
        return self._num_setups < MANY_SETUPS or self.num_steps % SETUP_SPACING == 0

    def emit_setup(self) -> None:
        self.leave_steady()
        self.setup_due = False
        self._num_setups += 1
        self.emit(build_setup(self))

    def emit_end(self, reason: str) -> None:
        self.losses.read()
        if self.setup_due:
            self.emit_setup()
        self.look()
        self.emit(build_end(self, reason))
