"""Sleep through windows that are exactly like the ones before.

A plain loop makes the same calls from the same lines, window after window. Once it has done so for a while, nothing
is noted for the next windows: each call is only compared with the call expected next. The first one that differs
wakes the recorder, which then rebuilds what it would have noted since the last step, with the lines of the windows
before. A loss or a norm that is not finite wakes it too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from math import isfinite
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any
from weakref import ref

from torch import Tensor

from surefoot.watch.backward import Backward
from surefoot.watch.journal import Build
from surefoot.watch.provenance import UNTOUCHED, Provenance
from surefoot.watch.sample import LossSampler

if TYPE_CHECKING:
    from surefoot.watch.account import Account
    from surefoot.watch.recorder import Recorder

STABLE_WINDOWS = 32  # alike in a row, before the first sleep in a rhythm
# Windows slept through at a stretch; then a few are watched, and one is recorded. They grow with the length of the run:
# what changes without a call of ours, such as a part that is frozen, is seen when we wake.
FIRST_NAP, LONGEST_NAP = 16, 1024
BETWEEN_NAPS = 3  # windows watched before another nap in a rhythm that is known
KNOWN_RHYTHMS = 16
MOST_CALLS = 4096  # in one window; a program that never steps must not fill the memory
ASKED_DIRECTLY = frozenset(("backward", "clear", "clip", "loss", "step"))  # their wrappers ask us, not the recorder
UNHEARD = "loss"  # calls that are not compared: the backward that follows tells as much
PLAIN = {"backward", "clear", "clip", "schedule", "step"}  # events that can be rebuilt

# Where these are called from is not compared while asleep, unless a window begins with them: it would be most of what
# a steady loop costs, and the lines of the other calls tell as much.
ANYWHERE = frozenset(("clear", "clip"))
THROUGH_TORCH = frozenset(("backward", "step"))  # called by a function of torch, whose caller is the program

Token = tuple[str, CodeType, int]  # which probe, called from where


@dataclass(slots=True)
class Call:
    """One call of ours that a window makes, and the events that it noted."""

    probe: str
    token: Token
    events: Sequence[tuple[int, Hashable, Build]] = ()

    @property
    def kinds(self) -> list[str]:
        return [key[0] for _, key, _ in self.events]  # type: ignore[index]


class Rhythm:
    """Listens for windows that repeat."""

    def __init__(self) -> None:
        self.calls: list[Call] = []  # of the window that is running
        self.before: tuple[Token, ...] = ()
        self.num_stable = 0
        self._naps: dict[tuple[Token, ...], int] = {}  # how long the next one may be, by rhythm

    def window_ends(self) -> list[Call]:
        """The window's calls, but for the one that ends its step; counts how many in a row were alike."""
        calls, self.calls = self.calls[:-1], []
        tokens = tuple([call.token for call in calls])
        self.num_stable = self.num_stable + 1 if tokens == self.before else 0
        self.before = tokens
        return calls

    @property
    def is_steady(self) -> bool:
        return self.num_stable >= (BETWEEN_NAPS if self.before in self._naps else STABLE_WINDOWS)

    @property
    def next_nap(self) -> int:
        return self._naps.get(self.before, FIRST_NAP)

    def napped(self, tokens: tuple[Token, ...], *, undisturbed: bool) -> None:
        """Start anew. The next nap in the same rhythm is longer, if this one was undisturbed."""
        if len(self._naps) >= KNOWN_RHYTHMS:
            self._naps.clear()
        self._naps[tokens] = min(2 * self._naps.get(tokens, FIRST_NAP), LONGEST_NAP) if undisturbed else FIRST_NAP
        self.disturbed()

    def disturbed(self) -> None:
        self.calls, self.before, self.num_stable = [], (), 0


def token_here(probe: str, depth: int) -> Token:
    """Of a call whose wrapper is called by the frame `depth` above us."""
    frame = _frame(depth + 1 + (probe in THROUGH_TORCH))
    return (probe, frame.f_code, frame.f_lasti)


