"""Small models, data and written-out loops that the tests compare with."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

Batch = tuple[Tensor, Tensor]


def make_model(*, dtype: torch.dtype = torch.float32, dropout: float = 0.0) -> nn.Module:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(dropout), nn.Linear(8, 3))
    return model.to(dtype)


def make_batches(sizes: Sequence[int], *, dtype: torch.dtype = torch.float32, seed: int = 0) -> list[Batch]:
    generator = torch.Generator().manual_seed(seed)
    made = []
    for size in sizes:
        x = torch.randn(size, 4, generator=generator, dtype=torch.float64)
        made.append((x.to(dtype), (x[:, :3].argmax(1))))
    return made


def windows(batches: Sequence[Batch], accumulate: int) -> list[Batch]:
    """Each window as one large batch: what accumulation must be equal to."""
    parts = [batches[i : i + accumulate] for i in range(0, len(batches), accumulate)]
    return [(torch.cat([x for x, _ in part]), torch.cat([y for _, y in part])) for part in parts]


def plain_loop(
    model: nn.Module, optimizer: torch.optim.Optimizer, batches: Sequence[Batch], epochs: int,
    *, clip_norm: float | None = None, scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
) -> None:  # fmt: skip
    """The written-out loop of any tutorial."""
    for _ in range(epochs):
        for x, y in batches:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            if clip_norm is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
            optimizer.step()
            if scheduler is not None:
                scheduler.step()


def weights(model: nn.Module) -> list[Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def all_equal(first: Sequence[Tensor], second: Sequence[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


class Probe(nn.Module):
    """Its output is <w, x>: with rows that are unit vectors, an update is exactly the weight each of them got."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.w


def one_hot_batches(sizes: Sequence[int]) -> list[Tensor]:
    """Micro-batch i holds only rows e_i."""
    return [torch.eye(len(sizes))[i].repeat(size, 1) for i, size in enumerate(sizes)]
