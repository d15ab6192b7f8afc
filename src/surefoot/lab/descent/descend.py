"""Follow a gradient, with torch's own optimizer, in the loop that people write."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from surefoot.lab.descent.made import make_optimizer, make_schedule
from surefoot.lab.descent.samples import mean_pulls
from surefoot.lab.descent.settings import Settings

LOST = 1e6  # so far from everything drawn, a path has diverged


class NotWantedError(Exception):
    """Nobody waits for it any more."""


@dataclass(slots=True)
class Path:
    """Where the weights were, the first entry before any update; and of each update its gradient and its rate."""

    w0: list[float] = field(default_factory=list)
    w1: list[float] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)  # of the surface, not of a batch
    grad_norm: list[float] = field(default_factory=list)  # as accumulated, before clipping
    rate: list[float] = field(default_factory=list)
    diverged_at: int | None = None  # the update after which the weights were lost; not among the entries

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def descend(settings: Settings, is_wanted: Callable[[], bool] = lambda: True) -> Path:
    """The path from `settings.start`, in as many updates as it has or until it diverges. Touches no global state."""
    weights = torch.tensor(settings.start, requires_grad=True)
    optimizer = make_optimizer(settings, weights)
    schedule = make_schedule(settings, optimizer)
    batches = mean_pulls(settings)
    path = Path()
    _note(path, settings, weights)
    for update in range(1, settings.steps + 1):
        if not is_wanted():
            raise NotWantedError
        rate = float(optimizer.param_groups[0]["lr"])
        norms: list[float] = []
        window = [next(batches) for _ in range(settings.accumulate)]
        optimizer.step(_closure(settings, weights, optimizer, window, norms))
        if schedule is not None:
            schedule.step()
        if not _note(path, settings, weights):
            path.diverged_at = update
            break
        path.grad_norm.append(norms[0])
        path.rate.append(rate)
    return path


def _closure(
    settings: Settings,
    weights: Tensor,
    optimizer: torch.optim.Optimizer,
    window: list[Tensor | None],
    norms: list[float],
) -> Callable[[], float]:
    """Clear, backward over the window, clip. L-BFGS asks several times a step; all others once, before they update."""

    def evaluate() -> float:
        if not settings.forget_zero:
            optimizer.zero_grad()
        total = 0.0
        for loss in _losses(settings, weights, window):
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        assert weights.grad is not None
        norms.append(float(torch.linalg.vector_norm(weights.grad)))
        if settings.clip_norm > 0:
            clip_grad_norm_([weights], settings.clip_norm)
        return total

    return evaluate


def _losses(settings: Settings, weights: Tensor, window: list[Tensor | None]) -> Iterator[Tensor]:
    for pull in window:
        loss: Tensor = settings.surface.loss(weights[0], weights[1])
        if pull is not None:
            loss = loss + (pull * weights).sum()
        yield loss / settings.accumulate if settings.divide and settings.accumulate > 1 else loss


def _note(path: Path, settings: Settings, weights: Tensor) -> bool:
    """Whether the weights are still somewhere."""
    with torch.no_grad():
        loss = float(settings.surface.loss(weights[0], weights[1]))
    w0, w1 = weights.tolist()
    if not math.isfinite(loss) or not max(abs(w0), abs(w1)) <= LOST:
        return False
    path.w0.append(w0)
    path.w1.append(w1)
    path.loss.append(loss)
    return True