def _frame(depth: int) -> FrameType:
    """The one so far above our caller; the outermost one, if there are fewer."""
    try:
        return sys._getframe(depth + 1)
    except ValueError:
        return sys._getframe(depth)


class Nap:
    """The expected calls of the coming windows."""

    def __init__(self, recorder: Recorder, account: Account, calls: list[Call], length: int) -> None:
        self.recorder = recorder
        self.account = account
        self.tokens = tuple(call.token for call in calls)
        self.calls = calls = [call for call in calls if call.probe != UNHEARD]
        self.places = [None if i and call.probe in ANYWHERE else call.token[1:] for i, call in enumerate(calls)]
        self.expected = [call.probe for call in calls]
        self.position = 0
        self.last = len(calls) - 1
        self.left = self.length = length
        self.num_backwards = sum(call.kinds.count("backward") for call in calls)
        self.absent = [i for i, state in enumerate(account.ledger.states) if state is None]
        self.step_site = account.step_site
        # Gradients that are cleared without a call we know are taken as cleared when the first backward comes.
        self.cleared_unseen = not any("clear" in call.kinds for call in calls)
        called = {call.probe for call in calls}
        sleepless = [probe for probe in recorder.probes if probe.sleepless]
        self.sleepless = frozenset(probe.name for probe in sleepless)
        self.told_at_once = [probe for probe in sleepless if probe.name in called]
        self.told_later = [probe for probe in sleepless if probe.name not in called]
        self.loss: ref[Tensor] | None = None  # of the last backward
        self.sampler = recorder.sleep.sampler
        self.sampler.is_listening = False
        self.left_at_sample = length - 1  # when the sampler looks at the clock

    def goes_on(self, probe: str, sign: Any = None, depth: int = 2) -> bool:
        """Whether this call is slept through; else the recorder is awake afterwards, or the probe is sleepless.

        `sign` is the loss or the norm that the call is about, `depth` how far above us is what `token_here` names.
        """
        position = self.position
        if self.expected[position] == probe and self.left:
            place = self.places[position]
            if place is not None:
                try:  # as `_frame`, without a call more
                    frame = sys._getframe(depth)
                except ValueError:
                    frame = sys._getframe(depth - 1)
            # What is not finite wakes us. On other devices reading a number would make the program wait.
            if (place is None or (place[1] == frame.f_lasti and place[0] is frame.f_code)) and (
                type(sign) is not Tensor or not sign.is_cpu or sign.ndim or isfinite(sign.item())
            ):
                self.position = position + 1
                if probe == "backward":
                    self.loss = ref(sign) if type(sign) is Tensor else None
                    if self.sampler.is_listening:
                        self.sampler.hear(sign)
                if position == self.last:
                    self._window_ends()
                return probe not in self.sleepless
        self.recorder.wake()
        return False

    def _window_ends(self) -> None:
        """The step is about to be taken; it is always the last call."""
        recorder, account = self.recorder, self.account
        if self.told_at_once and (optimizer := account.optimizer()) is not None:
            for probe in self.told_at_once:
                recorder.attempt(probe, probe.step_begins, optimizer)
        self.position = 0
        self.left -= 1
        recorder.num_steps += 1
        recorder.num_backwards += self.num_backwards
        account.num_updates += 1
        if self.left <= self.left_at_sample or self.sampler.is_listening:
            self.left_at_sample = self.left - self.sampler.window_ends(account)

    def ends(self) -> None:
        """Wake up: tell the probes, and note what the unfinished window has done so far."""
        num_steps, account = self.length - self.left, self.account
        if num_steps:
            account.repeats += num_steps
            account.alike[account.like] = account.alike.get(account.like, 0) + num_steps
            for probe in self.told_later:
                self.recorder.attempt(probe, probe.slept, account, num_steps)
        self.rebuild()

    def rebuild(self) -> None:
        """Note what the unfinished window has done so far, and say where its gradients come from."""
        recorder, account = self.recorder, self.account
        journal, ledger = recorder.journal, account.ledger
        recorder.note_step(account, recorder.num_steps, self.step_site, skipped=False)
        first = recorder.num_backwards
        used = tuple(range(first - self.num_backwards + 1, first + 1))
        now = Provenance(used, used_by=((recorder.num_steps, account.id),))
        for call in self.calls[: self.position]:
            for _, key, build in call.events:
                kind = key[0]  # type: ignore[index]
                if kind == "backward":
                    recorder.num_backwards += 1
                    now = UNTOUCHED if self.cleared_unseen and not now.fresh else now
                    now = now.received(recorder.num_backwards)
                    journal.note(key, _again(build, recorder.num_backwards))
                elif kind != "step":
                    at = journal.note(key, build)
                    now = now.cleared(at) if kind == "clear" else now
        ledger.assume(now)
        for i in self.absent:
            ledger.provenances[i] = UNTOUCHED


