"""The end of a micro-batch, and what follows an update: counts, history, stop conditions, checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from surefoot.loop.plan import say_dropped, say_empty, say_skipped, say_untrained
from surefoot.loop.update import NonFiniteError, Outcome, Updater

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop
    from surefoot.loop.micro_batch import MicroBatch


def micro_batch_ends(loop: Loop, micro_batch: MicroBatch, updater: Updater, *, failed: bool) -> None:
    if failed:
        updater.num_dropped = updater.window.num_micro_batches
        updater.discard()  # gradients of a broken backward are in it
        return
    if micro_batch.compute_loss is not None:
        loop._is_batch_untrained = False
        apply(loop, updater, micro_batch.evaluate)
        return
    if micro_batch.is_left_out:
        updater.outside.refuse_plain_backward()
        return
    loop._is_batch_untrained = False
    updater.window.num_micro_batches += 1
    if updater.window.num_micro_batches >= loop._accumulate[updater.name]:
        apply(loop, updater)


def window_dropped(loop: Loop, updater: Updater) -> None:
    """The program has caught what a step raised, and goes on."""
    num, updater.num_dropped = updater.num_dropped, 0
    loop.num_skipped += 1
    say_dropped(num)


def apply(loop: Loop, updater: Updater, evaluate: Callable[[], None] | None = None) -> None:
    """Apply a window; one that `evaluate` fills if the optimizer is to evaluate the loss itself."""
    hook = loop._before_update[updater.name]
    before = None if hook is None else partial(hook, loop)
    if (loop._weights_matter or updater.scaler is not None) and evaluate is None:
        updater.outside.refuse_changed()
    outcome = updater.update(before) if evaluate is None else updater.update_by(evaluate, before)
    if outcome.applied:
        _applied(loop, updater, outcome)
        return
    loop.num_skipped += 1
    if outcome.is_empty:
        loop.num_empty += 1
        if loop.num_empty == 1 and loop._ranks.rank == 0:
            say_empty(loop.num_updates + 1)
    if outcome.is_bad and loop._on_nonfinite == "raise":
        raise NonFiniteError(
            f"update {loop.num_updates + 1} was refused: {outcome.what_is_bad()}. The weights are those of update "
            f'{loop.num_updates}. on_nonfinite="skip" leaves such windows out and counts them.'
        )
    if outcome.is_bad and loop._ranks.rank == 0 and not loop._told_skip:
        loop._told_skip = True
        say_skipped(loop.num_updates + 1, outcome.what_is_bad())


def _applied(loop: Loop, updater: Updater, outcome: Outcome) -> None:
    loop.num_updates += 1
    loop.updated = True
    loop._averages.update(updater.name)
    if loop.num_updates == 1 and loop._ranks.rank == 0:
        say_untrained(loop.models, loop.optimizers)
    lead = f"{updater.name}/" if updater.name else ""
    values = {f"{lead}loss": outcome.loss, f"{lead}lr": outcome.rates[0], f"{lead}grad_norm": outcome.norm}
    values |= {f"{lead}lr/{index}": lr for index, lr in enumerate(outcome.rates) if index}
    loop.history.add({"update": loop.num_updates, "epoch": loop.epoch, **values})
    loop._log.update(loop.num_updates, values)
    if loop._save_timer.is_due_after_update(loop.num_updates, loop.seconds):
        loop._is_save_due = True
        if loop._feed is None:
            loop.save()
    loop._note_attributes()
    loop._keep_if_best({f"{lead}loss": outcome.loss})
    if loop._stop is not None:
        loop._ask_stop({f"{lead}loss": outcome.loss})
    if loop._progress.is_on:
        loop._progress.update(loop, outcome.loss, outcome.rates[0])
    if loop._after_update is not None:
        loop._after_update()
