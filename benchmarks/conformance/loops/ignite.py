"""Ignite: `create_supervised_trainer` and the handlers around it."""

from typing import Any

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, LRScheduler, TerminateOnNan
from torch import Tensor, nn

from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "pytorch-ignite"
NAME = "Ignite"
NOT_OFFERED = {
    "shared_scaler": "the supervised trainer takes one optimizer; with several, the step is the user's own function",
    "clip_scaled": "the supervised trainer clips no gradients; with clipping, the step is the user's own function",
    "schedule_skipped": "handlers of schedules are not told of skipped updates; the user's own event filter decides",
    "leak": "the supervised trainer takes one optimizer; with several, the step is the user's own function",
    "stop": "`EarlyStopping` counts evaluations without improvement; there is no threshold",
}


def _trainer(model: nn.Module, optimizer: torch.optim.Optimizer, accumulate: int = 1) -> Engine:
    return create_supervised_trainer(
        model, optimizer, lambda output, _: output.mean(), gradient_accumulation_steps=accumulate,
        prepare_batch=lambda batch, device, non_blocking: (batch, batch),
    )  # fmt: skip


def _updates(sizes: tuple[int, ...], epochs: int = 1) -> list[list[float]]:
    model = probe.Dot(len(sizes))
    sgd = probe.RecordedSGD(model.parameters())
    _trainer(model, sgd, 4).run(probe.loader(probe.one_hot_batches(sizes)), max_epochs=epochs)
    return sgd.updates


def ragged() -> dict[str, Any]:
    return {"": _updates(probe.RAGGED)}


def tail() -> dict[str, Any]:
    return {"": _updates(probe.TAIL, epochs=2)}


def ranks() -> dict[str, Any]:
    return {"": value_of(call_on_ranks(__name__, "on_rank")[0])}


def on_rank() -> list[list[float]]:
    with idist.Parallel(backend="gloo") as parallel:
        found: list[list[float]] = []
        parallel.run(lambda _: found.extend(_updates_on_rank()))
    return found


def _updates_on_rank() -> list[list[float]]:
    model = idist.auto_model(probe.Dot(4))
    sgd = probe.RecordedSGD(model.parameters())
    _trainer(model, idist.auto_optim(sgd), 2).run(probe.loader(probe.rank_batches()), max_epochs=1)
    return sgd.updates


# Resuming --------------------------------------------------------------------------------------------------------


def train(task: Task, variant: str) -> nn.Module:
    model = task.model()
    optimizer = task.optimizer(model)
    schedule = task.schedule(optimizer)

    def run(net: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        task.see(batch["index"])
        return net(batch["x"], batch["y"])

    trainer = create_supervised_trainer(
        model, optimizer, lambda loss, _: loss, model_fn=run, gradient_accumulation_steps=task.plan.accumulate,
        prepare_batch=lambda batch, device, non_blocking: (batch, batch), deterministic="deterministic" in variant,
    )  # fmt: skip
    trainer.add_event_handler(Events.ITERATION_COMPLETED(every=task.plan.accumulate), lambda: schedule.step())
    everything = {"trainer": trainer, "model": model, "optimizer": optimizer, "schedule": schedule}
    saver = DiskSaver(str(task.folder / "saved"), create_dir=True, require_empty=False)
    save = Checkpoint(everything, saver, n_saved=1, filename_pattern="last.pt")
    trainer.add_event_handler(Events.ITERATION_COMPLETED(every=task.plan.save_every), save)
    saved = task.folder / "saved" / "last.pt"
    if saved.exists():
        Checkpoint.load_objects(everything, checkpoint=torch.load(saved, weights_only=False))
    trainer.run(task.loader(), max_epochs=task.plan.epochs)
    return model


def resume() -> dict[str, Any]:
    return {
        variant: kill_and_resume(__name__, "whole", variant) for variant in ("by default", "with `deterministic=True`")
    }


def resume_in_window() -> dict[str, Any]:
    return {"": kill_and_resume(__name__, "window", "with `deterministic=True`")}


# Non-finite values, schedules, forgotten layers ------------------------------------------------------------------


def nan() -> dict[str, Any]:
    def run(terminates: bool) -> dict[str, Any]:
        model = nn.Sequential(probe.linear(), Square())
        trainer = _trainer(model, torch.optim.AdamW(model.parameters(), 1e-2))
        if terminates:
            trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
        heard = probe.hear(lambda: trainer.run(probe.loader(probe.batches_with_nan()), max_epochs=1))
        return {"finite": probe.is_finite(model.parameters()), **heard}

    return {"by default": run(False), "with `TerminateOnNan`": run(True)}


class Square(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.pow(2)


def schedule_accumulated() -> dict[str, Any]:
    def run(event: Any) -> dict[str, int]:
        model = probe.Dot(4)
        sgd = probe.RecordedSGD(model.parameters())
        schedule = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
        trainer = _trainer(model, sgd, 4)
        trainer.add_event_handler(event, LRScheduler(schedule))
        trainer.run(probe.loader([torch.ones(2, 4)] * 24), max_epochs=1)
        return {"advances": schedule.last_epoch, "expected": len(sgd.updates)}

    return {
        "`LRScheduler` as documented": run(Events.ITERATION_COMPLETED),
        "filtered by hand, `every=4`": run(Events.ITERATION_COMPLETED(every=4)),
    }


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        model = nn.Sequential(net, Square())
        trainer = _trainer(model, torch.optim.SGD(net.kept.parameters(), 1e-2))
        trainer.run(probe.loader(probe.forgotten_batches()), max_epochs=1)

    return probe.forget(run)
