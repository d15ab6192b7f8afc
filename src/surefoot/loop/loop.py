"""`sf.Loop`: training that is right by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Literal

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.judge import Finding
from surefoot.loop import setup
from surefoot.loop.activation import checkpoint_activations
from surefoot.loop.batch import to_device
from surefoot.loop.best import Best, BestKeeper
from surefoot.loop.checkpoint.background import BackgroundWriter
from surefoot.loop.checkpoint.file import read, write
from surefoot.loop.checkpoint.signal import Termination
from surefoot.loop.closure import check_closure
from surefoot.loop.ema import Averages
from surefoot.loop.evaluate import Evaluation, evaluate
from surefoot.loop.every import Every, Timer, check_every
from surefoot.loop.feed import Feed
from surefoot.loop.fit import Fit
from surefoot.loop.frozen import FrozenWeights
from surefoot.loop.given import check_model_and_optimizer, refuse_nested_batches, refuse_own_batches
from surefoot.loop.history import History
from surefoot.loop.log import Alerts, Log, LoopLog
from surefoot.loop.micro_batch import MicroBatch
from surefoot.loop.outlook import tell_outlook
from surefoot.loop.parallel import group
from surefoot.loop.plan import (
    refuse_empty,
    refuse_no_update,
    say_empty,
    say_never_seen,
    say_schedules_that_do_not_fit,
    say_skipped,
    say_starting_over,
    say_untrained,
)
from surefoot.loop.precision import Precision, check_precision
from surefoot.loop.progress import Progress
from surefoot.loop.saving import is_done, is_healthy, load_state, load_weights, restore_data, state_of
from surefoot.loop.schedulers import Schedulers
from surefoot.loop.state import State
from surefoot.loop.stop import Condition, Seen, after
from surefoot.loop.trying import check_trying, first_batches
from surefoot.loop.unsaved import UnsavedAttributes
from surefoot.loop.update import NonFiniteError, Outcome, Updater
from surefoot.loop.updaters import make_updaters
from surefoot.loop.watching import Watching


class Loop:
    """A training loop: exact accumulation, the right order, checks before updates, stopping, exact resume.

    loop = sf.Loop(model, optimizer, accumulate=4, clip_norm=1.0)
    for x, y in loop.batches(loader, epochs=10):
        with loop.step(weight=len(y)) as step:
            step.backward(loss_fn(model(x), y))

    With several optimizers, given as a dict, each micro-batch names the one it is for: `loop.step("d")`. Settings that
    are about optimizers (`scheduler`, `accumulate`, `clip_norm`, `clip_value`, `before_update`) may then be dicts by
    the same names.

    Optimizers in a list step together, on one backward: `sf.Loop(model, [muon, adamw])`.

    `before_update(loop)` is called when the gradients of a window are complete, and may inspect or edit them.
    """

    num_updates = 0  # applied, by all optimizers
    num_skipped = 0  # windows that were not applied: overflow in fp16, not finite, without any item
    num_empty = 0  # of these, windows without any item
    num_epochs = 0  # finished, in all calls of `batches`
    epoch = 0  # that is running, counted from 0
    updated = False  # whether the last step ended with an update
    seconds = 0.0  # spent in `batches`, over resumes
    stopped: str | None = None  # why, once a stop condition has been met
    _num_epochs_done = 0
    _num_calls = 0  # of `batches`
    _feed: Feed | None = None
    _ended: dict[str, Any] | None = None  # where the data stood at the end of the last call
    _resumed: dict[str, Any] | None = None  # where the data stood, until `batches` goes on there
    _is_batch_untrained = False  # drawn, and no micro-batch of it has ended yet
    _is_save_due = False
    _unsaved: UnsavedAttributes | None = None  # from the first update on
    _after_update: Callable[[], object] | None = None
    _told_skip = False

    def __init__(
        self,
        model: Module | Mapping[str, Module] | Sequence[Module],
        optimizer: Optimizer | Sequence[Optimizer] | Mapping[str, Optimizer | Sequence[Optimizer]],
        *,
        scheduler: Any = None,
        accumulate: int | Mapping[str, int] = 1,
        clip_norm: float | Mapping[str, float] | None = None,
        clip_value: float | Mapping[str, float] | None = None,
        clip_spikes: float | Mapping[str, float] | None = None,
        ema: float | Mapping[str, float] | None = None,
        precision: Precision = "fp32",
        stop: Condition | Sequence[Condition] = (),
        on_nonfinite: Literal["raise", "skip"] = "raise",
        before_update: Callable[[Loop], object] | Mapping[str, Callable[[Loop], object]] | None = None,
        parallel: Literal["ddp", "fsdp"] | None = None,
        fsdp_units: Sequence[str] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: int | Every | None = None,
        checkpoint_async: bool = False,
        keep: int = 2,
        keep_best: tuple[str, str] | None = None,
        save: Literal["all", "trainable"] = "all",
        watch: bool = True,
        device: torch.device | str | None = None,
        fused: bool = False,
        checkpoint_activations_of: Sequence[str] = (),
        progress: bool | None = None,
        log: Log = "runs",
        overhead: float = 0.02,
        alerts: Alerts = (),
        prometheus: int | None = None,
        overfit: int | None = None,
        dry_run: int | None = None,
    ) -> None:
        check_model_and_optimizer(model, optimizer)
        self.models = setup.name_models(model)
        grouped = setup.name_optimizers(optimizer)
        names = list(grouped)
        self.optimizers = setup.flat_names(grouped)
        setup.check_apart(self.models, self.optimizers)
        check_precision(precision)
        setup.check_choices(on_nonfinite, checkpoint, checkpoint_every, keep_best, save)
        check_trying(overfit, dry_run, checkpoint)
        self._overfit, self._dry_run = overfit, dry_run
        if dry_run is not None:
            checkpoint, log, prometheus, alerts = None, None, None, ()
        self.precision = precision
        group.check(parallel, fsdp_units, len(names))
        self.device = setup.device_of(self.models, group.own_device(parallel, device))
        self.history = History()
        self._shown: set[str] = set()  # names of values that `see` was given
        self.state = State()
        self._on_nonfinite = on_nonfinite
        self._stop = setup.any_of(stop)
        if dry_run is not None:
            enough = after(updates=dry_run)
            self._stop = enough if self._stop is None else self._stop | enough
        checkpoint_activations(self.models.values(), checkpoint_activations_of)
        group.refuse_sharded_already(self.models, parallel)
        self._ranks = group.join(parallel, self.device, fsdp_units)
        self._ranks.take(self.models, self.optimizers)
        self._accumulate = setup.name_accumulate(accumulate, names)
        self._updaters = make_updaters(
            grouped,
            self._accumulate,
            self._ranks,
            precision,
            self.device,
            scheduler,
            clip_norm,
            clip_value,
            clip_spikes,
        )
        self._averages = Averages(ema, self._updaters, self.models)
        self._before_update = setup.name_hooks("before_update", before_update, names)
        for updater in self._updaters.values():
            if updater.needs_closure:
                check_closure(self, updater)
        self._only_updater = next(iter(self._updaters.values())) if len(self._updaters) == 1 else None
        for one in self.optimizers.values() if fused else ():
            setup.use_fused(one)
        self._weights_matter = self._ranks.size > 1 or any(num > 1 for num in self._accumulate.values())
        if checkpoint is not None:
            group.refuse_own_sharding(self.models, self._ranks)
        self._folder = None if checkpoint is None else self._ranks.folder(Path(checkpoint), keep)
        self._writer = BackgroundWriter(self._folder) if checkpoint_async and self._folder is not None else None
        self._frozen = FrozenWeights(self.models) if save == "trainable" else None
        self._best = BestKeeper(keep_best, self._ranks)
        self._save_timer = Timer(check_every("checkpoint_every", checkpoint_every), self._ranks)
        self._log = LoopLog(self, log, self._ranks, alerts, prometheus)
        quiet = self._ranks.rank > 0
        self._progress = Progress(False if quiet else progress)
        self._watching = Watching(self, self._log, quiet=quiet, overhead=overhead) if watch else None

    # --- training

    def batches(
        self, loader: Any, epochs: int | None = 1, *, after_update: Callable[[], object] | None = None,
        at_epoch_end: Callable[[], object] | None = None,
    ) -> Iterator[Any]:  # fmt: skip
        """The batches of `epochs` passes over `loader`, on the loop's device, until a stop condition is met.

        `after_update` is called after every update. The short window at the end of an epoch is applied with its own
        weight; then `at_epoch_end` is called. `epochs=None` goes on until something stops it. After `resume()` the
        first batch is the one after the last that was trained on; calls that had come to their end by then give none,
        unless the last of them is now given more epochs.
        """
        self._num_calls += 1
        if self.stopped is not None and self._resumed is None:
            return
        if self._resumed is not None and is_done(self._resumed, self._num_calls, epochs):
            self._progress.say(f"call {self._num_calls} of batches was done before the checkpoint; nothing to do in it")
            return
        feed = Feed(loader if self._overfit is None else first_batches(loader, self._overfit), epochs)
        if self._resumed is not None:
            restore_data(feed, self._resumed)
            self._resumed = None
            if self.stopped is not None:
                return
        else:
            self.flush()  # what an earlier loop left open
            if self._num_calls == 1 and self._folder is not None and self._ranks.rank == 0:
                say_starting_over(self._folder)
        self._feed, self._after_update = feed, after_update
        self._note_attributes()
        self._save_timer.start(self.seconds)
        planned = say_schedules_that_do_not_fit(
            self._updaters.values(),
            self._accumulate,
            feed.length,
            epochs,
            tell=self._ranks.rank == 0 and self._num_calls == 1,
        )
        with Termination() as ending, self._progress.over(self.num_updates, planned):
            for epoch in feed.epochs():
                self.epoch = self._num_epochs_done = epoch
                self._each_schedule(Schedulers.epoch_begins)
                yield from self._epoch_batches(feed, ending)
                if not feed.num_drawn and not self.num_updates:
                    refuse_empty(epoch)
                if self.stopped is None:
                    self.flush()
                    self._log.settle()
                    self._num_epochs_done = epoch + 1
                    self.num_epochs += 1
                    self._each_schedule(Schedulers.epoch_ends)
                    self._ask_stop({})  # what counts epochs
                    if at_epoch_end is not None:
                        at_epoch_end()
                    self._is_save_due |= self._save_timer.is_due_after_epoch(self.num_epochs)
                    self._save_if_asked(ending)
                if self.stopped is not None:
                    break
        self._wait_for_checkpoint()
        self._ranks.share_buffers(self.models.values())
        self._feed, self._ended, self._after_update = None, feed.state(), None
        refuse_no_update(self)
        if self._ranks.rank == 0 and self.num_epochs > 1 and self.stopped is None:
            say_never_seen(self, self._shown)

    def _epoch_batches(self, feed: Feed, ending: Termination) -> Iterator[Any]:
        started, device = perf_counter(), self.device
        for batch in self._ranks.batches(feed):
            self._is_batch_untrained, self.updated = True, False
            yield to_device(batch, device)
            if self._feed is not feed:
                refuse_nested_batches()
            self._is_batch_untrained = False
            now = perf_counter()
            self.seconds += now - started
            started = now
            self._save_if_asked(ending)
            if self.stopped is not None:
                return

    def _each_schedule(self, happens: Callable[[Schedulers], None]) -> None:
        for updater in self._updaters.values():
            if updater.scheduler is not None:
                happens(updater.scheduler)

    def _save_if_asked(self, ending: Termination) -> None:
        is_ending = self._ranks.is_ending(ending)
        if self._is_save_due or (is_ending and self._folder is not None):
            self.save()
        if is_ending:
            self._wait_for_checkpoint()
            ending.go_on()

    def step(self, name: str | None = None, *, weight: float | None = None) -> MicroBatch:
        """One micro-batch, for the optimizer `name`. `weight`: how many items its loss is a mean over.

        Without a weight it is read off the loss, where it matters.
        """
        updater = self._only_updater if name is None else self._updaters.get(name)
        if updater is None:
            setup.refuse_name(name, list(self._updaters))
        self.updated = False
        if self._resumed is not None and self._resumed["data"] is not None:
            refuse_own_batches()
        self._averages.refuse_in_place("step()")
        return MicroBatch(self, updater, weight)

    def flush(self) -> None:
        """Apply the windows that are open, with what they have. `batches` does so at the end of an epoch."""
        for updater in self._updaters.values():
            if updater.window.is_open:
                self._apply(updater)

    def _micro_batch_ends(self, micro_batch: MicroBatch, updater: Updater, *, failed: bool) -> None:
        if failed:
            updater.discard()  # gradients of a broken backward are in it
            return
        if micro_batch.compute_loss is not None:
            self._is_batch_untrained = False
            self._apply(updater, micro_batch.evaluate)
            return
        if micro_batch.is_left_out:
            updater.outside.refuse_plain_backward()
            return
        self._is_batch_untrained = False
        updater.window.num_micro_batches += 1
        if updater.window.num_micro_batches >= self._accumulate[updater.name]:
            self._apply(updater)

    def _apply(self, updater: Updater, evaluate: Callable[[], None] | None = None) -> None:
        """Apply a window; one that `evaluate` fills if the optimizer is to evaluate the loss itself."""
        hook = self._before_update[updater.name]
        before = None if hook is None else partial(hook, self)
        if self._weights_matter and evaluate is None:
            updater.outside.refuse_changed()
        outcome = updater.update(before) if evaluate is None else updater.update_by(evaluate, before)
        if outcome.applied:
            self._applied(updater, outcome)
            return
        self.num_skipped += 1
        if outcome.is_empty:
            self.num_empty += 1
            if self.num_empty == 1 and self._ranks.rank == 0:
                say_empty(self.num_updates + 1)
        if outcome.is_bad and self._on_nonfinite == "raise":
            raise NonFiniteError(
                f"update {self.num_updates + 1} was refused: {outcome.what_is_bad()}. The weights are those of update "
                f'{self.num_updates}. on_nonfinite="skip" leaves such windows out and counts them.'
            )
        if outcome.is_bad and self._ranks.rank == 0 and not self._told_skip:
            self._told_skip = True
            say_skipped(self.num_updates + 1, outcome.what_is_bad())

    def _applied(self, updater: Updater, outcome: Outcome) -> None:
        self.num_updates += 1
        self.updated = True
        self._averages.update(updater.name)
        if self.num_updates == 1 and self._ranks.rank == 0:
            say_untrained(self.models, self.optimizers)
        lead = f"{updater.name}/" if updater.name else ""
        values = {f"{lead}loss": outcome.loss, f"{lead}lr": outcome.rates[0], f"{lead}grad_norm": outcome.norm}
        values |= {f"{lead}lr/{index}": lr for index, lr in enumerate(outcome.rates) if index}
        self.history.add({"update": self.num_updates, "epoch": self.epoch, **values})
        self._log.update(self.num_updates, values)
        if self._save_timer.is_due_after_update(self.num_updates, self.seconds):
            self._is_save_due = True
            if self._feed is None:
                self.save()
        self._note_attributes()
        self._keep_if_best({f"{lead}loss": outcome.loss})
        if self._stop is not None:
            self._ask_stop({f"{lead}loss": outcome.loss})
        if self._progress.is_on:
            self._progress.update(self, outcome.loss, outcome.rates[0])
        if self._after_update is not None:
            self._after_update()

    def see(self, values: Mapping[str, float]) -> None:
        """Show new values to stop conditions, to `keep_best`, and to schedulers; `fit` does after a validation."""
        self._shown.update(values)
        self._each_schedule(lambda schedulers: schedulers.see(values))
        self._keep_if_best(values)
        self._ask_stop(values)

    def _keep_if_best(self, values: Mapping[str, float]) -> None:
        if self._best.see(values, self.num_updates):
            self._is_save_due = True
            if self._feed is None:
                self.save()

    def _ask_stop(self, values: Mapping[str, float]) -> None:
        if self._stop is not None and self.stopped is None:
            reason = self._stop.see(Seen(self.num_updates, self._num_epochs_done, self.seconds, values))
            self.stopped = self._ranks.reason(reason)
            if self.stopped is not None:
                self._progress.say(f"stopped: {self.stopped}")
                self._log.stopped(self.stopped)

    def _note_attributes(self) -> None:
        """As training begins: what changes from here on and is not saved is told at a save."""
        if self._unsaved is None and self._folder is not None:
            self._unsaved = UnsavedAttributes(self.models)

    @property
    def num_spikes(self) -> int:
        """Updates whose gradient `clip_spikes` has limited."""
        return sum(updater.spikes.num_clipped for updater in self._updaters.values() if updater.spikes is not None)

    # --- whole runs

    def fit(
        self,
        loader: Any,
        loss_fn: Callable[..., torch.Tensor],
        epochs: int,
        *,
        validate: Any = None,
        validate_every: int | Every | None = None,
        metrics: Mapping[str, Any] | None = None,
        weight: Callable[[Any], float] | None = None,
    ) -> History:
        """Train for `epochs` passes, validating after each, or `validate_every` so many updates, epochs or seconds.

        A batch that is a pair is taken as inputs and targets: `loss_fn(model(inputs), targets)`. For any other batch
        `loss_fn(model, batch)` is called. `metrics` are functions of outputs and targets (of any other batch: outputs
        and the batch), or objects with `update`, `compute` and `reset`. `weight(batch)` tells how many items the loss
        is a mean over, if the loss does not.
        """
        return Fit(self, loss_fn, metrics or {}, weight).run(loader, epochs, validate, validate_every)

    def evaluate(
        self,
        loader: Iterable[Any],
        loss_fn: Callable[..., torch.Tensor],
        *,
        metrics: Mapping[str, Any] | None = None,
        weight: Callable[[Any], float] | None = None,
        ema: bool = True,
    ) -> Evaluation:
        """The loss, exactly weighted over all items, and metrics, in eval mode and without a graph.

        With `sf.Loop(ema=…)` they are those of the averaged weights; `ema=False` evaluates the weights as they are.
        """
        return evaluate(self, loader, loss_fn, metrics or {}, weight, ema)

    def averaged(self) -> AbstractContextManager[None]:
        """Inside, the models have the averaged weights of `ema=`; afterwards exactly their own again."""
        return self._averages.in_place()

    # --- saving

    def save(self, path: str | PathLike[str] | None = None) -> Path | None:
        """Save everything that training goes on from: into the checkpoint folder, or to `path`.

        With `checkpoint_async=True` it may still be written when this returns; the end of `batches` waits for it.
        None if the disk would not take it: the older checkpoints stand, and training goes on.
        """
        if self._dry_run is not None:
            return None
        if path is not None:
            setup.check_local("path", path)
            group.refuse_own_sharding(self.models, self._ranks)
            own = self._ranks.file(Path(path))
            write(own, state_of(self))
            return own
        if self._folder is None:
            raise ValueError("save() needs a path, or a folder: sf.Loop(..., checkpoint=folder).")
        self._is_save_due = False
        is_best, self._best.is_due = self._best.is_due, False
        inside = sum(updater.window.num_micro_batches for updater in self._updaters.values())
        save = self._folder.save if self._writer is None else self._writer.save
        saved = save(state_of(self), self.num_updates, is_healthy(self), inside, best=is_best)
        if self._ranks.size > 1 and self._writer is None and self._ranks.all(saved is not None):
            self._folder.mark_complete()
        return saved

    def _wait_for_checkpoint(self) -> None:
        """Until one that is written in the background is there."""
        if self._writer is not None:
            self._writer.wait()

    def resume(self, path: str | PathLike[str] | None = None) -> bool:
        """Go on from the newest healthy checkpoint in the checkpoint folder, or from `path`; False if there is none.

        To be called before `batches`.
        """
        if self._dry_run is not None:
            return False
        if path is not None:
            setup.check_local("path", path)
            group.refuse_own_sharding(self.models, self._ranks)
            own = self._ranks.file(Path(path))
            self._ranks.refuse_missing(own)
            load_state(self, read(own), own)
            return True
        if self._folder is None:
            raise ValueError("resume() needs a path, or a folder: sf.Loop(..., checkpoint=folder).")
        self._wait_for_checkpoint()
        found = self._folder.newest()
        self._ranks.same_everywhere("the newest checkpoint", -1 if found is None else found[1]["counts"]["updates"])
        if found is not None:
            load_state(self, found[1], found[0])
        return found is not None

    @property
    def best(self) -> Best | None:
        """The best value so far of what `keep_best` names, and after which update it was measured."""
        return self._best.best

    def load_best(self) -> Best:
        """Put the weights of the best checkpoint into the models; everything else stays as it is."""
        if self._dry_run is not None:
            return self.best or Best(self._best.name, float("nan"), self.num_updates)
        self._wait_for_checkpoint()
        found = None if self._folder is None or not self._best.name else self._folder.newest(best=True)
        self._ranks.same_everywhere("the best checkpoint", -1 if found is None else found[1]["counts"]["updates"])
        if found is None:
            raise ValueError(
                'there is no best checkpoint: sf.Loop(..., checkpoint=folder, keep_best=("val/loss", "min")).'
            )
        load_weights(self, found[1], found[0])
        return Best(**found[1]["best"])

    # --- watching

    @property
    def findings(self) -> list[Finding]:
        """What the sanitizer has found so far."""
        return [] if self._watching is None else self._watching.findings

    def close(self) -> None:
        """Stop watching, end the log, leave a process group that the loop started. The program's end does so too."""
        self._close("finished")

    def _close(self, reason: str) -> None:
        self._wait_for_checkpoint()
        self._ranks.close()
        if self._watching is not None:
            self._watching.stop()
        tell_outlook(self, reason)
        self._log.close(reason)

    def __enter__(self) -> Loop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close("finished" if error is None else "raised")
