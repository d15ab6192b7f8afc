"""Small training loops whose mode is watched."""

from collections.abc import Callable

import torch
from torch import nn

from surefoot.facts import EvaluationFacts
from surefoot.watch.recorder import Recorder
from tests.watch.watching import Watched


def small_net(*, batchnorm: bool = True, dropout: bool = True) -> nn.Sequential:
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(8) if batchnorm else nn.LayerNorm(8)
    drop = nn.Dropout(0.2) if dropout else nn.Identity()
    return nn.Sequential(nn.Linear(4, 8), norm, nn.ReLU(), drop, nn.Linear(8, 1))


def train(
    model: nn.Module, optimizer: torch.optim.Optimizer, num_steps: int = 3, batch: int = 8,
    forward: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> None:  # fmt: skip
    for _ in range(num_steps):
        x = torch.randn(batch, 4)
        loss = nn.functional.mse_loss((forward or model)(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluations(watched: Watched | Recorder) -> list[EvaluationFacts]:
    """All that were told with steps."""
    assert isinstance(watched, Watched)
    return [told for step in watched.steps for told in step.evaluations]
