"""Lightning's Trainer, in automatic and, where it takes several optimizers, in manual optimization."""

import logging
import warnings
from typing import Any

import lightning as L  # noqa: N812
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from lightning.pytorch.plugins import MixedPrecision
from torch import Tensor, nn
from torchdata.stateful_dataloader import StatefulDataLoader

from benchmarks.conformance import probe
from benchmarks.conformance.call import call_on_ranks, value_of
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "lightning"
NAME = "Lightning"
NOT_OFFERED: dict[str, str] = {}
QUIET: dict[str, Any] = {
    "accelerator": "cpu", "logger": False, "enable_checkpointing": False, "enable_progress_bar": False,
    "enable_model_summary": False,
}  # fmt: skip

logging.getLogger("lightning.pytorch.utilities.rank_zero").setLevel(logging.WARNING)
warnings.filterwarnings("ignore", ".*does not have many workers.*")


class Mean(L.LightningModule):
    """The probe's loss, SGD at rate 1."""

    def __init__(self, size: int, value: float = 0.0) -> None:
        super().__init__()
        self.dot = probe.Dot(size, value)
        self.sgd = probe.RecordedSGD(self.dot.parameters())

    def training_step(self, batch: Tensor, _: int) -> Tensor:
        return self.dot(batch).mean()

    def configure_optimizers(self) -> Any:
        return self.sgd


def _updates(sizes: tuple[int, ...], epochs: int = 1) -> list[list[float]]:
    module = Mean(len(sizes))
    trainer = L.Trainer(max_epochs=epochs, accumulate_grad_batches=4, **QUIET)
    trainer.fit(module, probe.loader(probe.one_hot_batches(sizes)))
    return module.sgd.updates


def ragged() -> dict[str, Any]:
    return {"": _updates(probe.RAGGED)}


def tail() -> dict[str, Any]:
    return {"": _updates(probe.TAIL, epochs=2)}


def ranks() -> dict[str, Any]:
    return {"": value_of(call_on_ranks(__name__, "on_rank")[0])}


def on_rank() -> list[list[float]]:
    module = Mean(4)
    trainer = L.Trainer(
        max_epochs=1, accumulate_grad_batches=2, devices=2, strategy="ddp", use_distributed_sampler=False, **QUIET
    )
    trainer.fit(module, probe.loader(probe.rank_batches()))
    return module.sgd.updates


# Resuming --------------------------------------------------------------------------------------------------------


class Killed(L.LightningModule):
    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.inner = task, task.model()

    def training_step(self, batch: dict[str, Tensor], _: int) -> Tensor:
        self.task.see(batch["index"])
        return self.inner(batch["x"], batch["y"])

    def on_train_batch_end(self, *_: object) -> None:
        if self.task.kind == "window" and self.task.is_save_due:
            self.trainer.save_checkpoint(self.task.folder / "last.ckpt")

    def configure_optimizers(self) -> Any:
        optimizer = self.task.optimizer(self)
        return {
            "optimizer": optimizer,
            "lr_scheduler": {"scheduler": self.task.schedule(optimizer), "interval": "step"},
        }


def train(task: Task, variant: str) -> nn.Module:
    settings = dict(QUIET)
    if task.kind == "whole":
        updates = task.plan.save_every // task.plan.accumulate
        settings |= {"enable_checkpointing": True, "gradient_clip_val": 1.0}
        settings["callbacks"] = [ModelCheckpoint(task.folder, every_n_train_steps=updates, save_last=True)]
    data = task.loader(StatefulDataLoader if "Stateful" in variant else torch.utils.data.DataLoader)
    saved = task.folder / "last.ckpt"
    module = Killed(task)
    trainer = L.Trainer(max_epochs=task.plan.epochs, accumulate_grad_batches=task.plan.accumulate, **settings)
    trainer.fit(module, data, ckpt_path=saved if saved.exists() else None, weights_only=False)
    return module


def resume() -> dict[str, Any]:
    return {
        variant: kill_and_resume(__name__, "whole", variant)
        for variant in ("with torch's DataLoader", "with torchdata's StatefulDataLoader")
    }


def resume_in_window() -> dict[str, Any]:
    return {
        variant: kill_and_resume(__name__, "window", variant)
        for variant in ("with torch's DataLoader", "with torchdata's StatefulDataLoader")
    }


# Non-finite values and the scaler --------------------------------------------------------------------------------


