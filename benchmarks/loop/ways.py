"""The same training in every loop: AdamW, gradients clipped to norm 1, as lean as each loop's documentation allows.

Each takes a problem, its batches (an endless iterable of pairs) and how many of them make one update. A raw loop is
what all are held against.
"""

from collections.abc import Callable, Iterator
from tempfile import mkdtemp
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.models import LEARNING_RATE, MAX_NORM, Problem

Batches = Iterator[tuple[Tensor, Tensor]]
ENDLESS = 10**9


def raw(problem: Problem, batches: Batches, accumulate: int, **settings: bool) -> None:
    train_with(problem.optimizer(**settings), problem, batches, accumulate)


def train_with(optimizer: torch.optim.Optimizer, problem: Problem, batches: Batches, accumulate: int) -> None:
    model, loss_fn = problem.model, problem.loss_fn
    for number, (x, y) in enumerate(batches, 1):
        loss = loss_fn(model(x), y)
        if accumulate > 1:
            loss = loss / accumulate
        loss.backward()
        if number % accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()


def raw_fused(problem: Problem, batches: Batches, accumulate: int) -> None:
    raw(problem, batches, accumulate, fused=True)


class ListOfBatches(list[tuple[Tensor, Tensor]]):
    """Known not to draw random numbers from batch to batch, as a DataLoader over a map-style dataset is."""

    def __init__(self, batches: Batches) -> None:
        super().__init__()
        self._batches = batches

    def __iter__(self) -> Batches:
        return self._batches

    def __len__(self) -> int:
        return ENDLESS


def surefoot(problem: Problem, batches: Batches, accumulate: int, **settings: Any) -> None:
    """Everything on: sanitizer, history, run log, checks before updates, weights read off the loss."""
    import surefoot as sf

    model, loss_fn = problem.model, problem.loss_fn
    settings = {"log": mkdtemp(), **settings}
    loop = sf.Loop(model, problem.optimizer(), accumulate=accumulate, clip_norm=MAX_NORM, **settings)
    for x, y in loop.batches(ListOfBatches(batches)):
        with loop.step() as step:
            step.backward(loss_fn(model(x), y))


def surefoot_fused(problem: Problem, batches: Batches, accumulate: int) -> None:
    surefoot(problem, batches, accumulate, fused=True)


def surefoot_history(problem: Problem, batches: Batches, accumulate: int) -> None:
    surefoot(problem, batches, accumulate, log=None, overhead=0.0)


def surefoot_unwatched(problem: Problem, batches: Batches, accumulate: int) -> None:
    surefoot(problem, batches, accumulate, watch=False, log=None)


def ignite(problem: Problem, batches: Batches, accumulate: int) -> None:
    from ignite.engine import Engine

    model, loss_fn, optimizer = problem.model, problem.loss_fn, problem.optimizer()

    def step(engine: Engine, batch: tuple[Tensor, Tensor]) -> None:
        loss = loss_fn(model(batch[0]), batch[1])
        if accumulate > 1:
            loss = loss / accumulate
        loss.backward()
        if engine.state.iteration % accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()

    Engine(step).run(batches, max_epochs=1, epoch_length=ENDLESS)


def fabric(problem: Problem, batches: Batches, accumulate: int) -> None:
    from lightning.fabric import Fabric

    made = Fabric(accelerator="cpu", devices=1)
    model, optimizer = made.setup(problem.model, problem.optimizer())
    for number, (x, y) in enumerate(batches, 1):
        is_last = number % accumulate == 0
        with made.no_backward_sync(model, enabled=not is_last):
            made.backward(problem.loss_fn(model(x), y) / accumulate)
        if is_last:
            made.clip_gradients(model, optimizer, max_norm=MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()


def accelerate(problem: Problem, batches: Batches, accumulate: int) -> None:
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accumulate)
    model, optimizer = accelerator.prepare(problem.model, problem.optimizer())
    for x, y in batches:
        with accelerator.accumulate(model):
            accelerator.backward(problem.loss_fn(model(x), y))
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()


