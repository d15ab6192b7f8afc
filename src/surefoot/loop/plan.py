"""What a loop tells its user about the plan: schedules that do not fit it, and what is left out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from math import ceil
from typing import TYPE_CHECKING

from surefoot.loop.checkpoint.name import list_names
from surefoot.loop.schedule import length_of, mismatch

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.optim import Optimizer

    from surefoot.loop.checkpoint.folder import Folder
    from surefoot.loop.loop import Loop
    from surefoot.loop.update import Updater


class NothingUpdatedError(RuntimeError):
    """All windows of a run were left out."""


class LoopWarning(UserWarning):
    """Something about a loop that its user will want to know."""


def planned_updates(num_batches: int, epochs: int, accumulate: int) -> int:
    """Every epoch ends with an update, also when its last window is short."""
    return epochs * ceil(num_batches / accumulate)


def say_schedules_that_do_not_fit(
    updaters: Iterable[Updater], accumulate: Mapping[str, int], num_batches: int | None, epochs: int | None,
    *, tell: bool = True,
) -> int | None:  # fmt: skip
    """A schedule made for another number of updates ends too early, or never gets to its end.

    Returns how many updates are planned, of all optimizers, if that is known.
    """
    if num_batches is None or epochs is None:
        return None
    in_all = 0
    for updater in updaters:
        planned = planned_updates(num_batches, epochs, accumulate[updater.name])
        in_all += planned
        for scheduler in updater.scheduler.per_update if updater.scheduler and tell else ():
            wrong = mismatch(scheduler, planned)
            is_part = epochs == 1 and (length_of(scheduler) or 0) > planned  # one call of several, an epoch each
            if wrong is not None and not is_part:
                warnings.warn(
                    f"{wrong} ({num_batches} batches, {epochs} epochs, accumulate={accumulate[updater.name]}). "
                    "Schedules are counted in updates here; sf.schedule.per_epoch(scheduler) counts epochs.",
                    LoopWarning,
                    stacklevel=4,
                )
    return in_all


def say_skipped(update: int, what: str) -> None:
    """Once in a run: weights that stay finite in silence would hide what is wrong with the data."""
    warnings.warn(
        f"update {update} was left out: {what}. loop.num_skipped counts such windows; this warning comes once.",
        LoopWarning,
        stacklevel=5,
    )


def say_empty(update: int) -> None:
    """Once in a run."""
    warnings.warn(
        f"the window of update {update} was left out, because none of its items counted: its weights add up to 0, as "
        "when all targets are ignored. loop.num_empty counts such windows; this warning comes once.",
        LoopWarning,
        stacklevel=5,
    )


def say_dropped(num: int) -> None:
    """Each time: the program decides what to do about it, and has not seen the window."""
    warnings.warn(
        f"a step failed inside an open window, and the gradients of the {num} micro-batch{'' if num == 1 else 'es'} "
        "before it were discarded with it: a backward that fails may have added some of its own. The next step "
        "begins a new window.",
        LoopWarning,
        stacklevel=4,
    )


def refuse_no_update(loop: Loop) -> None:
    """At the end of all epochs: a training in which nothing was updated must not look like one."""
    if loop.num_updates:
        return
    if not loop.num_skipped:
        raise NothingUpdatedError(
            "no update was made: none of the batches had a step. Inside the loop over batches() write "
            "`with loop.step() as step:`, and step.backward(loss) inside it."
        )
    counts = {
        "had no item that counts": loop.num_empty,
        "were not finite": loop.num_skipped - loop.num_empty,
    }
    why = " and ".join(f"{num} {what}" for what, num in counts.items() if num)
    raise NothingUpdatedError(
        f"no update was made: of {loop.num_skipped} windows, {why}. The weights are those from before. Look at the "
        "targets, masks and weights of a batch, and at its loss."
    )


def refuse_empty(epoch: int) -> None:
    raise ValueError(
        f"the loader gave no batch at all in epoch {epoch}: its data is empty, smaller than one batch with "
        "drop_last=True, or an exhausted generator."
    )


def say_never_seen(loop: Loop, shown: Collection[str]) -> None:
    """A condition on a value that is never logged never holds."""
    schedulers = [updater.scheduler for updater in loop._updaters.values() if updater.scheduler is not None]
    waiting = {
        "stop": loop._stop.names if loop._stop is not None else frozenset(),
        "keep_best": {loop._best.name} if loop._best.name else frozenset(),
        "a scheduler": {name for one in schedulers for name in one.names},
    }
    known = {*loop.history.names, *shown}
    for what, names in waiting.items():
        for name in sorted(set(names) - known):
            warnings.warn(
                f"{what} waits for {name!r}, which was not seen in {loop.num_epochs} epochs. There are "
                f"{', '.join(sorted(known - {'update', 'epoch'}))}; loop.see({{{name!r}: value}}) shows a value.",
                LoopWarning,
                stacklevel=4,
            )


def say_starting_over(folder: Folder) -> None:
    """The next saves will let the checkpoints of another run go."""
    names = [name for name in list_names(folder.path) if name.healthy]
    if names:
        warnings.warn(
            f"{folder.path} has checkpoints up to update {max(name.update for name in names)}, and the run starts "
            "anew, because resume() was not called: new checkpoints will replace them. Call loop.resume() before "
            "batches(), or choose another folder.",
            LoopWarning,
            stacklevel=4,
        )


def say_untrained(models: Mapping[str, Module], optimizers: Mapping[str, Optimizer]) -> None:
    """Parameters got gradients that no optimizer will use.

    For the sanitizer a part left out may be on purpose; who makes a loop can say so by freezing it, which is cheaper.
    """
    held = {id(p) for optimizer in optimizers.values() for group in optimizer.param_groups for p in group["params"]}
    named = [pair for model in models.values() for pair in model.named_parameters()]
    forgotten = [name for name, p in named if p.grad is not None and id(p) not in held]
    if forgotten:
        warnings.warn(
            f"{len(forgotten)} parameters got gradients and are in no optimizer: {', '.join(forgotten[:3])}"
            f"{', …' if len(forgotten) > 3 else ''}. They will never be updated. Give them to the optimizer, or freeze "
            "them with requires_grad_(False).",
            LoopWarning,
            stacklevel=5,
        )