class Squared(L.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.linear = probe.linear()

    def training_step(self, batch: Tensor, _: int) -> Tensor:
        return self.linear(batch).pow(2).mean()

    def configure_optimizers(self) -> Any:
        return torch.optim.AdamW(self.parameters(), 1e-2)


def nan() -> dict[str, Any]:
    def run(**settings: Any) -> dict[str, Any]:
        module = Squared()
        trainer = L.Trainer(max_epochs=1, gradient_clip_val=1.0, **settings, **QUIET)
        heard = probe.hear(lambda: trainer.fit(module, probe.loader(probe.batches_with_nan())))
        return {"finite": probe.is_finite(module.parameters()), **heard}

    return {"by default": run(), "with `detect_anomaly`": run(detect_anomaly=True)}


def _scaled(**settings: Any) -> L.Trainer:
    half = MixedPrecision("16-mixed", "cpu", scaler=probe.scaler())
    return L.Trainer(max_epochs=1, plugins=[half], **settings, **QUIET)


class Pair(L.LightningModule):
    """Two models with an optimizer each, in manual optimization."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.first, self.second = probe.Dot(1), probe.Dot(1)
        self.sgds = [probe.RecordedSGD(self.first.parameters()), probe.RecordedSGD(self.second.parameters())]

    def configure_optimizers(self) -> Any:
        return self.sgds


class Overflowing(Pair):
    def training_step(self, batch: Tensor, _: int) -> None:
        one, two = self.optimizers()  # type: ignore[misc]
        self.manual_backward(self.first(batch * probe.OVERFLOW).mean())
        self.manual_backward(self.second(batch).mean())
        one.step()
        two.step()


def shared_scaler() -> dict[str, Any]:
    module = Overflowing()
    _scaled().fit(module, probe.loader([torch.ones(1, 1)]))
    return {"": -module.second.weight.item()}


class ClippedByHand(Mean):
    def __init__(self) -> None:
        super().__init__(1)
        self.automatic_optimization = False

    def training_step(self, batch: Tensor, _: int) -> None:  # type: ignore[override]
        optimizer = self.optimizers()
        self.manual_backward(self.dot(batch).mean())
        self.clip_gradients(optimizer, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        optimizer.step()  # type: ignore[union-attr]


def clip_scaled() -> dict[str, Any]:
    batches = probe.loader([torch.full((1, 1), 0.5)])
    automatic, manual = Mean(1), ClippedByHand()
    _scaled(gradient_clip_val=1.0).fit(automatic, batches)
    _scaled().fit(manual, batches)
    return {"automatic": -automatic.dot.weight.item(), "manual, `clip_gradients`": -manual.dot.weight.item()}


# Schedules -------------------------------------------------------------------------------------------------------


class Scheduled(Mean):
    def __init__(self, size: int, frequency: int = 1) -> None:
        super().__init__(size)
        self.frequency = frequency
        self.schedule = torch.optim.lr_scheduler.StepLR(self.sgd, 1, 0.5)

    def configure_optimizers(self) -> Any:
        schedule = {"scheduler": self.schedule, "interval": "step", "frequency": self.frequency}
        return {"optimizer": self.sgd, "lr_scheduler": schedule}


def schedule_skipped() -> dict[str, Any]:
    module = Scheduled(1)
    _scaled().fit(module, probe.loader(probe.overflowing_first()))
    return {"": {"advances": module.schedule.last_epoch, "expected": len(module.sgd.updates)}}


def schedule_accumulated() -> dict[str, Any]:
    def run(frequency: int) -> dict[str, int]:
        module = Scheduled(4, frequency)
        trainer = L.Trainer(max_epochs=1, accumulate_grad_batches=4, **QUIET)
        trainer.fit(module, probe.loader([torch.ones(2, 4)] * 24))
        return {"advances": module.schedule.last_epoch, "expected": len(module.sgd.updates) // frequency}

    return {"every update": run(1), "`frequency=2`": run(2)}


# Two optimizers, stopping, forgotten layers ----------------------------------------------------------------------


class Adversaries(Pair):
    """G's loss runs through D, as in every GAN."""

    def __init__(self, toggles: bool) -> None:
        super().__init__()
        self.toggles = toggles

    def training_step(self, batch: Tensor, index: int) -> None:
        for optimizer, loss in zip(self.optimizers(), (self.loss_of_g, self.loss_of_d), strict=True):  # type: ignore[arg-type]
            if self.toggles:
                self.toggle_optimizer(optimizer)
            self.manual_backward(loss(batch) / 2)
            if self.toggles:
                self.untoggle_optimizer(optimizer)
        if index % 2:
            for optimizer in self.optimizers():  # type: ignore[union-attr]
                optimizer.step()
                optimizer.zero_grad()

    def loss_of_g(self, batch: Tensor) -> Tensor:
        return (self.first(batch) + 10 * self.second(batch)).mean()

    def loss_of_d(self, batch: Tensor) -> Tensor:
        return self.second(batch).mean()


def leak() -> dict[str, Any]:
    def run(toggles: bool) -> float:
        module = Adversaries(toggles)
        L.Trainer(max_epochs=1, **QUIET).fit(module, probe.loader([torch.ones(1, 1)] * 2))
        return -module.second.weight.item()

    return {"plain": run(False), "with `toggle_optimizer`": run(True)}


class Falling(Mean):
    def __init__(self) -> None:
        super().__init__(1, value=1.0)
        self.sgd.param_groups[0]["lr"] = 0.02

    def training_step(self, batch: Tensor, index: int) -> Tensor:
        loss = super().training_step(batch, index)
        self.log("loss", loss)
        return loss


def stop() -> dict[str, Any]:
    module = Falling()
    early = EarlyStopping("loss", stopping_threshold=probe.THRESHOLD, patience=1000, check_on_train_epoch_end=True)
    trainer = L.Trainer(max_epochs=3, callbacks=[early], **QUIET)
    trainer.fit(module, probe.loader([torch.ones(1, 1)] * probe.BATCHES_PER_EPOCH))
    return {"": len(module.sgd.updates)}


class Forgetful(L.LightningModule):
    def __init__(self, net: probe.Forgetful) -> None:
        super().__init__()
        self.net = net

    def training_step(self, batch: Tensor, _: int) -> Tensor:
        return self.net(batch).pow(2).mean()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.net.kept.parameters(), 1e-2)


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        L.Trainer(max_epochs=1, **QUIET).fit(Forgetful(net), probe.loader(probe.forgotten_batches()))

    return probe.forget(run)
