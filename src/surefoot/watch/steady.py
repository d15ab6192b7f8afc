"""Steady windows: one that goes just as an earlier one did is compared with it, and not accounted for again.

While a window is *observed*, an event costs little: its line, and identity and version of the gradients, are taken down
together with the call that would account for it. At the step the observations are looked up. If they are known, and
what came before was like it was then, the step is counted and the calls are put aside; else they are made now, late
but in order, and the recorder goes on as if it had accounted for everything at once. The last windows that were put
aside are made up for before that, so that gradients come from the right backwards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from math import isfinite
from operator import attrgetter, itemgetter, methodcaller, ne
from threading import get_ident
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from torch import Tensor
from torch._C import _is_any_autocast_enabled as is_any_autocast_enabled

from surefoot.facts import Site
from surefoot.watch.backward import KNOWN_SIZES, Backward, begin
from surefoot.watch.provenance import NONE, State
from surefoot.watch.thread_state import ThreadState

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer
    from surefoot.watch.window import Seen

NAME = "steady"
MOST_OPTIMIZERS = 8  # all their gradients are looked at around every backward
KEPT_WINDOWS = 16  # put aside, of all optimizers: what they made is found in the gradients of the next ones
KEPT_OF_ONE = 4  # if there is only one: its own gradients are of the last windows
MOST_STRANGE = 8  # windows in a row that were not known, after which nothing is observed for a while
REST = 64  # steps
MOST_KNOWN = 4096  # windows, and what they leave; then all are forgotten

_ALIVE, _ID, _LEFT = methodcaller("__call__"), itemgetter(0), attrgetter("ledger.states", "ledger.used")
GONE, COME, SAME_TENSOR, OTHER_TENSOR, MIXED = 1, 2, 3, 4, 5  # what became of a gradient, or of all of them

Calls = list[tuple[Any, ...]]  # each with its arguments


class Known(NamedTuple):
    """What a window led to when it was accounted for."""

    seen: Seen
    context: int
    ordinals: tuple[int, ...]  # of the backwards whose loss it is, counted back from the last one


class Steady:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.marks: list[Hashable] = []  # of the window that is observed: what was seen
        self.calls: Calls = []  # likewise, to account for it
        self._states: list[tuple[list[State], Any]] = []  # of each optimizer's gradients when the window began
        self._all_tracked: list[TrackedOptimizer] = []
        self._thread_state = ThreadState()  # of the thread that is observed
        self._version = 0  # of the tracked optimizers
        self._aside: deque[tuple[list[tuple[list[State], Any]], Calls]] = deque()
        self._context = 0  # what the last window has left, by its number
        self._contexts: dict[Hashable, int] = {}
        self._known: dict[Hashable, Known] = {}
        self._to_learn: tuple[Hashable, int] | None = None  # a window that is being accounted for
        self._learned: tuple[int, Hashable, Seen, tuple[int, ...]] | None = None  # its step, and what is known of it
        self._num_strange = 0
        self._rests_until = 0
        self._stepping: TrackedOptimizer | None = None  # whose known step is running

    # --- on and off

    def begin(self) -> None:
        """The window that begins is not armed: observe it, if nothing speaks against it."""
        recorder, tap = self._recorder, self._recorder.tap
        if not tap.is_steady:
            learned, self._learned = self._learned, None
            if recorder.num_steps < self._rests_until:
                return
            if not self._can_observe():
                self._rests_until = recorder.num_steps + REST
                return
            self._all_tracked, self._version = recorder.optimizers.all, recorder.optimizers.version
            if len(self._contexts) >= MOST_KNOWN or len(self._known) >= MOST_KNOWN:
                self._contexts, self._known, learned = {}, {}, None
            self._context = self._present_context()
            if learned is not None and learned[0] == recorder.num_steps:
                self._known[learned[1]] = Known(learned[2], self._context, learned[3])
            self._aside = deque(maxlen=KEPT_OF_ONE if len(self._all_tracked) == 1 else KEPT_WINDOWS)
            self._start()
            tap.is_steady = True
        tap.steady_thread, self._thread_state, self._stepping = get_ident(), recorder.thread_states.here(), None

    def _start(self) -> None:
        self.marks, self.calls = [], []
        self._states = list(map(_LEFT, self._all_tracked))

    def catch_up(self) -> None:
        """Account for what was observed so far, and no longer observe."""
        self._recorder.tap.is_steady = False
        aside = [*self._aside, (self._states, self.calls)]
        self._aside.clear()
        for tracked, (states, used) in zip(self._all_tracked, aside[0][0], strict=True):
            if len(states) == len(tracked.ledger.params):  # else it is gone
                tracked.ledger.states, tracked.ledger.used = states, used
        for _, calls in aside:
            for call, *args in calls:
                call(*args)
        self.marks, self.calls = [], []

    def forget(self) -> None:
        """Nobody knows what was observed: our code was left half-way."""
        self._recorder.tap.is_steady = False
        self._aside.clear()
        self.marks, self.calls, self._to_learn, self._learned = [], [], None, None
        self._rests_until = self._recorder.num_steps + REST

    def _can_observe(self) -> bool:
        recorder = self._recorder
        all_tracked, thread_states, step = recorder.optimizers.all, recorder.thread_states, recorder.num_steps
        settings, thread_state = recorder.settings, recorder.thread_states.here()
        return (
            0 < len(all_tracked) <= MOST_OPTIMIZERS
            and all(tracked.ledger.is_plain for tracked in all_tracked)
            and all(not step - tracked.last_step > KEPT_WINDOWS or not tracked.num_updates for tracked in all_tracked)
            and not any(recorder.optimizers.sharing(tracked) for tracked in all_tracked)
            and not (thread_states.are_several or thread_state.backward_stack or thread_state.step_stack)
            and not (recorder.unowned.states or recorder.asking.needs_optimizers)
            and not (settings.stops or settings.thorough or recorder.journal.listener)
            and not (recorder.tap.has_subclasses or NAME in recorder.tap.off)
        )

    def _present_context(self) -> int:
        """What gradients and events have left, by a number of its own."""
        last = self._recorder.num_backwards
        stories = [(each.id, each.windows.accumulates, each.ledger.context(last)) for each in self._all_tracked]
        context = (tuple(stories), tuple(self._recorder.thread_states.here().tokens))
        return self._contexts.setdefault(context, len(self._contexts))

    # --- observing

    def observe(self, tracked: TrackedOptimizer) -> tuple[Hashable, list[State] | None]:
        """What has become of its gradients since the last look, None if only their values can tell; their states."""
        ledger = tracked.ledger
        before, states = ledger.states, ledger.scan()
        cleared, ledger.cleared = ledger.cleared, None
        if states == before:
            if ledger.used and (ledger.looks_left or NONE in map(id, map(_ALIVE, ledger.used))):
                return None, None  # cleared behind our back, or another gradient that only looks like the one before
            return (None, None) if cleared and any(states) else (0, states)
        kind, which = changes = _changes(before, states)
        is_zeroed = kind == SAME_TENSOR and cleared is False
        is_cleared = kind == GONE or (kind == MIXED and set(which) <= {0, GONE})
        if not is_zeroed and not is_cleared:
            return None, None
        ledger.states, ledger.used = states, []
        return changes, states

    def note(self, mark: Hashable, *call: Any) -> None:
        self.marks.append(mark)
        self.calls.append(call)

    def begin_backward(self, args: Any, kwargs: Any) -> Backward:
        """Observe a backward of one loss. If there is more to it, it is accounted for at once."""
        recorder, thread_state = self._recorder, self._thread_state
        if (
            len(args) < 4 or thread_state.backward_stack or recorder.at_next_backward
            or self._version != recorder.optimizers.version
        ):  # fmt: skip
            return begin(recorder, args, kwargs)
        root, gradient, retain_graph, create_graph = args[:4]
        if create_graph or type(root) is not Tensor or (node := root.grad_fn) is None:
            return begin(recorder, args, kwargs)
        site, number = recorder.sites.near(3), node._sequence_nr()
        key, size = id(site), number - recorder.last_root
        sizes = recorder.sizes.get(key, ())
        if size not in sizes and len(sizes) < KNOWN_SIZES:
            return begin(recorder, args, kwargs)
        loss = recorder.losses.of(root, node, key, recorder.scaler_factors)
        if loss is not None and type(loss.value) is float and not isfinite(loss.value):
            return begin(recorder, args, kwargs)
        recorder.num_backwards = ordinal = recorder.num_backwards + 1
        backward = Backward(ordinal, site, (root,), gradient, bool(retain_graph), False)
        backward.root, backward.size, recorder.last_root = number, size, number
        recorder.last_loss = ref(root)
        backward.num_rows = recorder.loss_rows
        if loss is not None:
            backward.factor, backward.value = loss.factor, recorder.losses.keep(ordinal, loss)
        if is_any_autocast_enabled():
            backward.under_autocast = True
        if recorder.asking.has_constant:
            recorder.asking.ask_constant("backward_begins", backward)
        self._observe_before(backward)
        thread_state.backward_stack.append(backward)
        return backward

    def _observe_before(self, backward: Backward) -> None:
        changes: list[Hashable] = []
        states: list[list[State] | None] = []
        for tracked in self._all_tracked:
            change, found = self.observe(tracked)
            changes.append(change)
            states.append(found)
        backward.optimizers = self._all_tracked
        self.calls.append((self._recorder.account_for_begin, backward, states))
        if None in changes:
            self.catch_up()
        else:
            how = (backward.retain_graph, backward.under_autocast, backward.scaled_by)
            self.marks.append((id(backward.site), how, *changes))

    def end_backward(self, backward: Backward | None, args: Any, kwargs: Any, result: Any) -> None:
        """Gradients were added to: whatever has become of them is its doing."""
        if backward is None:
            return
        stack = self._thread_state.backward_stack
        if not self._recorder.tap.is_steady or not stack or stack[-1] is not backward:
            self._recorder.backward_ends(backward)
            return
        stack.pop()
        changes: list[Hashable] = []
        found = []
        for tracked in self._all_tracked:
            ledger = tracked.ledger
            before, states = ledger.states, ledger.scan()
            if states == before:
                found.append((states, ledger.used))
                changes.append(0)
                continue
            if ledger.used:
                ledger.used = ledger.references()
            ledger.states = states
            found.append((states, ledger.used))
            changes.append(_changes(before, states))
        backward.roots, backward.gradient = (), None
        if self._recorder.arming.is_measured:
            backward.reached = tuple(
                [(a.id, 1) for a, change in zip(self._all_tracked, changes, strict=True) if change]
            )
            self._measure("backward_ends", backward)
        self.marks.append(tuple(changes))
        self.calls.append((self._recorder.account_for_end, backward, found))

    # --- the step

    def step(self, optimizer: Optimizer, site: Site | None) -> bool:
        """Whether the step is known; else everything is accounted for, but the step itself."""
        recorder, thread_state = self._recorder, self._thread_state
        tracked = recorder.optimizers.by_id.get(id(optimizer))
        if (
            tracked is None or tracked.optimizer() is not optimizer or recorder.optimizers.version != self._version
            or thread_state.backward_stack or thread_state.step_stack
            or tracked.refresh(optimizer) or ((by := recorder.by_scaler) is not None and not by.leaves_to(optimizer))
        ):  # fmt: skip
            self.catch_up()
            return False
        change, states = self.observe(tracked)
        if change is not None and states is not None:
            condition = recorder.conditions.get(tracked.id) or recorder.condition_of(tracked)
            key = (self._context, tracked.id, id(site), change, condition, by and by.id, tuple(self.marks))
            known = self._known.get(key)
            if known is not None and not recorder.record_due and not recorder.setup_due:
                self._num_strange = 0
                if by is not None:
                    by.taken(optimizer)
                self._count(tracked, optimizer, site, known, states)
                if recorder.arming.is_measured:
                    self._measure("step_starts", optimizer, False)
                return True
            num_undecided = sum([each.ledger.num_unexplained for each in self._all_tracked])
            self._to_learn = (key, num_undecided)
        self.catch_up()
        self._num_strange += 1
        if self._num_strange >= MOST_STRANGE:
            self._num_strange, self._rests_until = 0, recorder.num_steps + REST
        return False

    def _count(
        self, tracked: TrackedOptimizer, optimizer: Optimizer, site: Site | None, known: Known, states: list[State]
    ) -> None:
        recorder, windows, ledger = self._recorder, tracked.windows, tracked.ledger
        index, seen = recorder.count_step(tracked), known.seen
        seen.count += 1
        windows.repeats += 1  # as in `Windows.count`
        windows.alike[seen.record] = windows.alike.get(seen.record, 0) + 1
        last, back = recorder.num_backwards, known.ordinals
        recorder.losses.step(
            tracked, optimizer, index, [last - back[0]] if len(back) == 1 else [last - b for b in back]
        )
        recorder.record_due = recorder.record_due or windows.is_new  # the rate has changed its sign
        tracked.step_site = site
        ledger.used = references = ledger.references()
        self.calls.append((self._account_for_step, tracked, index, site, states, references))
        self._aside.append((self._states, self.calls))
        self._context = known.context
        recorder.journal.clock += len(self.calls)
        recorder.last_step_at = recorder.journal.clock
        self._thread_state.step_stack.append(tracked.id)
        self._stepping = tracked
        recorder.tap.steady_thread = 0  # what the step itself calls is accounted for at once
        self.marks, self.calls, self._states = [], [], list(map(_LEFT, self._all_tracked))

    def step_ended(self) -> bool:
        """Whether the step that has ended was known, and the next window is only observed as well."""
        tracked, recorder = self._stepping, self._recorder
        try:
            if tracked is None or tracked.num_updates + 1 >= tracked.windows.quiet_until or recorder.record_due:
                return False
            self._stepping = None
            self._thread_state.step_stack.pop()
            params = tracked.ledger.params
            tracked.version_left = params[0]._version if params else 0
            recorder.tap.steady_thread = get_ident()
            return True
        except Exception as error:
            recorder.tap.fail_observing(error)
            return False

    def _account_for_step(
        self, tracked: TrackedOptimizer, index: int, site: Site | None, states: list[State], references: list[Any]
    ) -> None:
        recorder = self._recorder
        recorder.look([tracked], [states])
        tracked.ledger.use((index, tracked.id), references=references)
        recorder.note_step(tracked, index, site, skipped=False)

    def _measure(self, method: str, *args: Any) -> None:
        """Signals want the window: they measure one that is only observed, too."""
        self._recorder.tap.run(NAME, self._recorder.asking.ask, method, *args)

    def learn(self, seen: Seen, ordinals: set[int]) -> None:
        """The step was accounted for. What comes of it is known when the next window begins."""
        if self._to_learn is not None:
            (key, num_undecided), self._to_learn = self._to_learn, None
            all_tracked = self._recorder.optimizers.all
            if sum([each.ledger.num_unexplained for each in all_tracked]) == num_undecided:  # else values decided
                last = self._recorder.num_backwards
                offsets = tuple(sorted([last - ordinal for ordinal in ordinals]))
                self._learned = (self._recorder.num_steps, key, seen, offsets)


def _changes(before: list[State], states: list[State]) -> tuple[int, Any]:
    """What has become of gradients, and of which: found without a call for each of them, as a rule."""
    if not any(states):
        return GONE, tuple(map(bool, before))
    if not any(before):
        return COME, tuple(map(bool, states))
    if all(before) and all(states) and list(map(_ID, before)) == list(map(_ID, states)):  # type: ignore[arg-type]
        return SAME_TENSOR, tuple(map(ne, before, states))
    return MIXED, tuple(map(_change, before, states))


def _change(before: State, after: State) -> int:
    if before == after:
        return 0
    if before is None or after is None:
        return GONE if after is None else COME
    return SAME_TENSOR if before[0] == after[0] else OTHER_TENSOR