def hf_trainer(problem: Problem, batches: Batches, accumulate: int) -> None:
    from transformers import Trainer, TrainingArguments

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = problem.model

        def forward(self, x: Tensor, labels: Tensor) -> dict[str, Tensor]:
            return {"loss": problem.loss_fn(self.inner(x), labels)}

    class Fed(Trainer):
        def get_train_dataloader(self) -> Any:
            return _Once({"x": x, "labels": y} for x, y in batches)

    args = TrainingArguments(
        mkdtemp(), use_cpu=True, max_steps=ENDLESS, gradient_accumulation_steps=accumulate, max_grad_norm=MAX_NORM,
        report_to="none", logging_strategy="no", save_strategy="no", disable_tqdm=True, remove_unused_columns=False,
    )  # fmt: skip
    optimizer = problem.optimizer()
    constant = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    Fed(model=Model(), args=args, train_dataset=[0], optimizers=(optimizer, constant)).train()


class _Once:
    """An iterator dressed as a loader with a length, which the Trainer asks for."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches

    def __iter__(self) -> Any:
        return self.batches

    def __len__(self) -> int:
        return ENDLESS


def lightning(problem: Problem, batches: Batches, accumulate: int, logs: bool = False) -> None:
    import lightning as L  # noqa: N812

    class Module(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.inner = problem.model

        def training_step(self, batch: tuple[Tensor, Tensor], _: int) -> Tensor:
            loss = problem.loss_fn(self.inner(batch[0]), batch[1])
            if logs:
                self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> Any:
            return problem.optimizer()

    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=1, accumulate_grad_batches=accumulate, gradient_clip_val=MAX_NORM,
        logger=False, enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(Module(), _Once(batches))


def lightning_log(problem: Problem, batches: Batches, accumulate: int) -> None:
    lightning(problem, batches, accumulate, logs=True)


def keras(problem: Problem, batches: Batches, accumulate: int) -> None:
    import os

    os.environ["KERAS_BACKEND"] = "torch"
    from keras import Model
    from keras.layers import TorchModuleWrapper
    from keras.optimizers import AdamW

    class Wrapped(Model):
        def __init__(self) -> None:
            super().__init__()
            self.inner = TorchModuleWrapper(problem.model)

        def call(self, x: Tensor) -> Tensor:
            return self.inner(x)

    settings = {"gradient_accumulation_steps": accumulate} if accumulate > 1 else {}
    model = Wrapped()
    optimizer = AdamW(LEARNING_RATE, weight_decay=0.01, epsilon=1e-8, global_clipnorm=MAX_NORM, **settings)
    is_class = not problem.y.is_floating_point()
    model.compile(optimizer, loss=lambda y, output: problem.loss_fn(output, y.long() if is_class else y))
    model.fit(batches, epochs=1, steps_per_epoch=ENDLESS, verbose=0)


WAYS: dict[str, tuple[str, Callable[[Problem, Batches, int], None]]] = {
    "raw": ("raw loop", raw),
    "raw_fused": ("raw loop, fused AdamW", raw_fused),
    "surefoot": ("**surefoot, everything on**", surefoot),
    "surefoot_fused": ("**surefoot, everything on, fused AdamW**", surefoot_fused),
    "surefoot_history": ("surefoot, sanitizer and history: `log=None, overhead=0`", surefoot_history),
    "surefoot_unwatched": ("surefoot, `watch=False, log=None`", surefoot_unwatched),
    "ignite": ("Ignite Engine", ignite),
    "fabric": ("Fabric", fabric),
    "accelerate": ("Accelerate", accelerate),
    "hf_trainer": ("HF Trainer", hf_trainer),
    "lightning": ("Lightning", lightning),
    "lightning_log": ("Lightning with `self.log`", lightning_log),
    "keras": ("Keras", keras),
}
