"""What each rank does in the tests of losses and of what is refused over ranks."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from tests.loop.parallel.cases import silently
from tests.loop.training import Batch, make_batches, make_model

SIZES = [[7, 3], [2, 4]]
Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


def full_parts() -> list[list[Batch]]:
    """By rank."""
    return [make_batches(sizes, dtype=torch.float64, seed=i) for i, sizes in enumerate(SIZES)]


def parts() -> list[list[Batch]]:
    """The same, but nothing counts in the second micro-batch of rank 1."""
    made = full_parts()
    made[1][1] = (made[1][1][0], torch.ones_like(made[1][1][1]))
    return made


def masked(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    keep = (y != 1).double()
    return (F.cross_entropy(model(x), y, reduction="none") * keep).sum() / keep.sum()


def penalised(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    each = F.cross_entropy(model(x), y, reduction="none")
    return each.mean() + 1e-2 * model[0].bias.pow(2).sum()


def of_two_counts(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    outputs = model(x)
    return F.cross_entropy(outputs, y) + outputs.pow(2).mean()


LOSSES: dict[str, Loss] = {"masked": masked, "penalised": penalised, "of two counts": of_two_counts}


def whole(p: Tensor) -> list[float]:
    full = p.full_tensor() if hasattr(p, "full_tensor") else p  # type: ignore[operator]
    return list(full.detach().flatten().tolist())


@silently
def trained(parallel: str, name: str) -> list[list[float]]:
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.5), accumulate=2, parallel=parallel, log=None)
    for x, y in loop.batches(parts()[dist.get_rank()]):
        with loop.step() as step:
            step.backward(LOSSES[name](model, x, y))
    return [whole(p) for p in model.parameters()]


@silently
def trained_by_two_backwards(parallel: str) -> tuple[list[list[float]], float]:
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.5), accumulate=2, parallel=parallel, log=None)
    for x, y in loop.batches(full_parts()[dist.get_rank()]):
        with loop.step() as step:
            outputs = model(x)
            step.backward(F.cross_entropy(outputs, y, ignore_index=1), retain_graph=True)
            step.backward(outputs.pow(2).mean())
    return [whole(p) for p in model.parameters()], loop.history[0]["loss"]


def times_the_items(parallel: str) -> str:
    """A sum on each rank: micro-batches of 7 and 5 items do not add up to the mean over 12."""
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.5), parallel=parallel, log=None, watch=False)
    x = torch.ones([7, 5][dist.get_rank()], 4, dtype=torch.float64)
    try:
        with loop.step() as step:
            step.backward(model(x).logsumexp(1).mean() * len(x))
    except ValueError as error:
        return str(error)
    return ""


def different_ratio(parallel: str) -> str:
    """One rank ignores targets, the other has none to ignore: each window by itself is fine."""
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.5), parallel=parallel, log=None, watch=False)
    x = torch.ones(4, 4, dtype=torch.float64)
    y = torch.tensor([[0, 0, 1, 1], [0, 0, 0, 0]][dist.get_rank()])
    try:
        with loop.step() as step:
            outputs = model(x)
            step.backward(F.cross_entropy(outputs, y, ignore_index=1) + outputs.logsumexp(1).mean())
    except ValueError as error:
        return str(error)
    return ""


@silently
def trained_with_a_group_added(parallel: str) -> list[list[float]]:
    model = make_model(dtype=torch.float64)
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD(model[3].parameters(), lr=0.5)
    loop = sf.Loop(model, optimizer, parallel=parallel, log=None)
    for i, (x, y) in enumerate(loop.batches(make_batches([4, 4], dtype=torch.float64, seed=dist.get_rank()))):
        if i == 1:
            model[0].requires_grad_(True)
            optimizer.add_param_group({"params": list(model[0].parameters())})
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
    return [whole(p) for p in model.parameters()]


def said_by(make: Callable[[], Any]) -> str:
    try:
        make()
    except (ValueError, FileNotFoundError) as error:
        return str(error)
    return ""


def refused(folder: Path) -> dict[str, str]:
    """A folder that only one rank reaches; a model that is sharded already; a file that one rank does not have."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    def make_loop(model: nn.Module, **settings: Any) -> sf.Loop:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        return sf.Loop(model, optimizer, log=None, watch=False, **settings)

    whole_loop = make_loop(make_model(), parallel="ddp")
    mine = folder / f"disk-{dist.get_rank()}"
    mesh = init_device_mesh("cpu", (2,))
    sharded = make_model()
    fully_shard(sharded, mesh=mesh)
    own = make_loop(sharded)
    whole_loop.save(folder / "a.pt")
    if dist.get_rank() == 1:
        (folder / "a.rank-1-of-2.pt").unlink()
    dist.barrier()
    with contextlib.closing(whole_loop):
        return {
            "disk": said_by(lambda: make_loop(make_model(), parallel="ddp", checkpoint=mine)),
            "sharded, checkpoint": said_by(lambda: make_loop(sharded, checkpoint=folder)),
            "sharded, save": said_by(lambda: own.save(folder / "b.pt")),
            "sharded, resume": said_by(lambda: own.resume(folder / "b.pt")),
            "sharded, parallel": said_by(lambda: make_loop(sharded, parallel="fsdp")),
            "missing": said_by(lambda: whole_loop.resume(folder / "a.pt")),
        }
