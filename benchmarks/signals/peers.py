"""What others take for a look at gradients: a training step with them against the same step without, in turns.

Two copies of the same model train in one process, one looked at by the peer and one not. Of Lightning both are in its
Trainer, with and without norms, so that only the norms are counted. To be run by the python of .venv-bench-log.

python -m benchmarks.signals.peers m2 wandb-every 4 50       # prints CPU seconds: plain, looked at
"""

import logging
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch

from benchmarks.models import MAX_NORM, Problem
from benchmarks.signals.models import MODELS

WARM = 20
Train = Callable[[int], None]


def plain(problem: Problem, after_backward: Callable[[torch.nn.Module, float], None] | None = None) -> Train:
    model, loss_fn, optimizer, x, y = problem.model, problem.loss_fn, problem.optimizer(), problem.x, problem.y

    def train(num_steps: int) -> None:
        for _ in range(num_steps):
            loss = loss_fn(model(x), y)
            loss.backward()
            if after_backward is not None:
                after_backward(model, loss.item())
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            optimizer.zero_grad()

    return train


def wandb_watch(problem: Problem, **settings: Any) -> Train:
    """As its documentation says: `watch` before training, `log` at each step."""
    os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_CONSOLE": "off"}
    import wandb

    run = wandb.init(project="bench", dir=tempfile.mkdtemp())
    run.watch(problem.model, **settings)
    return plain(problem, lambda model, loss: run.log({"loss": loss}))


def tensorboard(problem: Problem, every: int) -> Train:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(tempfile.mkdtemp())
    step = 0

    def write(model: torch.nn.Module, loss: float) -> None:
        nonlocal step
        step += 1
        writer.add_scalar("loss", loss, step)
        if step % every == 0:
            for name, param in model.named_parameters():
                writer.add_histogram(f"weights/{name}", param, step)
                writer.add_histogram(f"gradients/{name}", param.grad, step)

    return plain(problem, write)


class Turns:
    """Batches for a Trainer that is stopped and asked for more from outside: a block at a time."""

    def __init__(self, problem: Problem) -> None:
        self.batch = (problem.x, problem.y)
        self.left = 0

    def __iter__(self) -> Iterator[Any]:
        while self.left:
            self.left -= 1
            yield self.batch


def lightning(problem: Problem, norms: bool) -> Train:
    import lightning as L  # noqa: N812
    from lightning.pytorch.utilities import grad_norm

    class Module(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.inner = problem.model

        def training_step(self, batch: Any, _: int) -> Any:
            return problem.loss_fn(self.inner(batch[0]), batch[1])

        def on_before_optimizer_step(self, optimizer: Any) -> None:
            if norms:
                self.log_dict(grad_norm(self.inner, norm_type=2))

        def configure_optimizers(self) -> Any:
            return problem.optimizer()

    turns = Turns(problem)
    trainer = L.Trainer(
        accelerator="cpu", devices=1, max_epochs=-1, gradient_clip_val=MAX_NORM, logger=L.pytorch.loggers.CSVLogger(
            tempfile.mkdtemp()
        ), log_every_n_steps=1, enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False,
    )  # fmt: skip
    return _resumable(trainer, Module(), turns)


def _resumable(trainer: Any, module: Any, turns: Turns) -> Train:
    """`fit` runs in a thread of its own and waits between blocks."""
    import threading

    may_go, is_done = threading.Semaphore(0), threading.Semaphore(0)

    def batches() -> Iterator[Any]:
        while True:
            may_go.acquire()
            yield from turns
            is_done.release()

    class Loader:
        def __iter__(self) -> Iterator[Any]:
            return batches()

    threading.Thread(target=trainer.fit, args=(module, Loader()), daemon=True).start()

    def train(num_steps: int) -> None:
        turns.left = num_steps
        may_go.release()
        is_done.acquire()

    return train


WAYS: dict[str, tuple[Callable[[Problem], Train], Callable[[Problem], Train]]] = {
    "wandb-default": (plain, wandb_watch),
    "wandb-every": (plain, lambda problem: wandb_watch(problem, log="all", log_freq=1)),
    "tensorboard-100": (plain, lambda problem: tensorboard(problem, 100)),
    "tensorboard-every": (plain, lambda problem: tensorboard(problem, 1)),
    "lightning-every": (lambda problem: lightning(problem, False), lambda problem: lightning(problem, True)),
}


def main(name: str, way: str, block: int, num_blocks: int) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    trains = []
    for make in WAYS[way]:
        torch.manual_seed(0)
        trains.append(make(MODELS[name]()))
    for train in trains:
        train(WARM)
    spent = [0.0, 0.0]
    for turn in range(num_blocks):
        for which in (0, 1) if turn % 2 else (1, 0):  # neither always goes first
            started = time.process_time()
            trains[which](block)
            spent[which] += time.process_time() - started
    print(*(seconds / (block * num_blocks) for seconds in spent), flush=True)
    with suppress(Exception):
        sys.stdout.flush()
    os._exit(0)  # trackers and trainers have threads that wait


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
