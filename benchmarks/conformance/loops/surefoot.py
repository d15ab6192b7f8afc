"""surefoot's own loop, with the sanitizer on."""

from typing import Any

import torch
from torch import Tensor, nn

import surefoot as sf
from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = None
NAME = "surefoot"
VERSION = sf.__version__
NOT_OFFERED: dict[str, str] = {}


def _train_mean(loop: sf.Loop, model: nn.Module, batches: list[Tensor], epochs: int = 1) -> None:
    """The loop as its first page writes it."""
    for batch in loop.batches(batches, epochs=epochs):
        with loop.step(weight=len(batch)) as step:
            step.backward(model(batch).mean())


def _updates(batches: list[Tensor], accumulate: int, epochs: int = 1, **settings: Any) -> list[list[float]]:
    model = probe.Dot(batches[0].shape[1])
    sgd = probe.RecordedSGD(model.parameters())
    _train_mean(sf.Loop(model, sgd, accumulate=accumulate, **settings), model, batches, epochs)
    return sgd.updates


def ragged() -> dict[str, Any]:
    return {"": _updates(probe.one_hot_batches(probe.RAGGED), 4)}


def tail() -> dict[str, Any]:
    return {"": _updates(probe.one_hot_batches(probe.TAIL), 4, epochs=2)}


def ranks() -> dict[str, Any]:
    return {
        f'`parallel="{parallel}"`': value_of(call_on_ranks(__name__, "on_rank", parallel)[0])
        for parallel in ("ddp", "fsdp")
    }


def on_rank(parallel: str) -> list[list[float]]:
    model = probe.Dot(4)
    sgd = torch.optim.SGD(model.parameters(), 1.0)
    loop = sf.Loop(model, sgd, accumulate=2, parallel=parallel)  # type: ignore[arg-type]
    _train_mean(loop, model, probe.rank_batches())
    weight = model.weight
    whole = weight.full_tensor() if hasattr(weight, "full_tensor") else weight
    return [(-whole.detach()).tolist()]


# Resuming --------------------------------------------------------------------------------------------------------


def train(task: Task, variant: str) -> nn.Module:
    model = task.model()
    optimizer = task.optimizer(model)
    updates = task.plan.save_every // task.plan.accumulate if task.kind == "whole" else None
    loop = sf.Loop(
        model, optimizer, scheduler=task.schedule(optimizer), accumulate=task.plan.accumulate, clip_norm=1.0,
        checkpoint=task.folder / "saved", checkpoint_every=updates,
    )  # fmt: skip
    loop.resume()
    for batch in loop.batches(task.loader(), epochs=task.plan.epochs):
        task.see(batch["index"])
        with loop.step(weight=len(batch["x"])) as step:
            step.backward(model(batch["x"], batch["y"]))
        if task.kind == "window" and task.is_save_due:
            loop.save()
    return model


def resume() -> dict[str, Any]:
    return {"": kill_and_resume(__name__, "whole")}


def resume_in_window() -> dict[str, Any]:
    return {"": kill_and_resume(__name__, "window")}


# Non-finite values and the scaler --------------------------------------------------------------------------------


def nan() -> dict[str, Any]:
    def run(on_nonfinite: Any) -> dict[str, Any]:
        model = probe.linear()
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        loop = sf.Loop(model, optimizer, clip_norm=1.0, on_nonfinite=on_nonfinite)

        def train_squares() -> None:
            for batch in loop.batches(probe.batches_with_nan()):
                with loop.step() as step:
                    step.backward(model(batch).pow(2).mean())
            loop.close()

        heard = probe.hear(train_squares)
        return {"finite": probe.is_finite(model.parameters()), **heard}

    return {"by default": run("raise"), '`on_nonfinite="skip"`': run("skip")}


def shared_scaler() -> dict[str, Any]:
    first, second = probe.Dot(1), probe.Dot(1)
    optimizers = {name: probe.RecordedSGD(m.parameters()) for name, m in (("one", first), ("two", second))}
    loop = sf.Loop([first, second], optimizers, precision="fp16")
    for batch in loop.batches([torch.ones(1, 1)]):
        with loop.step("one") as step:
            step.backward(first(batch * probe.OVERFLOW).mean())
        with loop.step("two") as step:
            step.backward(second(batch).mean())
    return {"": -second.weight.item()}


def clip_scaled() -> dict[str, Any]:
    return {"": _updates([torch.full((1, 1), 0.5)], 1, clip_norm=1.0, precision="fp16")[0][0]}


# Schedules -------------------------------------------------------------------------------------------------------


def _count_advances(batches: list[Tensor], **settings: Any) -> dict[str, int]:
    model = probe.Dot(batches[0].shape[1])
    sgd = probe.RecordedSGD(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    _train_mean(sf.Loop(model, sgd, scheduler=schedule, **settings), model, batches)
    return {"advances": schedule.last_epoch, "expected": len(sgd.updates)}


def schedule_skipped() -> dict[str, Any]:
    return {"": _count_advances(probe.overflowing_first(), precision="fp16")}


def schedule_accumulated() -> dict[str, Any]:
    return {"": _count_advances([torch.ones(2, 4)] * 24, accumulate=4)}


# Two optimizers, stopping, forgotten layers ----------------------------------------------------------------------


def leak() -> dict[str, Any]:
    """G's loss runs through D, as in every GAN."""
    g, d = probe.Dot(1), probe.Dot(1)
    of_d = probe.RecordedSGD(d.parameters())
    loop = sf.Loop({"g": g, "d": d}, {"g": probe.RecordedSGD(g.parameters()), "d": of_d}, accumulate=2)
    for batch in loop.batches([torch.ones(1, 1)] * 2):
        with loop.step("g", weight=1) as step:
            step.backward((g(batch) + 10 * d(batch)).mean())
        with loop.step("d", weight=1) as step:
            step.backward(d(batch).mean())
    return {"": of_d.updates[0][0]}


def stop() -> dict[str, Any]:
    model = probe.Dot(1, value=1.0)
    sgd = probe.RecordedSGD(model.parameters(), lr=0.02)
    loop = sf.Loop(model, sgd, stop=sf.stop.below("loss", probe.THRESHOLD))
    _train_mean(loop, model, [torch.ones(1, 1)] * probe.BATCHES_PER_EPOCH, epochs=3)
    return {"": len(sgd.updates)}


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        with sf.Loop(net, torch.optim.SGD(net.kept.parameters(), 1e-2)) as loop:
            for batch in loop.batches(probe.forgotten_batches()):
                with loop.step() as step:
                    step.backward(net(batch).pow(2).mean())

    return probe.forget(run)
