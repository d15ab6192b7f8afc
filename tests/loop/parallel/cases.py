"""What each rank does in the tests: small trainings, under a sanitizer that must stay silent."""

import functools
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.loop.plan import NothingUpdatedError
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer.sanitizer import Sanitizer
from tests.loop.training import Batch, Probe, make_batches, make_model


@contextmanager
def silent() -> Iterator[None]:
    failures: list[str] = []
    sanitizer = Sanitizer(catalogue().values(), on_failure=lambda name, error: failures.append(f"{name}: {error!r}"))
    sanitizer.start()
    try:
        yield
    finally:
        sanitizer.finish()
    assert not failures, failures
    found = [f"{f.rule}: {f.message} ({f.line})" for f in sanitizer.judge.findings if f.severity != "note"]
    assert not found, found


def silently(case: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(case)
    def run(*args: Any, **kwargs: Any) -> Any:
        with silent():
            return case(*args, **kwargs)

    return run


def rank() -> int:
    return int(os.environ["RANK"])


def size() -> int:
    return int(os.environ["WORLD_SIZE"])


def values(model: nn.Module) -> list[list[float]]:
    """Of all parameters, whole also where they are sharded."""
    found = []
    for p in model.parameters():
        whole = p.full_tensor() if hasattr(p, "full_tensor") else p
        found.append(whole.detach().reshape(-1).tolist())
    return found


class ShiftedProbe(Probe):
    """With a part of it on every rank that always gets a gradient: a rank with zeros only would look cleared."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.shift = nn.Parameter(torch.zeros(size()))

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + self.shift.sum()


@silently
def probe(
    parallel: str, sizes: Sequence[Sequence[int]], accumulate: int, *, known: bool = True,
    **settings: Any,
) -> dict[str, Any]:  # fmt: skip
    """Rank r's micro-batch i holds only unit vectors of their own: the update is the weight that each of them got."""
    counts = [size for part in sizes for size in part]
    first = sum(len(part) for part in sizes[: rank()])
    rows = [torch.eye(len(counts))[first + i].repeat(num, 1) for i, num in enumerate(sizes[rank()])]
    model = ShiftedProbe(len(counts))
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=accumulate, parallel=parallel,
                   **settings)  # fmt: skip
    num_seen = 0
    for x in loop.batches(rows if known else lambda: iter(rows)):
        num_seen += 1
        with loop.step() as step:
            step.backward(model(x).mean())
    return {"w": values(model)[0], "updates": loop.num_updates, "seen": num_seen}


def make_loop(folder: str | None, parallel: str | None, **settings: Any) -> tuple[nn.Module, sf.Loop, Any]:
    """Dropout, shuffling and ranks of different lengths: all that a resume has to bring back."""
    model = make_model(dropout=0.3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = sf.schedule.inverse_time(optimizer, scale=10, warmup=2)
    loop = sf.Loop(model, optimizer, scheduler=schedule, accumulate=3, clip_norm=0.5, parallel=parallel,
                   checkpoint=folder, **settings)  # fmt: skip
    x, y = make_batches([20 if rank() == 0 else 13], seed=rank())[0]
    torch.manual_seed(5 + rank())
    return model, loop, DataLoader(TensorDataset(x, y), batch_size=3, shuffle=True)


def run_on(model: nn.Module, loop: sf.Loop, loader: Any, *, until: int | None = None) -> None:
    """Up to `until` batches, then a checkpoint."""
    for num, (x, y) in enumerate(loop.batches(loader, epochs=3), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if num == until:
            loop.save()
            return


@silently
def resume(folder: str, parallel: str, until: Sequence[int], precision: str) -> dict[str, Any]:
    """The weights of an undisturbed run, and of one that is resumed after each of `until` batches."""
    model, loop, loader = make_loop(None, parallel, precision=precision)
    run_on(model, loop, loader)
    ended = []
    for num in until:
        inside = f"{folder}/{num}"
        run_on(*make_loop(inside, parallel, precision=precision), until=num)
        again, resumed, loader = make_loop(inside, parallel, precision=precision)
        torch.rand(7)  # another process has other random numbers
        assert resumed.resume()
        run_on(again, resumed, loader)
        ended.append((values(again), resumed.history["loss"]))
    return {"undisturbed": (values(model), loop.history["loss"]), "resumed": ended}


@silently
def train(
    parallel: str, batches: Sequence[Sequence[Batch]], accumulate: int, *, epochs: int = 1, lr: float = 0.1,
    known: bool = True, seed: int = 0, **settings: Any,
) -> dict[str, Any]:  # fmt: skip
    """The tests' usual model; rank r has `batches[r]`. Only rank 0's weights at the start count."""
    mine = batches[rank()]
    model = make_model(dtype=mine[0][0].dtype)
    if rank() != 0:
        with torch.no_grad():
            for p in model.parameters():
                p.add_(1.0)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=lr), accumulate=accumulate, parallel=parallel,
                   **settings)  # fmt: skip
    for x, y in loop.batches(mine if known else lambda: iter(mine), epochs):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
    return {
        "weights": values(model),
        "updates": loop.num_updates,
        "skipped": loop.num_skipped,
        "losses": loop.history["loss"] if loop.num_updates else [],
        "norms": loop.history["grad_norm"] if loop.num_updates else [],
        "stopped": loop.stopped,
    }


