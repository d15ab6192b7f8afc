"""The loss of steps that are not recorded, also of those that the recorder sleeps through: a curve without gaps."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.watch.backward import Backward
from surefoot.watch.journal import Build

if TYPE_CHECKING:
    from surefoot.watch.account import Account
    from surefoot.watch.recorder import Recorder

SPACING_SECONDS = 0.02  # between samples, where reading the loss costs nothing that could be felt
FIRST_SAMPLES, FARTHER = 128, 5.0  # so many of an optimizer are that close; then they are as many times farther apart
DEVICE_SPACING_SECONDS = 1.0  # elsewhere the program waits for the device
MOST_UNSEEN = 64  # windows between two looks at the clock, whatever the pace was


class LossSampler:
    """`is_listening` for the length of one window, then and when: the windows between cost one look at the clock."""

    def __init__(self, recorder: Recorder) -> None:
        self.is_listening = False
        self._recorder = recorder
        self.told: tuple[int, int, float] = (0, 0, 0.0)  # optimizer, step, loss: the last one that was heard
        self.total, self.count = 0.0, 0  # of all losses heard asleep
        self._losses: list[float] = []
        self._spacing = SPACING_SECONDS
        self._looked = (0, 0.0)  # at the clock: updates, seconds

    # --- awake

    def step(self, account: Account, events: Iterable[tuple[int, Hashable, Build]]) -> None:
        """A step that is not recorded, and what came before it."""
        now = perf_counter()
        if self._recorder.on_sample is None or now < account.sample_due:
            return
        backwards = [build.__self__ for _, _, build in events if hasattr(build, "__self__")]
        losses = [
            b.value
            for b in backwards
            if isinstance(b, Backward) and b.value is not None and any(number == account.id for number, _ in b.reached)
        ]
        self._tell(account, now, losses)

    # --- asleep

    def listen(self) -> None:
        """Hear the window that begins now, whenever the next one would be due."""
        self.is_listening = True

    def hear(self, loss: Any) -> None:
        if type(loss) is Tensor and loss.ndim == 0:
            self._spacing = SPACING_SECONDS if loss.is_cpu else DEVICE_SPACING_SECONDS
            self._losses.append(loss.item())

    def window_ends(self, account: Account) -> int:
        """After how many more windows to ask again."""
        if self._recorder.on_sample is None and not self.is_listening:
            return MOST_UNSEEN
        now = perf_counter()
        if self.is_listening:
            self.is_listening = False
            losses, self._losses = self._losses, []
            self.total += sum(losses)
            self.count += len(losses)
            self._tell(account, now, losses)
        elif now >= account.sample_due:
            self.is_listening = True  # to the next window
        return 1 if self.is_listening else self._num_windows(account, now)

    def _num_windows(self, account: Account, now: float) -> int:
        """That surely pass before the next sample is due, at the pace since we last looked at the clock."""
        window, last = account.num_updates, self._looked
        self._looked = (window, now)
        pace = (now - last[1]) / max(1, window - last[0])
        return max(1, min(MOST_UNSEEN, int((account.sample_due - now) / (2 * pace)))) if pace > 0 else 1

    def _tell(self, account: Account, now: float, losses: list[float]) -> None:
        recorder, optimizer = self._recorder, account.optimizer()
        if losses:
            self.told = (account.id, recorder.num_steps, sum(losses) / len(losses))
        if not losses or optimizer is None or recorder.on_sample is None or now < account.sample_due:
            return
        account.num_samples += 1
        account.sample_due = now + self._spacing_of(account)
        try:
            rate = float(optimizer.param_groups[0]["lr"])
            recorder.on_sample(account.id, recorder.num_steps, sum(losses) / len(losses), rate)
        except Exception as error:
            recorder.on_sample = None
            recorder.report_failure("sample", error)

    def _spacing_of(self, account: Account) -> float:
        if account.num_samples <= FIRST_SAMPLES:
            return self._spacing
        return max(self._spacing, min(FARTHER * self._spacing, DEVICE_SPACING_SECONDS))  # on devices it is far already
