"""fastai's Learner with its callbacks."""

from functools import partial
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from fastai.callback.tracker import SaveModelCallback, TerminateOnNaNCallback
from fastai.callback.training import GradientAccumulation, GradientClip
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.optimizer import OptimWrapper
from torch import Tensor, nn

from benchmarks.conformance import probe
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "fastai"
NAME = "fastai"
NOT_OFFERED = {
    "ranks": "`GradientAccumulation` counts samples on each rank: ranks with different counts would not step together",
    "resume_in_window": "saves at the end of an epoch only",
    "shared_scaler": "a Learner has one optimizer",
    "clip_scaled": "its mixed precision works on accelerators only",
    "schedule_skipped": "its mixed precision works on accelerators only",
    "schedule_accumulated": "schedules are functions of the share of training done, not of updates",
    "leak": "a Learner has one optimizer",
    "stop": "`EarlyStoppingCallback` counts epochs without improvement; there is no threshold",
}


def _learner(
    model: nn.Module, batches: list[Tensor], optimizer: type[torch.optim.Optimizer], *callbacks: Any, **settings: Any
) -> Learner:
    items = [(batch, torch.zeros(len(batch))) for batch in batches]
    data = DataLoader(items, bs=None, shuffle=False, num_workers=0)
    settings = {"loss_func": lambda output, _: output.mean(), **settings}
    return Learner(
        DataLoaders(data, DataLoader([], bs=None)), model, opt_func=partial(OptimWrapper, opt=optimizer),
        cbs=list(callbacks), train_bn=False, **settings,
    )  # fmt: skip


def _fit(learner: Learner, epochs: int = 1, lr: float = 1.0, **settings: Any) -> None:
    learner._do_epoch_validate = lambda *_, **__: None  # there is nothing to validate on
    with learner.no_bar(), learner.no_logging():
        learner.fit(epochs, lr, **settings)


def _updates(sizes: tuple[int, ...], epochs: int = 1) -> list[list[float]]:
    learner = _learner(probe.Dot(len(sizes)), probe.one_hot_batches(sizes), probe.RecordedSGD, GradientAccumulation(16))
    _fit(learner, epochs)
    return learner.opt.opt.updates


def ragged() -> dict[str, Any]:
    return {"": _updates(probe.RAGGED)}


def tail() -> dict[str, Any]:
    return {"": _updates(probe.TAIL, epochs=2)}


class Killed(nn.Module):
    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task, self.inner = task, task.model()

    def forward(self, x: Tensor, index: Tensor) -> Tensor:
        self.task.see(index)
        return self.inner.layers(x)


def train(task: Task, variant: str) -> nn.Module:
    plan = task.plan
    items = [(sample["x"], sample["index"], sample["y"]) for sample in task.samples()]
    data = DataLoader(items, bs=plan.batch_size, shuffle=True, num_workers=0, n_inp=2)
    save = SaveModelCallback(every_epoch=True, with_opt=True, fname="saved")
    learner = Learner(
        DataLoaders(data, DataLoader([], bs=1)), Killed(task), loss_func=F.mse_loss, path=task.folder, train_bn=False,
        opt_func=partial(OptimWrapper, opt=torch.optim.AdamW),
        cbs=[GradientAccumulation(plan.batch_size * plan.accumulate), GradientClip(1.0), save],
    )  # fmt: skip
    saved = list((task.folder / "models").glob("saved_*.pth"))
    if saved:
        learner.load(f"saved_{len(saved) - 1}", with_opt=True, weights_only=False)
    _fit(learner, plan.epochs, 1e-2, start_epoch=len(saved))
    return learner.model


def resume() -> dict[str, Any]:
    return {"from the end of the first epoch": kill_and_resume(__name__, "whole", num_saved=20)}


def nan() -> dict[str, Any]:
    def run(*callbacks: Any) -> dict[str, Any]:
        model = probe.linear()
        settings = {"loss_func": lambda output, _: output.pow(2).mean()}
        learner = _learner(model, probe.batches_with_nan(), torch.optim.AdamW, *callbacks, **settings)
        heard = probe.hear(lambda: _fit(learner, lr=1e-2))
        return {"finite": probe.is_finite(model.parameters()), **heard}

    return {"by default": run(), "with `TerminateOnNaNCallback`": run(TerminateOnNaNCallback())}


def missing_layer() -> dict[str, Any]:
    def run(net: probe.Forgetful) -> None:
        learner = _learner(
            net, probe.forgotten_batches(), torch.optim.SGD, loss_func=lambda output, _: output.pow(2).mean(),
            splitter=lambda net: [list(net.kept.parameters())],
        )  # fmt: skip
        _fit(learner, lr=1e-2)

    return probe.forget(run)
