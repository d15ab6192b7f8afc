"""`loop.batches`: passes over a loader, with what happens between batches and at the end of each pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from surefoot.loop.batch import to_device
from surefoot.loop.checkpoint.signal import Termination
from surefoot.loop.failing import each_told_to_ranks
from surefoot.loop.feed import Feed
from surefoot.loop.given import refuse_nested_batches
from surefoot.loop.plan import (
    refuse_empty,
    refuse_no_update,
    say_never_seen,
    say_schedules_that_do_not_fit,
    say_starting_over,
)
from surefoot.loop.saving import is_done, restore_data
from surefoot.loop.schedulers import Schedulers
from surefoot.loop.trying import first_batches

if TYPE_CHECKING:
    from surefoot.loop.loop import Loop


@each_told_to_ranks
def passes(
    loop: Loop, loader: Any, epochs: int | None, after_update: Callable[[], object] | None,
    at_epoch_end: Callable[[], object] | None,
) -> Iterator[Any]:  # fmt: skip
    """What `Loop.batches` does."""
    feed = _begin(loop, loader, epochs)
    if feed is None:
        return
    loop._feed, loop._after_update = feed, after_update
    loop._note_attributes()
    loop._save_timer.start(loop.seconds)
    planned = say_schedules_that_do_not_fit(
        loop._updaters.values(),
        loop._accumulate,
        feed.length,
        epochs,
        tell=loop._ranks.rank == 0 and loop._num_calls == 1,
    )
    with Termination() as ending, loop._progress.over(loop.num_updates, planned):
        for epoch in feed.epochs():
            loop.epoch = loop._num_epochs_done = epoch
            loop._each_schedule(Schedulers.epoch_begins)
            yield from _epoch_batches(loop, feed, ending)
            if not feed.num_drawn and not loop.num_updates:
                refuse_empty(epoch)
            if loop.stopped is None:
                _end_epoch(loop, at_epoch_end)
                _save_if_asked(loop, ending)
            if loop.stopped is not None:
                break
    loop._wait_for_checkpoint()
    loop._ranks.share_buffers(loop.models.values())
    loop._feed, loop._ended, loop._after_update = None, feed.state(), None
    refuse_no_update(loop)
    if loop._ranks.rank == 0 and loop.num_epochs > 1 and loop.stopped is None:
        say_never_seen(loop, loop._shown)


def _begin(loop: Loop, loader: Any, epochs: int | None) -> Feed | None:
    """Where the data begins, or goes on after `resume()`; None if there is nothing left to do."""
    loop._num_calls += 1
    if loop.stopped is not None and loop._resumed is None:
        return None
    if loop._resumed is not None and is_done(loop._resumed, loop._num_calls, epochs):
        loop._progress.say(f"call {loop._num_calls} of batches was done before the checkpoint; nothing to do in it")
        return None
    feed = Feed(loader if loop._overfit is None else first_batches(loader, loop._overfit), epochs)
    if loop._resumed is not None:
        restore_data(feed, loop._resumed)
        loop._resumed = None
        return None if loop.stopped is not None else feed
    loop.flush()  # what an earlier loop left open
    if loop._num_calls == 1 and loop._folder is not None and loop._ranks.rank == 0:
        say_starting_over(loop._folder)
    return feed


def _end_epoch(loop: Loop, at_epoch_end: Callable[[], object] | None) -> None:
    loop.flush()
    loop._log.settle()
    loop._num_epochs_done = loop.epoch + 1
    loop.num_epochs += 1
    loop._each_schedule(Schedulers.epoch_ends)
    loop._ask_stop({})  # what counts epochs
    if at_epoch_end is not None:
        at_epoch_end()
    loop._is_save_due |= loop._save_timer.is_due_after_epoch(loop.num_epochs)


def _epoch_batches(loop: Loop, feed: Feed, ending: Termination) -> Iterator[Any]:
    started, device = perf_counter(), loop.device
    for batch in loop._ranks.batches(feed):
        loop._is_batch_untrained, loop.updated = True, False
        yield to_device(batch, device)
        if loop._feed is not feed:
            refuse_nested_batches()
        loop._is_batch_untrained = False
        now = perf_counter()
        loop.seconds += now - started
        started = now
        _save_if_asked(loop, ending)
        if loop.stopped is not None:
            return


def _save_if_asked(loop: Loop, ending: Termination) -> None:
    is_ending = loop._ranks.is_ending(ending)
    if loop._is_save_due or (is_ending and loop._folder is not None):
        loop.save()
    if is_ending:
        loop._wait_for_checkpoint()
        ending.go_on()
