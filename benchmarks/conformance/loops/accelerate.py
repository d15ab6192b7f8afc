"""Accelerate: the user's own loop around `accelerator.accumulate`, as its guides write it.

It takes a scaler on accelerators only, so the rows with one put torch's scaler for the CPU in the same place.
"""

import json
from contextlib import nullcontext
from itertools import islice
from typing import Any

import torch
from accelerate import Accelerator, DataLoaderConfiguration
from torch import Tensor, nn

from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "accelerate"
NAME = "Accelerate"
NOT_OFFERED = {"stop": "brings no stopping conditions; `set_trigger` only passes on what the user's own code decided"}


def _updates(sizes: tuple[int, ...], epochs: int = 1) -> list[list[float]]:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
    model = probe.Dot(len(sizes))
    sgd = probe.RecordedSGD(model.parameters())
    model, optimizer, batches = accelerator.prepare(model, sgd, probe.loader(probe.one_hot_batches(sizes)))
    for _ in range(epochs):
        for batch in batches:
            with accelerator.accumulate(model):
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
    return sgd.updates


def _updates_by_guide(batches: list[Tensor], accumulate: int) -> list[list[float]]:
    """The guide on samples of different sizes: draw a window's batches ahead, count, and scale the summed loss."""
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accumulate)
    inner = probe.Dot(batches[0].shape[1])
    sgd = probe.RecordedSGD(inner.parameters())
    model, optimizer = accelerator.prepare(inner, sgd)
    drawn = iter(batches)
    while window := list(islice(drawn, accumulate)):
        total = accelerator.gather(torch.tensor([sum(len(batch) for batch in window)])).sum().item()
        factor = accelerator.num_processes * accelerator.gradient_accumulation_steps / total
        for number, batch in enumerate(window, 1):
            is_last = number == len(window)
            with nullcontext() if is_last else accelerator.no_sync(model):
                accelerator.backward(model(batch).sum() * factor)
        optimizer.step()
        optimizer.zero_grad()
    return sgd.updates


GUIDE = "its guide for uneven batches, counted by hand"


def ragged() -> dict[str, Any]:
    return {
        "`accumulate`": _updates(probe.RAGGED),
        GUIDE: _updates_by_guide(probe.one_hot_batches(probe.RAGGED), 4),
    }


def tail() -> dict[str, Any]:
    return {"": _updates(probe.TAIL, epochs=2)}


def ranks() -> dict[str, Any]:
    return {
        "`accumulate`": value_of(call_on_ranks(__name__, "on_rank")[0]),
        GUIDE: value_of(call_on_ranks(__name__, "on_rank_by_guide")[0]),
    }


def on_rank() -> list[list[float]]:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    inner = probe.Dot(4)
    sgd = probe.RecordedSGD(inner.parameters())
    model, optimizer = accelerator.prepare(inner, sgd)
    for batch in probe.rank_batches():
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
    return sgd.updates


def on_rank_by_guide() -> list[list[float]]:
    return _updates_by_guide(probe.rank_batches(), 2)


# Resuming --------------------------------------------------------------------------------------------------------


def train(task: Task, variant: str) -> nn.Module:
    config = DataLoaderConfiguration(use_seedable_sampler="seedable" in variant)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=task.plan.accumulate, dataloader_config=config)
    inner = task.model()
    optimizer = task.optimizer(inner)
    model, optimizer, batches, schedule = accelerator.prepare(inner, optimizer, task.loader(), task.schedule(optimizer))
    place = task.folder / "place.json"
    first_epoch, num_done = 0, 0
    if place.exists():
        accelerator.load_state(str(task.folder / "state"))
        first_epoch, num_done = json.loads(place.read_text())
    for epoch in range(first_epoch, task.plan.epochs):
        batches.set_epoch(epoch)
        skipped = num_done if epoch == first_epoch else 0
        rest = accelerator.skip_first_batches(batches, skipped) if skipped else batches
        for number, batch in enumerate(rest, skipped + 1):
            task.see(batch["index"])
            with accelerator.accumulate(model):
                accelerator.backward(model(batch["x"], batch["y"]))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            if task.is_save_due:
                accelerator.save_state(str(task.folder / "state"))
                place.write_text(json.dumps([epoch, number]))
    return inner


