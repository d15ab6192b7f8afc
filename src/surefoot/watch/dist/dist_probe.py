"""Watch how ranks keep one model: whether gradients were sent before they are used, and what may be compared.

Among several ranks every window is judged.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.nn import Module
from torch.nn.parallel import DistributedDataParallel

from surefoot.facts import LossFacts, ReplicaFacts, Site
from surefoot.watch.dist.course import Alone, Course
from surefoot.watch.dist.note import is_noted, note_by_hand, note_of
from surefoot.watch.dist.traffic import Mark, Traffic, num_ranks, number_of_all
from surefoot.watch.dist.wrapper import Wrapper, Wrappers
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder
    from surefoot.watch.tracked_optimizer import TrackedOptimizer

KEPT_BACKWARDS = 128
KEPT_COURSES = 256  # of programs that make optimizers all the time
MOST_SEARCHES = 16  # through all live modules; a program that makes optimizers all the time is not searched any more


@dataclass(frozen=True, slots=True)
class Begun:
    """How things stood when a backward began."""

    mark: Mark | None
    site: Site | None
    wrappers: dict[int, tuple[int, bool, bool]]  # forwards since the last backward; sync at the last one, and now
    loss: LossFacts | None


class DistProbe(Probe):
    name = "dist"

    def __init__(self) -> None:
        self._traffic = Traffic()
        self._wrappers = Wrappers()
        self._begun: dict[int, Begun] = {}  # by the ordinal of the backward
        self._courses: dict[int, Course] = {}  # by the id of the tracked optimizer
        self._version = -1  # of the tracked optimizers, when wrappers were looked for
        self._num_searches = 0
        self._num_ranks = 1  # at the last step
        self._is_among_ranks = False
        self._hears_conversions = False
        self._replica: ReplicaFacts | None = None

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if not dist.is_available() or not hasattr(DistributedDataParallel, "_pre_forward"):
            return
        self._traffic.install(recorder, self)
        recorder.tap.listen(DistributedDataParallel, "__init__", self.name, after=self._wrapped)
        recorder.tap.listen(
            DistributedDataParallel, "_pre_forward", self.name, before=self._forward_begins, after=self._forward_ready
        )

    def _wrapped(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        """Only programs that wrap a model have its conversions listened to."""
        if hasattr(args[0], "_module_parameters"):
            self._wrappers.of(args[0])
            if not self._hears_conversions:
                self._hears_conversions = True
                self._recorder.tap.listen(Module, "_apply", self.name, after=self._converted)

    def _converted(self, begun: None, args: Any, kwargs: Any, result: Any) -> None:
        for wrapper in self._wrappers.all():
            wrapper.converted(args[0])

    def _forward_begins(self, args: Any, kwargs: Any) -> int | None:
        has_buffers = getattr(args[0], "modules_buffers", True)  # which it sends, without anybody's doing
        return number_of_all() if has_buffers else None

    def _forward_ready(self, before: int | None, args: Any, kwargs: Any, result: Any) -> None:
        self._traffic.leave_out(before)
        if torch.is_grad_enabled() and num_ranks() > 1:
            self._wrappers.of(args[0]).forward((args[1:], kwargs))

    # --- a backward

    def backward_begins(self, backward: Backward) -> None:
        if num_ranks() == 1:
            return
        if not self._is_among_ranks:
            self._is_among_ranks = True
            self._recorder.ask_in_every_window(self, "backward_begins", "backward_ends", "step_begins", "step_ends")
        self._search()
        wrappers = {w.number: (w.num_forwards, w.forward_syncs, w.syncs) for w in self._wrappers.all()}
        self._begun[backward.ordinal] = Begun(self._traffic.mark(), backward.site, wrappers, backward.loss)
        if len(self._begun) > KEPT_BACKWARDS:
            del self._begun[next(iter(self._begun))]

    def backward_ends(self, backward: Backward) -> None:
        if num_ranks() == 1:
            return
        ordinal = backward.ordinal
        for wrapper in self._wrappers.all():
            if wrapper.num_forwards and self._reaches(ordinal, wrapper):
                wrapper.num_forwards = 0

    def _reaches(self, ordinal: int, wrapper: Wrapper) -> bool:
        for tracked in self._recorder.optimizers.values():
            ledger = tracked.ledger
            for param, provenance in zip(ledger.params, ledger.provenances, strict=True):
                if provenance.fresh and provenance.fresh[-1] == ordinal and id(param) in wrapper.ids:
                    return True
        return False

    # --- a step

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        recorder = self._recorder
        tracked = recorder.optimizers.get(optimizer)
        ranks = num_ranks()
        self._num_ranks = max(ranks, self._num_ranks)
        self._replica = None
        if (
            tracked is None
            or ranks == 1
            or len(recorder.thread_states) > 1
            or recorder.thread_states.here().backward_stack
        ):
            return None
        self._search()
        course = self._courses.setdefault(tracked.id, Course(tracked))
        if len(self._courses) > KEPT_COURSES:
            del self._courses[next(iter(self._courses))]
        mark = self._traffic.mark()
        alone = [] if mark is None else self._judge(tracked, course, mark)
        course.told = tuple(one.facts(tracked.id, ranks, _last(one, tracked)) for one in alone)
        self._note(tracked, course)
        return tuple((one.kind, one.is_followed, one.backward_syncs) for one in course.told)

    def _search(self) -> None:
        """For wrappers, when there are new optimizers."""
        version = self._recorder.optimizers.version
        if version == self._version or self._num_searches >= MOST_SEARCHES:
            return
        self._version = version
        self._num_searches += 1
        self._wrappers.find(self._recorder.names.registry.alive())
        sizes = [[p.numel() * p.element_size() for p in a.ledger.params] for a in self._recorder.optimizers.values()]
        self._traffic.num_bytes = min((sum(of_one) for of_one in sizes), default=0)

    def _judge(self, tracked: TrackedOptimizer, course: Course, mark: Mark) -> list[Alone]:
        told = []
        wrappers = self._wrappers.all()
        for wrapper in wrappers:
            ordinals = self._window(tracked, wrapper)
            if ordinals and wrapper.num_ranks > 1 and not wrapper.has_hooks:
                told += self._judge_wrapped(tracked, course, wrapper, ordinals, mark)
        if not wrappers and not self._wrappers.has_others and not course.has_shared:
            told += self._judge_unwrapped(tracked, course, mark)
        return told

    def _window(self, tracked: TrackedOptimizer, wrapper: Wrapper | None) -> list[int]:
        """The backwards whose gradients the step uses, if all of them were seen."""
        ledger = tracked.ledger
        ordinals: set[int] = set()
        for param, state, provenance in zip(ledger.params, ledger.states, ledger.provenances, strict=True):
            if state is not None and (wrapper is None or id(param) in wrapper.ids):
                ordinals.update(provenance.fresh)
        return sorted(ordinals) if all(ordinal in self._begun for ordinal in ordinals) else []

    def _judge_wrapped(
        self, tracked: TrackedOptimizer, course: Course, wrapper: Wrapper, ordinals: list[int], mark: Mark
    ) -> list[Alone]:
        begun = [self._begun[ordinal] for ordinal in ordinals]
        first, last, key = begun[0], begun[-1], wrapper.number
        num_forwards, forward_syncs, backward_syncs = last.wrappers.get(key, (0, True, True))
        if first.mark is None or last.mark is None:
            return []
        if last.mark != mark:  # something was sent
            wrapper.trained_by.add(tracked.id)
            followed = course.steps_together(key, first.mark)
            found = [followed] if followed is not None and num_forwards and forward_syncs else []
            for one, sent in zip(begun, [*(b.mark for b in begun[1:]), mark], strict=True):
                if _is_needless(one.wrappers.get(key, (0, True, True))) and one.mark != sent:
                    return [*found, Alone("needless", tracked.num_updates, mark, wrapper.kind, one.site)]
            return found
        is_bypassed = all(key in b.wrappers and not b.wrappers[key][0] for b in begun)
        if is_bypassed and (tracked.id in wrapper.trained_by or not wrapper.trained_by):
            kind = "bypassed"  # and not a stage after the training, for which one rank has an optimizer of its own
        elif num_forwards and forward_syncs and backward_syncs and wrapper.is_hollow:
            kind = "replaced"
        elif num_forwards and forward_syncs and backward_syncs and wrapper.is_deaf:
            kind = "converted"
        elif num_forwards and not forward_syncs and (backward_syncs or _is_builtin(tracked)):
            kind = "no-sync"
        else:  # a second backward of one forward, an ascent as SAM takes it, or something that we do not know
            course.was_alone |= is_bypassed or num_forwards > 0  # weights that a second backward moved are compared
            return []
        is_no_sync = kind == "no-sync"
        step = Alone(
            kind, tracked.num_updates, mark, wrapper.kind, last.site, is_no_sync and backward_syncs,
            is_no_sync and _is_partly_sent(begun, key),
        )  # fmt: skip
        steps = course.steps_alone(key, step)
        return [steps] if steps in course.left else []

    def _judge_unwrapped(self, tracked: TrackedOptimizer, course: Course, mark: Mark) -> list[Alone]:
        ordinals = self._window(tracked, None)
        if not ordinals or not self._is_model(tracked):
            return []
        before = course.alone.get(0)
        since = self._begun[ordinals[0]].mark if before is None else before.mark
        if since != mark:
            course.has_shared = True
            course.alone.clear()
            return []
        site = self._begun[ordinals[-1]].site
        return [course.steps_alone(0, Alone("unwrapped", tracked.num_updates, mark, backward=site))]

    def _is_model(self, tracked: TrackedOptimizer) -> bool:
        """Its parameters are those of modules, each of which lies here as a whole."""
        scan = self._recorder.names.scan
        params = tracked.ledger.params
        if any(hasattr(param, "_local_tensor") for param in params):
            return False
        return all(scan.place(param) is not None for param in params)

    def _note(self, tracked: TrackedOptimizer, course: Course) -> None:
        held = [(w, ordinals) for w in self._wrappers.all() if (ordinals := self._window(tracked, w))]
        whole = [w for w, _ in held if w.num_ranks == self._num_ranks and not w.has_hooks]
        if is_noted(tracked.num_updates) and whole and len(whole) == len(held):
            ordinals = sorted({ordinal for _, ordinals in held for ordinal in ordinals})
            losses = [self._begun[ordinal].loss for ordinal in ordinals]
            beside = self._traffic.is_left_to_torch and self._is_model(tracked)
            together = not course.was_alone
            self._replica = note_of(self._recorder, tracked, whole, losses, replicated=together, beside=beside)
            self._recorder.record_due = True
        elif is_noted(tracked.num_updates) and self._averages_by_hand(tracked):
            self._replica = note_by_hand(self._recorder, tracked)
            self._recorder.record_due = True
        for wrapper, _ in held:
            wrapper.tracked = tracked

    def _averages_by_hand(self, tracked: TrackedOptimizer) -> bool:
        """Each gradient was sent by itself since the last step, and no wrapper has a part in it."""
        if self._wrappers.all() or self._wrappers.has_others or not self._is_model(tracked):
            return False
        grads = [param.grad for param in tracked.ledger.params if param.grad is not None]
        return bool(grads) and all(grad.data_ptr() in self._traffic.sent for grad in grads)

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        course = None if tracked is None else self._courses.get(tracked.id)
        told = {} if course is None or not course.told else {"unsynced": course.told}
        return told if self._replica is None else {**told, "replica": self._replica}

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        course = None if tracked is None else self._courses.get(tracked.id)
        if tracked is not None and course is not None:
            course.told = ()
            for alone in course.alone.values():
                alone.site = tracked.step_site

    def end_facts(self) -> dict[str, Any]:
        mark = self._traffic.mark()
        left = [
            alone.facts(course.tracked.id, self._num_ranks, course.tracked.num_updates)
            for course in self._courses.values()
            for alone in course.left
            if alone.mark == mark
        ]
        return {"unsynced": tuple(left)} if left else {}


def _is_builtin(tracked: TrackedOptimizer) -> bool:
    return type(tracked.optimizer()).__module__.startswith("torch.")


def _is_partly_sent(begun: list[Begun], key: int) -> bool:
    """Whether an earlier micro-batch of the window was synchronised: nobody averages weights who does that."""
    synced = [one.wrappers.get(key, (0, True, True)) for one in begun]
    pairs = zip(begun, begun[1:], synced, strict=False)
    return any(one.mark != after.mark and num and syncs for one, after, (num, syncs, _) in pairs)


def _is_needless(stood: tuple[int, bool, bool]) -> bool:
    """Synchronising was switched off for the backward, but not for the forward that decides it."""
    num_forwards, forward_syncs, backward_syncs = stood
    return num_forwards > 0 and forward_syncs and not backward_syncs


def _last(alone: Alone, tracked: TrackedOptimizer) -> int:
    """The last update of these steps; the one that is being taken comes after them if they are over."""
    return tracked.num_updates - 1 if alone.is_over else tracked.num_updates
