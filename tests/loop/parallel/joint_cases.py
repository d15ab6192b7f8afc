"""What each rank does where optimizers step together, or evaluate the loss themselves."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from surefoot.loop import passes
from surefoot.loop.checkpoint.name import list_names
from tests.loop.parallel.cases import rank, silently, values
from tests.loop.training import make_batches, make_model


def optimizers_of(model: nn.Module) -> list[torch.optim.Optimizer]:
    first, second = model[0].parameters(), model[3].parameters()  # type: ignore[index]
    return [torch.optim.AdamW(first, lr=0.01), torch.optim.SGD(second, lr=0.1, momentum=0.9)]


def make_loop(folder: str | None, way: str) -> tuple[nn.Module, sf.Loop]:
    model = make_model(dtype=torch.float64)
    optimizers = optimizers_of(model)
    return model, sf.Loop(model, optimizers, accumulate=2, clip_norm=0.5, parallel=way, checkpoint=folder)  # type: ignore[arg-type]


def run_on(model: nn.Module, loop: sf.Loop, until: int | None = None) -> None:
    sizes = [4, 2, 3] if rank() == 0 else [1, 5, 2]
    for num, (x, y) in enumerate(loop.batches(make_batches(sizes, dtype=torch.float64, seed=rank()), epochs=2), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if num == until:
            loop.save()
            return


@silently
def joint(folder: str, way: str) -> dict[str, Any]:
    """Two optimizers on one backward: an undisturbed run, and one resumed inside a window."""
    model, loop = make_loop(None, way)
    run_on(model, loop)
    run_on(*make_loop(folder, way), until=4)
    again, resumed = make_loop(folder, way)
    assert resumed.resume()
    run_on(again, resumed)
    return {"weights": values(model), "resumed": values(again), "norms": loop.history["grad_norm"]}


@silently
def by_closure() -> list[list[float]]:
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=3), parallel="ddp")
    loop.fit(make_batches([3, 5] if rank() else [4, 2], dtype=torch.float64, seed=rank()), F.cross_entropy, epochs=2)
    return values(model)


def saved_by_the_clock(folder: str) -> list[str]:
    """Ranks whose clocks differ: those of rank 0 pass a second a batch, of the others none."""
    clock = iter(float(second * (rank() == 0)) for second in range(1000))
    before, passes.perf_counter = passes.perf_counter, lambda: next(clock)
    try:
        model = make_model()
        loop = sf.Loop(
            model, torch.optim.SGD(model.parameters(), lr=0.1), parallel="ddp", checkpoint=folder, keep=9,
            checkpoint_every=sf.every(seconds=2), watch=False,
        )  # fmt: skip
        loop.fit(make_batches([2] * 6, seed=rank()), F.cross_entropy, epochs=1)
    finally:
        passes.perf_counter = before
    assert loop._folder is not None
    return sorted(str(name.update) for name in list_names(loop._folder.path) if loop._folder._is_own(name))