def resume() -> dict[str, Any]:
    return {
        variant: kill_and_resume(__name__, "whole", variant)
        for variant in ("by default", "with `use_seedable_sampler`")
    }


def resume_in_window() -> dict[str, Any]:
    return {"": kill_and_resume(__name__, "window")}


# Non-finite values and the scaler --------------------------------------------------------------------------------


def nan() -> dict[str, Any]:
    accelerator = Accelerator(cpu=True)
    inner = probe.linear()
    model, optimizer, batches = accelerator.prepare(
        inner, torch.optim.AdamW(inner.parameters(), 1e-2), probe.loader(probe.batches_with_nan())
    )

    def run() -> None:
        for batch in batches:
            accelerator.backward(model(batch).pow(2).mean())
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

    heard = probe.hear(run)
    return {"": {"finite": probe.is_finite(inner.parameters()), **heard}}


def _with_scaler() -> Accelerator:
    accelerator = Accelerator(cpu=True)
    accelerator.scaler = probe.scaler()
    accelerator.native_amp = True
    accelerator.state._mixed_precision = "fp16"
    return accelerator


def shared_scaler() -> dict[str, Any]:
    accelerator = _with_scaler()
    first, second = probe.Dot(1), probe.Dot(1)
    one, two = (accelerator.prepare(probe.RecordedSGD(model.parameters())) for model in (first, second))
    accelerator.backward(first(torch.full((1, 1), probe.OVERFLOW)).mean())
    accelerator.backward(second(torch.ones(1, 1)).mean())
    one.step()
    two.step()
    return {"": -second.weight.item()}


def clip_scaled() -> dict[str, Any]:
    accelerator = _with_scaler()
    model = probe.Dot(1)
    optimizer = accelerator.prepare(probe.RecordedSGD(model.parameters()))
    accelerator.backward(model(torch.full((1, 1), 0.5)).mean())
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return {"": -model.weight.item()}


# Schedules -------------------------------------------------------------------------------------------------------


def schedule_skipped() -> dict[str, Any]:
    accelerator = _with_scaler()
    model = probe.Dot(1)
    sgd = probe.RecordedSGD(model.parameters())
    inner = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    optimizer, schedule = accelerator.prepare(sgd, inner)
    for batch in probe.overflowing_first():
        accelerator.backward(model(batch).mean())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return {"": {"advances": inner.last_epoch, "expected": len(sgd.updates)}}


def schedule_accumulated() -> dict[str, Any]:
    two = call_on_ranks(__name__, "count_advances")[0]
    return {"one process": count_advances(), "two processes": value_of(two)}


def count_advances() -> dict[str, int]:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4)
    model = probe.Dot(4)
    sgd = probe.RecordedSGD(model.parameters())
    inner = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    model, optimizer, schedule = accelerator.prepare(model, sgd, inner)
    for _ in range(24):
        with accelerator.accumulate(model):
            accelerator.backward(model(torch.ones(2, 4)).mean())
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    return {"advances": inner.last_epoch, "expected": len(sgd.updates)}


# Two optimizers, forgotten layers --------------------------------------------------------------------------------


def leak() -> dict[str, Any]:
    """G's loss runs through D, as in every GAN."""
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    g, d = probe.Dot(1), probe.Dot(1)
    of_d = probe.RecordedSGD(d.parameters())
    g, d, opt_g, opt_d = accelerator.prepare(g, d, probe.RecordedSGD(g.parameters()), of_d)
    batch = torch.ones(1, 1)
    for _ in range(2):
        with accelerator.accumulate(g, d):
            accelerator.backward((g(batch) + 10 * d(batch)).mean())
            accelerator.backward(d(batch).mean())
            for optimizer in (opt_g, opt_d):
                optimizer.step()
                optimizer.zero_grad()
    return {"": of_d.updates[0][0]}


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        accelerator = Accelerator(cpu=True)
        model, optimizer = accelerator.prepare(net, torch.optim.SGD(net.kept.parameters(), 1e-2))
        for batch in probe.forgotten_batches():
            accelerator.backward(model(batch).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()

    return probe.forget(run)
