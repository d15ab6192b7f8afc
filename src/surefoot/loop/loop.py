"""`sf.Loop`: training that is right by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import TracebackType
from typing import Any, Literal

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.judge import Finding
from surefoot.loop import applying, keeping, setup
from surefoot.loop.activation import checkpoint_activations
from surefoot.loop.best import Best, BestKeeper
from surefoot.loop.checkpoint.address import Place, place_of
from surefoot.loop.checkpoint.background import BackgroundWriter
from surefoot.loop.closure import check_closures
from surefoot.loop.ema import Averages
from surefoot.loop.evaluate import Evaluation, evaluate
from surefoot.loop.every import Every, Timer, check_every
from surefoot.loop.feed import Feed
from surefoot.loop.fit import Fit
from surefoot.loop.fixed import FixedSetting
from surefoot.loop.frozen import FrozenWeights
from surefoot.loop.given import check_model_and_optimizer, refuse_own_batches
from surefoot.loop.history import History
from surefoot.loop.log import Alerts, Log, LoopLog
from surefoot.loop.loss_summary import report_loss_summary
from surefoot.loop.micro_batch import MicroBatch
from surefoot.loop.parallel import group
from surefoot.loop.parallel.alike import described
from surefoot.loop.parallel.join import join
from surefoot.loop.passes import passes
from surefoot.loop.precision import Precision, check_precision
from surefoot.loop.progress import Progress
from surefoot.loop.schedulers import Schedulers
from surefoot.loop.state import State
from surefoot.loop.stop import Condition, Seen
from surefoot.loop.trying import check_trying, until_tried
from surefoot.loop.unsaved import UnsavedAttributes
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
    accumulate, clip_norm, clip_value, clip_spikes, ema = (FixedSetting() for _ in range(5))
    scheduler, stop, keep, checkpoint_every, before_update, parallel = (FixedSetting() for _ in range(6))

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
        fsdp_options: Mapping[str, Any] | None = None,
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
        group.check(parallel, fsdp_units, len(names), fsdp_options)
        self.device = setup.device_of(self.models, group.own_device(parallel, device))
        self.history = History()
        self._shown: set[str] = set()  # names of values that `see` was given
        self.state = State()
        self._on_nonfinite = on_nonfinite
        self._stop = until_tried(setup.any_of(stop), dry_run)
        checkpoint_activations(self.models.values(), checkpoint_activations_of)
        group.check_models(self.models, parallel, is_edited=before_update is not None)
        self._ranks = join(parallel, self.device, fsdp_units, fsdp_options)
        self._accumulate = setup.name_accumulate(accumulate, names)
        alike = {"accumulate": accumulate, "precision": precision, "clip_norm": clip_norm, "clip_value": clip_value}
        self._ranks.refuse_different(described(self.models, self.optimizers, alike))
        self._ranks.take(self.models, self.optimizers)
        limits = clip_norm, clip_value, clip_spikes
        self._updaters = make_updaters(
            grouped, self._accumulate, self._ranks, precision, self.device, scheduler, *limits
        )
        self._averages = Averages(ema, self._updaters, self.models)
        self._before_update = setup.name_hooks("before_update", before_update, names)
        check_closures(self)
        self._only_updater = next(iter(self._updaters.values())) if len(self._updaters) == 1 else None
        for one in self.optimizers.values() if fused else ():
            setup.use_fused(one)
        self._weights_matter = self._ranks.size > 1 or any(num > 1 for num in self._accumulate.values())
        self._set_up_saving(checkpoint, checkpoint_every, checkpoint_async, keep, keep_best, save)
        self._log = LoopLog(self, log, self._ranks, alerts, prometheus)
        quiet = self._ranks.rank > 0
        self._progress = Progress(False if quiet else progress)
        self._watching = Watching(self, self._log, quiet=quiet, overhead=overhead) if watch else None

    def _set_up_saving(
        self, checkpoint: str | PathLike[str] | None, checkpoint_every: int | Every | None, in_background: bool,
        keep: int, keep_best: tuple[str, str] | None, save: Literal["all", "trainable"],
    ) -> None:  # fmt: skip
        if checkpoint is not None:
            group.refuse_own_sharding(self.models, self._ranks)
        self._folder = None if checkpoint is None else self._ranks.folder(place_of(checkpoint), keep)
        self._writer = BackgroundWriter(self._folder) if in_background and self._folder is not None else None
        self._frozen = FrozenWeights(self.models) if save == "trainable" else None
        self._best = BestKeeper(keep_best, self._ranks)
        self._save_timer = Timer(check_every("checkpoint_every", checkpoint_every), self._ranks)

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
        return passes(self, loader, epochs, after_update, at_epoch_end)

    def _each_schedule(self, happens: Callable[[Schedulers], None]) -> None:
        for updater in self._updaters.values():
            if updater.scheduler is not None:
                happens(updater.scheduler)

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
                applying.apply(self, updater)

    def see(self, values: Mapping[str, float]) -> None:
        """Show new values to stop conditions, to `keep_best`, and to schedulers; `fit` does after a validation."""
        if self._stop is not None or self._best.name or any(one.scheduler for one in self._updaters.values()):
            self._ranks.together("see()")
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
        """When training begins: what changes from here on without being saved is reported at a save."""
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

    def save(self, path: str | PathLike[str] | None = None) -> Place | None:
        """Save everything that training goes on from: into the checkpoint folder, or to `path`.

        With `checkpoint_async=True` it may still be written when this returns; the end of `batches` waits for it.
        None if the disk would not take it: the older checkpoints stand, and training goes on.
        """
        return keeping.save(self, path)

    def _wait_for_checkpoint(self) -> None:
        """Until one that is written in the background is there."""
        if self._writer is not None:
            self._writer.wait()

    def resume(self, path: str | PathLike[str] | None = None) -> bool:
        """Go on from the newest healthy checkpoint in the checkpoint folder, or from `path`; False if there is none.

        To be called before `batches`.
        """
        return keeping.resume(self, path)

    @property
    def best(self) -> Best | None:
        """The best value so far of what `keep_best` names, and after which update it was measured."""
        return self._best.best

    def load_best(self) -> Best:
        """Put the weights of the best checkpoint into the models; everything else stays as it is."""
        return keeping.load_best(self)

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
        report_loss_summary(self, reason)
        self._log.close(reason)

    def __enter__(self) -> Loop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close("finished" if error is None else "raised")