@silently
def weighted(
    parallel: str, sizes: Sequence[Sequence[int]], weights: Sequence[Sequence[float]], accumulate: int,
    clip_norm: float | None, known: bool,
) -> tuple[list[list[float]], int, int]:  # fmt: skip
    """Micro-batches of any sizes that count as much as they are told to."""
    mine = list(zip(make_batches(sizes[rank()], dtype=torch.float64, seed=rank()), weights[rank()], strict=True))
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.5), accumulate=accumulate, clip_norm=clip_norm,
                   parallel=parallel, watch=False)  # fmt: skip
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the window of update .* was left out")
        with pytest.raises(NothingUpdatedError) if not any(map(any, weights)) else nullcontext():
            for (x, y), weight in loop.batches(mine if known else lambda: iter(mine)):
                with loop.step(weight=weight) as step:
                    step.backward(F.cross_entropy(model(x), y))
    return values(model), loop.num_updates, loop.num_skipped


def nothing_valid(parallel: str) -> tuple[list[list[float]], int]:
    """One rank's only micro-batch of a window has ignored targets only: its loss is NaN, and counts nothing."""
    (x, y), *rest = make_batches([4, 4], dtype=torch.float64, seed=rank())
    first = torch.full_like(y, -100) if rank() == 1 else y
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, watch=False)
    loop.fit([(x, first), *rest], F.cross_entropy, epochs=1)
    return values(model), loop.num_updates


@silently
def limited(parallel: str, **limits: Any) -> list[list[float]]:
    """Two parameter groups, one with a limit of its own."""
    model = make_model(dtype=torch.float64)
    groups = [{"params": list(model[0].parameters())}, {"params": list(model[3].parameters()), "clip_norm": 0.01}]
    loop = sf.Loop(model, torch.optim.SGD(groups, lr=0.5), parallel=parallel, **limits)
    loop.fit(make_batches([4, 4], dtype=torch.float64, seed=rank()), F.cross_entropy, epochs=1)
    return values(model)


class Branching(nn.Module):
    """A branch that one rank never takes, and one that none takes."""

    def __init__(self) -> None:
        super().__init__()
        self.always, self.sometimes, self.never = (nn.Linear(4, 3, dtype=torch.float64) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return self.always(x) + (self.sometimes(x) if rank() == 0 else 0.0)


def branches() -> tuple[list[list[float]], list[bool]]:
    torch.manual_seed(2)
    model = Branching()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    loop = sf.Loop(model, optimizer, parallel="ddp", watch=False)
    loop.fit(make_batches([4, 4], dtype=torch.float64, seed=rank()), F.cross_entropy, epochs=1)
    return values(model), [p in optimizer.state for p in model.parameters()]


@silently
def own_files(folder: str, parallel: str) -> tuple[str, bool, str]:
    model, loop, loader = make_loop(None, parallel)
    run_on(model, loop, loader)
    path = loop.save(f"{folder}/end.pt")
    other, again, _ = make_loop(None, parallel)
    again.resume(f"{folder}/end.pt")
    narrow = nn.Linear(4, 5)
    theirs = sf.Loop(narrow, torch.optim.AdamW(narrow.parameters()), parallel=parallel)
    try:
        theirs.resume(f"{folder}/end.pt")
        error = ""
    except ValueError as raised:
        error = str(raised)
    assert path is not None
    return path.name, values(other) == values(model), error