class Sleep:
    """Whether the recorder sleeps, and what it has heard while awake."""

    def __init__(self, recorder: Recorder) -> None:
        self.nap: Nap | None = None
        self.num_naps = 0  # that are over
        self.last_loss: ref[Tensor] | None = None  # of the last one's last backward, until there is another backward
        self._recorder = recorder
        self._rhythm = Rhythm()
        self.sampler = LossSampler(recorder)
        self.on_backward: Callable[[], None] | None = None  # told when one is over, asleep

    def wake(self) -> None:
        nap, self.nap = self.nap, None
        if nap is not None:
            self.num_naps += 1
            self.last_loss = nap.loss
            nap.ends()
            self._rhythm.napped(nap.tokens, undisturbed=nap.left == 0)

    def hear(self, probe: str) -> Call:
        """Note a call of ours; the recorder adds the events that it leads to."""
        heard = Call(probe, token_here(probe, 3))
        if len(self._rhythm.calls) > MOST_CALLS:
            self._rhythm.disturbed()
        self._rhythm.calls.append(heard)
        return heard

    @contextmanager
    def one_call(self) -> Iterator[None]:
        """What is heard in the block belongs to the call before it: while asleep there is no end of a call."""
        calls = self._rhythm.calls
        before = len(calls)
        yield
        if 0 < before == len(calls) - 1:
            end = calls.pop()
            calls[-1].events = (*calls[-1].events, *end.events)

    def window_ends(self, account: Account) -> None:
        """Fall asleep if the windows have been alike for long enough, and are plain enough to be rebuilt."""
        recorder, rhythm = self._recorder, self._rhythm
        calls = rhythm.window_ends()
        if not rhythm.is_steady or account.num_updates < STABLE_WINDOWS or recorder.setup_due:
            return
        if recorder.settings.stops or recorder.settings.awake:  # every step must be judged before its update, or seen
            return
        if not ASKED_DIRECTLY.isdisjoint(recorder.off):
            return
        one_of_each = len(recorder.accounts.values()) == 1 and len(recorder.lanes) == 1 and not recorder.unowned.params
        kinds = [kind for call in calls for kind in call.kinds]
        # Gradients without a backward are written by hand: on waking they would be taken for those of the step before.
        plain = kinds.count("step") == 1 and "backward" in kinds and PLAIN.issuperset(kinds)
        if one_of_each and plain and recorder.by_scaler is None and account.is_simple:
            length = rhythm.next_nap
            if recorder.until_awake is not None:
                length = min(length, recorder.until_awake(account))
            if length:
                self.nap = Nap(recorder, account, calls, length)


def _again(build: Build, ordinal: int) -> Build:
    """The same backward, with the ordinal it has this time."""
    backward = getattr(build, "__self__", None)
    assert isinstance(backward, Backward), "backwards note themselves"
    clone = copy(backward)
    clone.ordinal, clone.value, clone.root = ordinal, None, 0
    return clone.fact
