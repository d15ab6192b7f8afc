"""Keras 3 on torch: `compile` and `fit`."""

import math
from typing import Any

import keras
import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.conformance import probe
from benchmarks.conformance.killed import Task, kill_and_resume

PACKAGE = "keras"
NAME = "Keras"
NOT_OFFERED = {
    "ranks": "on torch, `fit` trains in one process",
    "shared_scaler": "`compile` takes one optimizer",
    "leak": "`compile` takes one optimizer",
    "stop": "`EarlyStopping` counts epochs without improvement; there is no threshold",
    "missing_layer": "the optimizer gets all trainable variables from the model itself",
}


class Dot(keras.layers.Layer):
    def build(self, shape: tuple[int, ...]) -> None:
        self.w = self.add_weight(shape=(shape[-1],), initializer="zeros", name="w")

    def call(self, x: Tensor) -> Tensor:
        return keras.ops.sum(x * self.w, axis=-1, keepdims=True)


class Batches(keras.utils.PyDataset):
    def __init__(self, batches: list[Tensor]) -> None:
        super().__init__()
        self.batches = batches

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        x = self.batches[number].numpy()
        return x, np.zeros((len(x), 1), "float32")


class Watcher(keras.callbacks.Callback):
    """Notes every change of the weights."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[list[float]] = []

    def on_train_begin(self, logs: object = None) -> None:
        self.before = self.model.get_weights()[0].copy()

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:
        now = self.model.get_weights()[0].copy()
        if not np.array_equal(now, self.before):
            self.updates.append((self.before - now).tolist())
        self.before = now


def _fit(batches: list[Tensor], optimizer: keras.optimizers.Optimizer, epochs: int = 1) -> list[list[float]]:
    model = keras.Sequential([keras.Input((batches[0].shape[1],)), Dot()])
    model.compile(optimizer=optimizer, loss=lambda _, output: output[:, 0])
    watcher = Watcher()
    model.fit(Batches(batches), epochs=epochs, verbose=0, shuffle=False, callbacks=[watcher])
    return watcher.updates


def ragged() -> dict[str, Any]:
    sgd = keras.optimizers.SGD(1.0, gradient_accumulation_steps=4)
    return {"": _fit(probe.one_hot_batches(probe.RAGGED), sgd)}


def tail() -> dict[str, Any]:
    sgd = keras.optimizers.SGD(1.0, gradient_accumulation_steps=4)
    return {"": _fit(probe.one_hot_batches(probe.TAIL), sgd, epochs=2)}


# Resuming --------------------------------------------------------------------------------------------------------


class Killed(keras.Model):
    def __init__(self, task: Task) -> None:
        super().__init__()
        self.task = task
        if task.kind == "whole":
            dense = keras.layers.Dense
            self.inner = keras.Sequential([dense(16, "relu"), keras.layers.Dropout(0.3, seed=1), dense(1)])
        else:
            self.inner = keras.Sequential([Dot()])

    def call(self, inputs: tuple[Tensor, Tensor], training: bool = False) -> Tensor:
        return self.inner(inputs[0], training=training)

    def train_step(self, data: tuple[Any, ...]) -> Any:
        self.task.see(data[0][1])
        return super().train_step(data)


def _batch(samples: list[dict[str, Any]]) -> tuple[tuple[Tensor, Tensor], Tensor]:
    x, y = torch.stack([s["x"] for s in samples]), torch.stack([s["y"] for s in samples])
    return (x, torch.tensor([s["index"] for s in samples])), y


def train(task: Task, variant: str) -> nn.Module:
    keras.utils.set_random_seed(0)
    model = Killed(task)
    model(_batch(task.samples()[:1])[0])  # builds it
    accumulation = {"gradient_accumulation_steps": task.plan.accumulate}
    if task.kind == "whole":
        optimizer = keras.optimizers.AdamW(keras.optimizers.schedules.CosineDecay(1e-2, 40), **accumulation)
        model.compile(optimizer=optimizer, loss="mse")
    else:
        model.compile(optimizer=keras.optimizers.SGD(1.0, **accumulation), loss=lambda _, output: output[:, 0])
    data = torch.utils.data.DataLoader(
        task.samples(), batch_size=task.plan.batch_size, shuffle=task.plan.shuffle, collate_fn=_batch
    )
    backup = keras.callbacks.BackupAndRestore(str(task.folder / "saved"), save_freq=task.plan.save_every)
    model.fit(data, epochs=task.plan.epochs, verbose=0, callbacks=[backup])
    return model


def resume() -> dict[str, Any]:
    return {"with `BackupAndRestore`": kill_and_resume(__name__, "whole")}


def resume_in_window() -> dict[str, Any]:
    return {"with `BackupAndRestore`": kill_and_resume(__name__, "window")}


# Non-finite values, the scaler, schedules ------------------------------------------------------------------------


def nan() -> dict[str, Any]:
    def run(*callbacks: keras.callbacks.Callback) -> dict[str, Any]:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        data = Batches(probe.batches_with_nan())
        heard = probe.hear(lambda: model.fit(data, verbose=2, shuffle=False, callbacks=list(callbacks)))
        return {"finite": probe.is_finite(model.parameters()), **heard}

    return {"by default": run(), "with `TerminateOnNaN`": run(keras.callbacks.TerminateOnNaN())}


def clip_scaled() -> dict[str, Any]:
    inner = keras.optimizers.SGD(1.0, global_clipnorm=1.0)
    updates = _fit([torch.full((1, 1), 0.5)], keras.optimizers.LossScaleOptimizer(inner, initial_scale=2.0**16))
    return {"": updates[0][0]}


DECAY = 0.9


def _decaying() -> keras.optimizers.schedules.LearningRateSchedule:
    return keras.optimizers.schedules.ExponentialDecay(1.0, decay_steps=1, decay_rate=DECAY)


def _count_advances(updates: list[list[float]]) -> dict[str, int]:
    """Read off the rate of the last update, which is its size: DECAY ** n after n advances, and one more to come."""
    last_rate = updates[-1][0]
    return {"advances": round(math.log(last_rate) / math.log(DECAY)) + 1, "expected": len(updates)}


def schedule_skipped() -> dict[str, Any]:
    scaled = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(_decaying()), initial_scale=2.0**16)
    return {"": _count_advances(_fit(probe.overflowing_first(), scaled))}


def schedule_accumulated() -> dict[str, Any]:
    sgd = keras.optimizers.SGD(_decaying(), gradient_accumulation_steps=4)
    return {"": _count_advances(_fit([torch.ones(2, 4)] * 24, sgd))}
