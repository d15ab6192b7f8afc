"""The Trainer of transformers, with models that treat `num_items_in_batch` in the three ways that models do."""

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import Trainer, TrainingArguments

from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "transformers"
NAME = "HF Trainer"
NOT_OFFERED = {
    "resume_in_window": "writes checkpoints only at the end of a window",
    "shared_scaler": "takes one optimizer",
    "leak": "takes one optimizer",
    "stop": "`EarlyStoppingCallback` counts evaluations without improvement; there is no threshold",
}
QUIET: dict[str, Any] = {
    "per_device_train_batch_size": 1, "report_to": [], "save_strategy": "no", "max_grad_norm": 0.0, "use_cpu": True,
    "disable_tqdm": True, "logging_strategy": "no", "remove_unused_columns": False,
    "train_sampling_strategy": "sequential",
}  # fmt: skip

transformers.utils.logging.set_verbosity_warning()


class Plain(nn.Module):
    """A plain module that returns its own mean loss."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.dot = probe.Dot(size)

    def forward(self, x: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        return {"loss": self.dot(x).mean()}


class Counting(Plain):
    """Divides by the number of items in the window, which the Trainer passes."""

    def forward(  # type: ignore[override]
        self, x: Tensor, labels: Tensor | None = None, num_items_in_batch: Any = None, **_: object
    ) -> dict[str, Tensor]:
        losses = self.dot(x)
        return {"loss": losses.mean() if num_items_in_batch is None else losses.sum() / num_items_in_batch}


class Ignoring(Plain):
    """Takes any keyword, and returns its own mean loss."""

    def forward(self, x: Tensor, labels: Tensor | None = None, **_: object) -> dict[str, Tensor]:  # type: ignore[override]
        return super().forward(x)


MODELS = {
    "a model that uses `num_items_in_batch`": Counting,
    "a plain module": Plain,
    "a mean loss under `**kwargs`": Ignoring,
}


def _trainer(
    model: nn.Module, batches: list[Tensor], optimizer: Any = None, schedule: Any = None, **settings: Any
) -> Trainer:
    items = [{"x": batch, "labels": torch.zeros(len(batch), dtype=torch.long)} for batch in batches]
    if optimizer is not None and schedule is None:
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    return Trainer(
        model=model, args=TrainingArguments(mkdtemp(), **{**QUIET, **settings}), train_dataset=items,
        data_collator=lambda items: items[0], optimizers=(optimizer, schedule),
    )  # fmt: skip


def _updates(model: Plain, batches: list[Tensor], accumulate: int, epochs: int = 1) -> list[list[float]]:
    sgd = probe.RecordedSGD(model.parameters())
    settings = {"gradient_accumulation_steps": accumulate, "num_train_epochs": epochs}
    _trainer(model, batches, sgd, **settings).train()
    return sgd.updates


def ragged() -> dict[str, Any]:
    batches = probe.one_hot_batches(probe.RAGGED)
    return {variant: _updates(model(4), batches, 4) for variant, model in MODELS.items()}


def tail() -> dict[str, Any]:
    batches = probe.one_hot_batches(probe.TAIL)
    return {variant: _updates(model(10), batches, 4, epochs=2) for variant, model in MODELS.items()}


def ranks() -> dict[str, Any]:
    return {variant: value_of(call_on_ranks(__name__, "on_rank", variant)[0]) for variant in MODELS}


def on_rank(variant: str) -> list[list[float]]:
    """The Trainer itself deals the four micro-batches out to the two ranks."""
    return _updates(MODELS[variant](4), probe.one_hot_batches(probe.RAGGED), 2)


# Resuming --------------------------------------------------------------------------------------------------------


class Killed(nn.Module):
    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.inner = task, task.model()

    def forward(self, x: Tensor, y: Tensor, index: Tensor) -> dict[str, Tensor]:
        self.task.see(index)
        return {"loss": self.inner(x, y)}


def train(task: Task, variant: str) -> nn.Module:
    model = Killed(task)
    saved = task.folder / "saved"
    settings = {
        **QUIET, "per_device_train_batch_size": task.plan.batch_size, "num_train_epochs": task.plan.epochs,
        "gradient_accumulation_steps": task.plan.accumulate, "save_strategy": "steps", "seed": 0, "max_grad_norm": 1.0,
        "save_steps": task.plan.save_every // task.plan.accumulate, "train_sampling_strategy": "random",
    }  # fmt: skip
    optimizer = task.optimizer(model)
    trainer = Trainer(
        model=model, args=TrainingArguments(str(saved), **settings), train_dataset=task.samples(),
        optimizers=(optimizer, task.schedule(optimizer)),
    )  # fmt: skip
    trainer.train(resume_from_checkpoint=any(Path(saved).glob("checkpoint-*")) or None)
    return model


def resume() -> dict[str, Any]:
    return {"": kill_and_resume(__name__, "whole")}


# Non-finite values, the scaler, schedules ------------------------------------------------------------------------


class Squared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = probe.linear()

    def forward(self, x: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        return {"loss": self.linear(x).pow(2).mean()}


def nan() -> dict[str, Any]:
    """With its log on: by default it prints the loss as 0.0 where it was not finite."""
    model = Squared()
    settings = {"logging_strategy": "steps", "logging_steps": 1, "learning_rate": 1e-2, "max_grad_norm": 1.0}
    trainer = _trainer(model, probe.batches_with_nan(), num_train_epochs=1, **settings)
    heard = probe.hear(trainer.train)
    heard["losses"] = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    return {"": {"finite": probe.is_finite(model.parameters()), **heard}}


def _put_scaler(trainer: Trainer) -> None:
    """It takes a scaler on accelerators only: torch's scaler for the CPU, in the same place."""
    trainer.accelerator.scaler = probe.scaler()
    trainer.accelerator.native_amp = True
    trainer.accelerator.state._mixed_precision = "fp16"


def clip_scaled() -> dict[str, Any]:
    model = Plain(1)
    trainer = _trainer(
        model, [torch.full((1, 1), 0.5)], probe.RecordedSGD(model.parameters()), num_train_epochs=1, max_grad_norm=1.0
    )
    _put_scaler(trainer)
    trainer.train()
    return {"": -model.dot.weight.item()}


def schedule_skipped() -> dict[str, Any]:
    model = Plain(1)
    sgd = probe.RecordedSGD(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    trainer = _trainer(model, probe.overflowing_first(), sgd, schedule, num_train_epochs=1)
    _put_scaler(trainer)
    trainer.train()
    return {"": {"advances": schedule.last_epoch, "expected": len(sgd.updates)}}


def schedule_accumulated() -> dict[str, Any]:
    model = Plain(4)
    sgd = probe.RecordedSGD(model.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(sgd, 1, 0.5)
    batches = [torch.ones(2, 4)] * 24
    _trainer(model, batches, sgd, schedule, num_train_epochs=1, gradient_accumulation_steps=4).train()
    return {"": {"advances": schedule.last_epoch, "expected": len(sgd.updates)}}


class Forgetful(nn.Module):
    def __init__(self, net: probe.Forgetful) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        return {"loss": self.net(x).pow(2).mean()}


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        optimizer = torch.optim.SGD(net.kept.parameters(), 1e-2)
        _trainer(Forgetful(net), probe.forgotten_batches(), optimizer, num_train_epochs=1).train()

    return probe.forget(run)
