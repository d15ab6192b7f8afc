"""What each rank does in the tests of what they must agree on."""

import warnings
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.plan import LoopWarning
from surefoot.loop.update import NonFiniteError
from tests.loop.parallel.cases import rank, silently, values
from tests.loop.training import make_batches, make_model


def refused(parallel: str, bad_rank: int, *, on_nonfinite: str, in_loss: bool) -> dict[str, Any]:
    """One rank's second batch has a loss, or only a gradient, that is not finite."""
    batches = make_batches([4, 4, 4], seed=rank())
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, on_nonfinite=on_nonfinite,
                   watch=False)  # fmt: skip
    error, before = "", values(model)
    warnings.simplefilter("ignore", LoopWarning)  # that a window was left out
    try:
        for num, (x, y) in enumerate(loop.batches(batches)):
            with loop.step() as step:
                outputs = model(x)
                if num == 1:
                    before = values(model)
                    if rank() == bad_rank:
                        outputs = _spoil(outputs, in_loss)
                step.backward(F.cross_entropy(outputs, y))
            if num == 1:
                assert values(model) == before
    except NonFiniteError as raised:
        error = str(raised)
    return {"error": error, "weights": values(model), "updates": loop.num_updates, "skipped": loop.num_skipped}


def _spoil(outputs: Tensor, in_loss: bool) -> Tensor:
    if in_loss:
        return outputs + float("nan")
    outputs.register_hook(lambda grad: grad * float("inf"))
    return outputs


@silently
def stopped(parallel: str) -> list[tuple[str | None, int]]:
    """Conditions that only one rank meets by itself: on its clock, or by a value that the program shows."""
    found = []
    for on_clock in (True, False):
        model = make_model()
        stop = sf.stop.after(seconds=100.0) if on_clock else sf.stop.below("mine", 0.5)
        loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, stop=stop)
        for num, (x, y) in enumerate(loop.batches(make_batches([4] * 6, seed=rank()))):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
            if num == 2 and on_clock and rank() == 1:
                loop.seconds += 1000.0
            if num == 3 and not on_clock:
                loop.see({"mine": float(rank())})
        found.append((loop.stopped, loop.num_updates))
    return found


class BatchSize:
    """The mean size of a batch: on the ranks together it is not the mean of what each has."""

    def reset(self) -> None:
        self.sizes: list[int] = []

    def update(self, outputs: Tensor, targets: Tensor) -> None:
        self.sizes.append(len(targets))

    def compute(self) -> float:
        return sum(self.sizes) / len(self.sizes)


class Merging(BatchSize):
    def merge(self, other: BatchSize) -> None:
        self.sizes += other.sizes


class MergingStates(BatchSize):
    """As those of torcheval."""

    def merge_state(self, others: list[BatchSize]) -> BatchSize:
        for other in others:
            self.sizes += other.sizes
        return self


class Adding(BatchSize):
    def __add__(self, other: BatchSize) -> BatchSize:
        both = Adding()
        both.sizes = self.sizes + other.sizes
        return both


class Syncing(BatchSize):
    """As those of torchmetrics: `compute` asks the other ranks."""

    sync_on_compute = True

    def compute(self) -> float:
        everywhere: list[list[int]] = [[]] * dist.get_world_size()
        dist.all_gather_object(everywhere, self.sizes)
        sizes = [size for own in everywhere for size in own]
        return sum(sizes) / len(sizes)


def refused_metric(parallel: str) -> str:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, watch=False)
    try:
        loop.evaluate(make_batches([4]), F.cross_entropy, metrics={"size": BatchSize()})
    except TypeError as error:
        return str(error)
    return ""


@silently
def evaluated(parallel: str) -> dict[str, Any]:
    """Ranks with different numbers of batches of different sizes, and a metric of each kind."""
    model = make_model(dtype=torch.float64)
    model.register_buffer("scale", torch.tensor(float(rank())))
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel)
    mine = make_batches([[7, 3, 5], [2]][rank()], dtype=torch.float64, seed=rank())
    metrics: dict[str, Any] = {kind.__name__: kind() for kind in (Merging, MergingStates, Adding, Syncing)}
    metrics["accuracy"] = lambda outputs, targets: (outputs.argmax(1) == targets).double().mean()
    found = loop.evaluate(mine, F.cross_entropy, metrics=metrics)
    return {**found, "scale": float(model.get_buffer("scale")), "kinds": [type(p).__name__ for p in model.parameters()]}


def same_data(parallel: str) -> list[str]:
    """The warnings where all ranks draw the same; only once, and only by one rank."""
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, watch=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loop.fit(make_batches([4, 4]), F.cross_entropy, epochs=2)
        loop.fit(make_batches([4, 4]), F.cross_entropy, epochs=1)
    return [str(one.message) for one in caught]


@silently
def two_optimizers() -> dict[str, Any]:
    """Each backward reaches the parameters of one optimizer, though the loss reaches both."""
    torch.manual_seed(3)
    models = {"d": nn.Linear(4, 3).double(), "g": nn.Linear(4, 4).double()}
    optimizers = {name: torch.optim.SGD(model.parameters(), lr=0.1) for name, model in models.items()}
    loop = sf.Loop(models, optimizers, parallel="ddp", accumulate={"d": 2})
    for x, y in loop.batches(make_batches([[4, 2], [3, 5]][rank()], dtype=torch.float64, seed=rank())):
        with loop.step("d") as step:
            step.backward(F.cross_entropy(models["d"](models["g"](x)), y))
        with loop.step("g") as step:
            step.backward(F.cross_entropy(models["d"](models["g"](x)), y))
    return {name: values(model) for name, model in models.items()}


def whole_life(meeting: str) -> list[bool]:
    """Whether a process group runs: before, with two loops, without the first, without both, with another one.

    The other one meets in a file: at the address of the first, a quick rank may find the group that a slow one is about
    to leave, and wait there.
    """
    made = []
    running = [torch.distributed.is_initialized()]
    for _ in range(2):
        model = make_model()
        made.append(sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel="ddp", watch=False))
    running.append(torch.distributed.is_initialized())
    for loop in made:
        loop.close()
        loop.close()
        running.append(torch.distributed.is_initialized())
    store = torch.distributed.FileStore(meeting, 2)
    torch.distributed.init_process_group("gloo", store=store, rank=rank(), world_size=2)
    with sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel="ddp", watch=False):
        pass
    running.append(torch.distributed.is_initialized())
    torch.distributed.destroy_process_group()
    return running


def no_batch_at_all(parallel: str) -> str:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), parallel=parallel, watch=False)
    try:
        loop.fit(make_batches([4] * rank()), F.cross_entropy, epochs=1)
    except ValueError as error:
        return str(error)
    return ""


def without_parallel() -> list[str]:
    """What a loop says that is one of several ranks and was not told."""
    said = []
    model = make_model()
    wrapped = nn.parallel.DistributedDataParallel(model)
    ways: list[Any] = [None, "ddp"]
    for parallel in ways:
        try:
            sf.Loop(wrapped, torch.optim.SGD(model.parameters()), parallel=parallel, watch=False, log=None)
        except ValueError as error:
            said.append(str(error))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sf.Loop(model, torch.optim.SGD(model.parameters()), watch=False, log=None)
    return said + [str(one.message) for one in caught]
