"""torchtnt's AutoUnit and `train`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torchtnt.framework.auto_unit import AutoUnit
from torchtnt.framework.callbacks import DistributedCheckpointSaver, EarlyStopping
from torchtnt.framework.train import train as run_training
from torchtnt.utils.early_stop_checker import EarlyStopChecker

from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "torchtnt"
NAME = "torchtnt"
NOT_OFFERED = {
    "shared_scaler": "AutoUnit takes one optimizer",
    "leak": "AutoUnit takes one optimizer",
}
CPU = torch.device("cpu")


class Unit(AutoUnit[Any]):
    """A module, an optimizer made beforehand, and the mean of what the module returns as loss."""

    def __init__(
        self, module: nn.Module, optimizer: torch.optim.Optimizer, schedule: Any = None,
        loss_of: Callable[[nn.Module, Any], Tensor] = lambda module, batch: module(batch).mean(), **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__(module=module, device=CPU, **settings)
        self.made, self.loss_of, self.loss = (optimizer, schedule), loss_of, float("inf")

    def compute_loss(self, state: object, data: Any) -> tuple[Tensor, Tensor]:
        loss = self.loss_of(self.module, data)
        self.loss = loss.item()
        return loss, loss.detach()

    def configure_optimizers_and_lr_scheduler(self, module: nn.Module) -> Any:
        return self.made


def _run(unit: Unit, batches: list[Tensor], epochs: int = 1, *callbacks: Any) -> None:
    run_training(unit, probe.loader(batches), max_epochs=epochs, callbacks=list(callbacks))


def _updates(sizes: tuple[int, ...], epochs: int = 1) -> list[list[float]]:
    model = probe.Dot(len(sizes))
    sgd = probe.RecordedSGD(model.parameters())
    _run(Unit(model, sgd, gradient_accumulation_steps=4), probe.one_hot_batches(sizes), epochs)
    return sgd.updates


def ragged() -> dict[str, Any]:
    return {"": _updates(probe.RAGGED)}


def tail() -> dict[str, Any]:
    return {"": _updates(probe.TAIL, epochs=2)}


def ranks() -> dict[str, Any]:
    return {"": value_of(call_on_ranks(__name__, "on_rank")[0])}


def on_rank() -> list[list[float]]:
    torch.distributed.init_process_group("gloo")
    model = probe.Dot(4)
    sgd = probe.RecordedSGD(model.parameters())
    _run(Unit(model, sgd, gradient_accumulation_steps=2, strategy="ddp"), probe.rank_batches())
    return sgd.updates


def train(task: Task, variant: str) -> nn.Module:
    def loss_of(module: nn.Module, batch: dict[str, Tensor]) -> Tensor:
        task.see(batch["index"])
        return module(batch["x"], batch["y"])

    model = task.model()
    optimizer = task.optimizer(model)
    unit = Unit(
        model, optimizer, task.schedule(optimizer), loss_of, step_lr_interval="step",
        gradient_accumulation_steps=task.plan.accumulate,
    )  # fmt: skip
    folder = str(task.folder / "saved")
    save = DistributedCheckpointSaver(folder, save_every_n_train_steps=task.plan.save_every)
    data = task.loader()
    DistributedCheckpointSaver.restore_from_latest(folder, unit, train_dataloader=data)
    run_training(unit, data, max_epochs=task.plan.epochs, callbacks=[save])
    return model


def resume() -> dict[str, Any]:
    return {"with `DistributedCheckpointSaver`": kill_and_resume(__name__, "whole")}


def resume_in_window() -> dict[str, Any]:
    return {"with `DistributedCheckpointSaver`": kill_and_resume(__name__, "window")}


def nan() -> dict[str, Any]:
    def run(**settings: Any) -> dict[str, Any]:
        model = probe.linear()
        unit = Unit(
            model, torch.optim.AdamW(model.parameters(), 1e-2), clip_grad_norm=1.0,
            loss_of=lambda module, batch: module(batch).pow(2).mean(), **settings,
        )  # fmt: skip
        heard = probe.hear(lambda: _run(unit, probe.batches_with_nan()))
        return {"finite": probe.is_finite(model.parameters()), **heard}

    return {"by default": run(), "with `detect_anomaly`": run(detect_anomaly=True)}


def clip_scaled() -> dict[str, Any]:
    model = probe.Dot(1)
    unit = Unit(model, probe.RecordedSGD(model.parameters()), clip_grad_norm=1.0)
    unit.grad_scaler = probe.scaler()
    _run(unit, [torch.full((1, 1), 0.5)])
    return {"": -model.weight.item()}


def schedule_skipped() -> dict[str, Any]:
    return {"": _count_advances(1, probe.overflowing_first(), scaler=probe.scaler())}


def schedule_accumulated() -> dict[str, Any]:
    return {"": _count_advances(4, [torch.ones(2, 4)] * 24, gradient_accumulation_steps=4)}


def _count_advances(size: int, batches: list[Tensor], scaler: Any = None, **settings: Any) -> dict[str, int]:
    model = probe.Dot(size)
    sgd = probe.RecordedSGD(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    unit = Unit(model, sgd, schedule, step_lr_interval="step", **settings)
    unit.grad_scaler = scaler
    _run(unit, batches)
    return {"advances": schedule.last_epoch, "expected": len(sgd.updates)}


def stop() -> dict[str, Any]:
    model = probe.Dot(1, value=1.0)
    sgd = probe.RecordedSGD(model.parameters(), lr=0.02)
    checker = EarlyStopChecker("min", patience=1000, stopping_threshold=probe.THRESHOLD)
    batches = [torch.ones(1, 1)] * probe.BATCHES_PER_EPOCH
    _run(Unit(model, sgd), batches, 3, EarlyStopping("loss", checker, interval="step"))
    return {'with `interval="step"`': len(sgd.updates)}


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        optimizer = torch.optim.SGD(net.kept.parameters(), 1e-2)
        unit = Unit(net, optimizer, loss_of=lambda module, batch: module(batch).pow(2).mean())
        _run(unit, probe.forgotten_batches())

    return probe.forget(run)
