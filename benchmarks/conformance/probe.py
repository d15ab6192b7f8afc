"""The probe: programs so small that the right answer is known to the digit.

The loss is the mean over samples of <w, x>, and micro-batch i holds unit vectors e_i. With SGD at rate 1, coordinate i
of an update is then exactly the weight that micro-batch i got in it.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

RAGGED = (7, 5, 3, 1)
TAIL = (4,) * 10
OVERFLOW = 1e37  # finite, and infinite once multiplied by any loss scale above 34
FIRST, LAST = "the first layer", "the last layer"
THRESHOLD = 0.49  # the loss 1 - 0.02 k passes it in the 27th batch, the 7th of the second epoch
BATCHES_PER_EPOCH = 20


class Dot(nn.Module):
    """<w, x> for each sample, elementwise: autocast leaves it in single precision."""

    def __init__(self, size: int, value: float = 0.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((size,), value))

    def forward(self, x: Tensor) -> Tensor:
        return (x * self.weight).sum(-1)


class RecordedSGD(torch.optim.SGD):
    """SGD that keeps every update it applied."""

    def __init__(self, params: object, lr: float = 1.0) -> None:
        self.updates: list[list[float]] = []
        super().__init__(params, lr)  # type: ignore[arg-type]

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        weight = self.param_groups[0]["params"][0]
        before = weight.detach().clone()
        loss = super().step(closure)
        self.updates.append((before - weight.detach()).tolist())
        return loss


class Forgetful(nn.Module):
    """Two layers, of which programs give the optimizer only one: `kept`."""

    def __init__(self, forgets: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.forgotten, self.kept = nn.Linear(4, 4), nn.Linear(4, 4)
        self.is_first = forgets == FIRST

    def forward(self, x: Tensor) -> Tensor:
        return self.kept(self.forgotten(x)) if self.is_first else self.forgotten(self.kept(x))


def one_hot_batches(sizes: Sequence[int]) -> list[Tensor]:
    return [torch.eye(len(sizes))[number].repeat(size, 1) for number, size in enumerate(sizes)]


def loader(batches: Sequence[object]) -> torch.utils.data.DataLoader:
    """Batches that are ready-made, in their order."""
    return torch.utils.data.DataLoader(batches, batch_size=None, shuffle=False)  # type: ignore[arg-type]


def rank_batches() -> list[Tensor]:
    """Of this rank, two of four ragged micro-batches: 7 and 3 samples on the first rank, 5 and 1 on the second."""
    return one_hot_batches(RAGGED)[int(os.environ["RANK"]) :: 2]


def batches_with_nan() -> list[Tensor]:
    torch.manual_seed(0)
    batches = list(torch.randn(10, 4, 3))
    batches[3].fill_(float("nan"))
    return batches


def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 1)


def overflowing_first(num_bad: int = 3, num_good: int = 2) -> list[Tensor]:
    return [torch.full((1, 1), OVERFLOW)] * num_bad + [torch.ones(1, 1)] * num_good


def scaler() -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=10**9)


def is_finite(parameters: object) -> bool:
    return all(bool(torch.isfinite(p).all()) for p in parameters)  # type: ignore[attr-defined]


def forget(run: Callable[[Forgetful], object]) -> dict[str, dict[str, str]]:
    """Train a model without its first layer, and one without its last, and hear what is said of it."""
    return {way: hear(partial(run, Forgetful(way))) for way in (FIRST, LAST)}


def forgotten_batches() -> list[Tensor]:
    return list(torch.randn(20, 4, 4, generator=torch.Generator().manual_seed(0)))


def hear(run: Callable[[], object]) -> dict[str, str]:
    """Run it; what it raised, and all it wrote to the terminal: prints, warnings, log lines."""
    with _terminal() as written:
        raised = ""
        try:
            run()
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
    return {"raised": raised, "said": written[0]}


@contextmanager
def _terminal() -> Iterator[list[str]]:
    """Catch what goes to the two descriptors: handlers of logging hold on to streams made earlier."""
    written: list[str] = []
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    with tempfile.TemporaryFile() as file:
        _flush()
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        try:
            yield written
        finally:
            _flush()
            for descriptor, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, descriptor)
                os.close(copy)
            file.seek(0)
            written.append(file.read().decode(errors="replace"))


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
