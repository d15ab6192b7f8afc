"""Training that is killed and resumed, against the same training left alone.

`whole`: 2 epochs of 20 shuffled micro-batches of 2 samples, accumulate 2, dropout; a checkpoint after every third
update; SIGKILL in the 33rd micro-batch. The last checkpoint is then that of update 15, in the middle of epoch 2.
`window`: 8 micro-batches in their order, accumulate 4; a checkpoint after every second; SIGKILL in the third.
"""

import importlib
import json
import os
import random
import signal
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader

from benchmarks.conformance.call import call_apart, value_of
from benchmarks.conformance.probe import Dot, one_hot_batches


@dataclass(frozen=True, slots=True)
class Plan:
    num_samples: int
    batch_size: int
    accumulate: int
    epochs: int
    shuffle: bool
    save_every: int  # micro-batches
    kill_in: int  # micro-batch

    @property
    def per_epoch(self) -> int:
        return self.num_samples // self.batch_size

    @property
    def num_saved(self) -> int:
        """Micro-batches in the last checkpoint before the kill."""
        return (self.kill_in - 1) // self.save_every * self.save_every


PLANS = {
    "whole": Plan(40, 2, accumulate=2, epochs=2, shuffle=True, save_every=6, kill_in=33),
    "window": Plan(32, 4, accumulate=4, epochs=1, shuffle=False, save_every=2, kill_in=3),
}


class Regression(nn.Module):
    """Returns its loss; dropout makes it depend on the state of the random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return F.mse_loss(self.layers(x), y)


class Mean(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dot = Dot(8)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.dot(x).mean()


@dataclass
class Task:
    """One process's share: train to the end from the newest checkpoint in `folder`, or be killed on the way."""

    kind: str
    folder: Path
    is_killed: bool
    num_seen: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.plan = PLANS[self.kind]
        self.folder = Path(self.folder)
        random.seed(0)
        torch.manual_seed(0)

    def model(self) -> nn.Module:
        return Regression() if self.kind == "whole" else Mean()

    def optimizer(self, model: nn.Module) -> torch.optim.Optimizer:
        if self.kind == "whole":
            return torch.optim.AdamW(model.parameters(), 1e-2)
        return torch.optim.SGD(model.parameters(), 1.0)

    def schedule(self, optimizer: torch.optim.Optimizer) -> torch.optim.lr_scheduler.LRScheduler:
        if self.kind == "whole":
            return torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
        return torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)  # which update a sample was in shows in its weight

    def samples(self) -> list[dict[str, Any]]:
        made = torch.Generator().manual_seed(7)
        if self.kind == "whole":
            x, y = torch.randn(40, 6, generator=made), torch.randn(40, 1, generator=made)
        else:
            x, y = torch.cat(one_hot_batches([4] * 8)), torch.zeros(32, 1)
        return [{"x": x[i], "y": y[i], "index": i} for i in range(len(x))]

    def loader(self, kind: type[DataLoader] = DataLoader) -> DataLoader:
        return kind(self.samples(), batch_size=self.plan.batch_size, shuffle=self.plan.shuffle)

    def see(self, indices: Tensor) -> None:
        """To be called with the samples of every micro-batch, before its backward pass."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"seen-{'killed' if self.is_killed else 'ended'}").open("a") as file:
            print(json.dumps([int(i) for i in indices.flatten()]), file=file)
        self.num_seen += 1
        if self.is_killed and self.num_seen == self.plan.kill_in:
            os.kill(os.getpid(), signal.SIGKILL)

    @property
    def is_save_due(self) -> bool:
        """After a micro-batch; counted from where this process began."""
        return self.num_seen % self.plan.save_every == 0


def kill_and_resume(module: str, kind: str, variant: str = "", num_saved: int | None = None) -> dict[str, Any]:
    """Three processes: one left alone, one killed, one that goes on where that one was. All call `train` of `module`.

    `train(task, variant)` returns the model. `num_saved`: micro-batches in the last checkpoint, where not by the plan.
    """
    with TemporaryDirectory() as name:
        alone, broken = Path(name) / "alone", Path(name) / "broken"
        right = value_of(call_apart(__name__, "run", module, kind, alone, False, variant))
        victim = call_apart(__name__, "run", module, kind, broken, True, variant)
        if victim.status != -signal.SIGKILL:
            raise RuntimeError(f"was to be killed, ended with {victim.status}: {victim.output.strip()[-1500:]}")
        resumed = value_of(call_apart(__name__, "run", module, kind, broken, False, variant))
        plan = PLANS[kind]
        done = _seen(broken / "seen-killed")[: plan.num_saved if num_saved is None else num_saved]
        rest = _seen(broken / "seen-ended")
    gap = max(abs(a - b) for a, b in zip(right, resumed, strict=True))
    spent = _spent(done + rest, plan)
    return {"equal": right == resumed, "gap": gap, "weights": resumed, "num_run": len(rest), **spent}


def run(module: str, kind: str, folder: str, is_killed: bool, variant: str) -> list[float]:
    torch.use_deterministic_algorithms(True)
    model = importlib.import_module(module).train(Task(kind, Path(folder), is_killed), variant)
    return torch.cat([p.detach().flatten().double() for p in model.parameters() if p.requires_grad]).tolist()


def _seen(file: Path) -> list[list[int]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _spent(seen: list[list[int]], plan: Plan) -> dict[str, int]:
    """How the last epoch used its samples: what its weights saw before the kill and after it."""
    used = [index for batch in seen[plan.per_epoch * (plan.epochs - 1) :] for index in batch]
    return {"repeated": len(used) - len(set(used)), "never_seen": plan.num_samples - len(set(used))}
