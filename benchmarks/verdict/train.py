"""Train everything once, and keep the losses."""

from __future__ import annotations

import multiprocessing
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch

from benchmarks.verdict.catalogue import TRAININGS, Training
from benchmarks.verdict.curves import Losses, key, write
from benchmarks.verdict.schedule import STRETCHED, rates

SHARES = (8, 4, 2, 1)  # of the longest run, the runs whose ends are looked at: each is twice as long as the one before


def lengths(training: Training) -> list[int]:
    """Of the runs that are needed: a schedule that ends with its run asks for one run of each length."""
    shares = SHARES if training.schedule in STRETCHED else SHARES[-1:]
    return [training.num_steps // share for share in shares]


def train(training: Training, num_steps: int) -> Losses:
    torch.manual_seed(zlib.crc32(training.name.encode()))
    task = training.make()
    optimizer = training.optimizer(task.model.parameters(), lr=training.rate)
    losses = []
    for rate in rates(training.schedule, training.rate, num_steps):
        optimizer.param_groups[0]["lr"] = rate
        loss = task.next_loss()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses)


def train_all(num_processes: int) -> Iterator[str]:
    """Names of what is done."""
    jobs = [(training.name, num) for training in TRAININGS for num in lengths(training)]
    curves = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(num_processes, mp_context=context) as pool:
        for (name, num), losses in zip(jobs, pool.map(_train_named, jobs), strict=True):
            curves[key(name, num)] = losses
            yield f"{key(name, num)}: {losses[:5].mean():.4g} to {losses[-num // 10 :].mean():.4g}"
    write(curves)


def _train_named(job: tuple[str, int]) -> Losses:
    torch.set_num_threads(1)
    name, num = job
    return train(next(training for training in TRAININGS if training.name == name), num)
