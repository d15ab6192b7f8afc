"""One rank fails, at the places where the others wait for it."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import Timer
from typing import Any
from unittest.mock import patch

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.parallel import failure, start
from tests.loop.parallel.cases import rank, size
from tests.loop.parallel.processes import environment
from tests.loop.training import Batch, make_batches, make_model

FAILING = 1
Case = Callable[[nn.Module, sf.Loop], None]


def batches() -> list[Batch]:
    return make_batches([4] * 4, seed=rank())


def train(model: nn.Module, loop: sf.Loop, loader: Any, loss_of: Callable[[Tensor, Tensor, int], Tensor]) -> None:
    for num, (x, y) in enumerate(loop.batches(loader)):
        with loop.step() as step:
            step.backward(loss_of(model(x), y, num))


def _root(outputs: Tensor, targets: Tensor, num: int) -> Tensor:
    loss = F.cross_entropy(outputs, targets)
    return loss.sqrt() if num == 2 and rank() == FAILING else loss


def _raising(outputs: Tensor, targets: Tensor, num: int) -> Tensor:
    if num == 1 and rank() == FAILING:
        raise KeyError("no such label")
    return F.cross_entropy(outputs, targets)


def _plain(outputs: Tensor, targets: Tensor, num: int) -> Tensor:
    return F.cross_entropy(outputs, targets)


def _ending_early() -> Iterator[Batch]:
    for num, batch in enumerate(batches()):
        if num == 2 and rank() == FAILING:
            raise OSError("the file of sample 8 is damaged")
        yield batch


def _evaluated(outputs: Tensor, targets: Tensor) -> Tensor:
    if rank() == FAILING:
        raise IndexError("a target beyond the classes")
    return F.cross_entropy(outputs, targets)


def _before_update(model: nn.Module, loop: sf.Loop) -> None:
    def edit(loop: sf.Loop) -> None:
        if loop.num_updates == 0 and rank() == FAILING:
            raise ArithmeticError("an edit that went wrong")

    loop._before_update[""] = edit
    train(model, loop, batches(), _plain)


CASES: dict[str, Case] = {
    "a loss that is refused": lambda model, loop: train(model, loop, batches(), _root),
    "an exception in a step": lambda model, loop: train(model, loop, batches(), _raising),
    "an exception in the loader": lambda model, loop: train(model, loop, _ending_early, _plain),
    "an exception in evaluate": lambda model, loop: print(loop.evaluate(batches(), _evaluated)),
    "an exception in before_update": _before_update,
}


def _on_one(model: nn.Module, loop: sf.Loop, call: Callable[[], object]) -> None:
    for x, y in loop.batches(batches()):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        if loop.updated and rank() == 0:
            call()


ON_ONE: dict[str, Case] = {
    "save()": lambda model, loop: _on_one(model, loop, lambda: loop.save("end.pt")),
    "resume()": lambda model, loop: _on_one(model, loop, lambda: loop.resume("end.pt")),
    "evaluate()": lambda model, loop: _on_one(model, loop, lambda: loop.evaluate(batches(), F.cross_entropy)),
}


def apart(meeting: Path, name: str, parallel: str) -> str:
    """Rank 0 calls what the others do not."""
    with patch.dict(CASES, ON_ONE):
        return failed(meeting, name, parallel)[1]


def different(meeting: Path, what: str) -> str:
    """Rank 1 has another model, optimizer or setting."""
    dist.init_process_group("gloo", store=dist.FileStore(str(meeting), size()), rank=rank(), world_size=size())
    is_other = rank() == 1
    model = nn.Linear(4, 2 if what == "model" and is_other else 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2 if what == "rate" and is_other else 0.1)
    accumulate = 4 if what == "accumulate" and is_other else 2
    try:
        sf.Loop(model, optimizer, accumulate=accumulate, parallel="ddp", watch=False, log=None).close()
    except ValueError as error:
        return str(error)
    finally:
        dist.destroy_process_group()
    return ""


def failed(meeting: Path, name: str, parallel: str) -> tuple[str, str, bool]:
    """Which error this rank has, what it says, and whether the group is still there."""
    with patch.object(failure, "SECONDS", 1.0):
        return _failed(meeting, name, parallel)


def failed_and_ended(meeting: Path, name: str) -> tuple[str, str, bool]:
    """A sharded model holds the group: its connections end with the process."""
    found = failed(meeting, name, "fsdp")
    if rank() == FAILING:
        Timer(0.5, os._exit, [1]).start()
    return found


def _failed(meeting: Path, name: str, parallel: str) -> tuple[str, str, bool]:
    dist.init_process_group("gloo", store=dist.FileStore(str(meeting), size()), rank=rank(), world_size=size())
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, accumulate=2, watch=False,
                   log=None)  # fmt: skip
    found = "", "", True
    try:
        CASES[name](model, loop)
    except Exception as error:
        found = type(error).__name__, str(error), dist.is_initialized()
    loop.close()
    if dist.is_initialized():
        dist.destroy_process_group()
    return found


def failed_alike(meeting: Path) -> tuple[str, bool, int]:
    """All refuse the same: they may catch it and go on together."""
    dist.init_process_group("gloo", store=dist.FileStore(str(meeting), size()), rank=rank(), world_size=size())
    model = make_model()
    said = ""
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel="ddp", watch=False, log=None) as loop:
        try:
            with loop.step() as step:
                step.backward(F.cross_entropy(model(batches()[0][0]), batches()[0][1]).sqrt())
        except ValueError as error:
            said = str(error)
        is_there = dist.is_initialized()
        train(model, loop, batches(), _plain)
        num_updates = loop.num_updates
    dist.destroy_process_group()
    return said, is_there, num_updates


def connected_at_second_attempt(port: int) -> tuple[float, int]:
    """The connection of rank 0 gets lost: both try again, and afterwards have the usual time limit."""
    tries: list[int] = []
    init = dist.init_process_group

    def connect(*args: Any, **kwargs: Any) -> None:
        tries.append(1)
        if rank() == 0 and len(tries) == 1:
            raise RuntimeError("timed out connecting")
        init(*args, **kwargs)

    os.environ.update(environment(rank(), size(), port))
    with patch.object(dist, "init_process_group", connect), patch.object(start, "CONNECTING", timedelta(seconds=2)):
        start.start("gloo")
    summed = torch.ones(1)
    dist.all_reduce(summed)
    limit = dist.group.WORLD._get_backend(torch.device("cpu")).options._timeout  # type: ignore[union-attr]
    dist.destroy_process_group()
    return summed.item() + limit.total_seconds(), len(tries)


def never_connected(port: int) -> str:
    os.environ.update(environment(rank(), size(), port))
    lost = patch.object(dist, "init_process_group", side_effect=RuntimeError("timed out connecting"))
    with lost, pytest.raises(RuntimeError, match="did not connect") as raised:
        start.start("gloo")
    return str(raised.value)


def one_loop_after_the_other(port: int) -> list[int]:
    """As under torchrun, whose store outlives the groups."""
    os.environ.update(environment(rank(), size(), port))
    store = dist.TCPStore("127.0.0.1", port, size(), is_master=rank() == 0)
    found = []
    with patch.object(start, "rendezvous", lambda url: iter([(store, rank(), size())])):
        for _ in range(3):
            model = nn.Linear(4, 3)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            with sf.Loop(model, optimizer, parallel="ddp", watch=False, log=None) as loop:
                train(model, loop, batches(), _plain)
                found.append(loop._ranks.size)
    return found
