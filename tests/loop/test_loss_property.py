"""Random losses, masks and windows: the loop gives the gradient of one large batch, or refuses."""

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.weight import UnknownWeightError
from tests.loop.training import make_model, weights

Batch = tuple[Tensor, Tensor, Tensor]  # inputs, targets, weights of the items
Reduce = Callable[[Tensor, Tensor], Tensor]  # of the items' losses and weights
Loss = Callable[[nn.Module, Batch], Tensor]

ITEMS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "cross-entropy": lambda o, y: F.cross_entropy(o, y, reduction="none"),
    "smoothed": lambda o, y: F.cross_entropy(o, y, reduction="none", label_smoothing=0.2),
    "squares": lambda o, y: (o - F.one_hot(y, 3)).pow(2).sum(1),
    "roots": lambda o, y: (o - F.one_hot(y, 3)).pow(2).sum(1).add(1e-3).sqrt(),
    "gathered": lambda o, y: -o.log_softmax(1).gather(1, y[:, None])[:, 0],
}
REDUCED: dict[str, Reduce] = {
    "mean": lambda each, w: each.mean(),
    "sum / number": lambda each, w: each.sum() / len(each),
    "weighted, by sum": lambda each, w: (each * w).sum() / w.sum(),
    "weighted, by mean": lambda each, w: (w * each).mean() / w.mean(),
    "weighted, over all": lambda each, w: (each * w).mean(),
    "kept, at least one": lambda each, w: (each * (w > 0)).sum() / (w > 0).sum().clamp(min=1),
    "kept, by index": lambda each, w: each[w > 0].mean(),
    "kept, by where": lambda each, w: torch.where(w > 0, each, 0.0).sum() / (w > 0).sum(),
}
WRAPPED: dict[str, Callable[[Tensor, nn.Module], Tensor]] = {
    "as it is": lambda loss, m: loss,
    "scaled": lambda loss, m: 0.3 * loss - 1.0,
    "penalised": lambda loss, m: loss + 0.1 * m[0].weight.pow(2).sum(),
    "with a learned factor": lambda loss, m: loss * m[3].bias[0].exp() + m[3].bias[0],
    "negated twice": lambda loss, m: loss.neg().neg(),
}
BENT: dict[str, Callable[[Tensor], Tensor]] = {
    "root": lambda loss: loss.abs().sqrt(),
    "exponential": torch.exp,
    "square": lambda loss: loss * loss,
    "clamped": lambda loss: loss.clamp(max=0.5),
}
CHEAP = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def windows(draw: st.DrawFn) -> list[Batch]:
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    made = []
    for size in draw(st.lists(st.integers(1, 6), min_size=2, max_size=4)):
        x = torch.randn(size, 4, generator=generator, dtype=torch.float64)
        counts = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.5]), min_size=size, max_size=size))
        made.append((x, x[:, :3].argmax(1), torch.tensor(counts, dtype=torch.float64)))
    made[0][2][0] = 1.0  # something counts
    return made


def train(loss: Loss, batches: list[Batch]) -> nn.Module:
    model = make_model(dtype=torch.float64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loop = sf.Loop(model, optimizer, accumulate=len(batches), progress=False, watch=False, log=None)
    for batch in loop.batches(batches):
        with loop.step() as step:
            step.backward(loss(model, batch))
    return model


def of_one_batch(loss: Loss, batches: list[Batch]) -> nn.Module:
    model = make_model(dtype=torch.float64)
    x, y, w = (torch.cat([batch[i] for batch in batches]) for i in range(3))
    loss(model, (x, y, w)).backward()
    torch.optim.SGD(model.parameters(), lr=0.5).step()
    return model


@CHEAP
@given(
    windows(), st.sampled_from(sorted(ITEMS)), st.sampled_from(sorted(REDUCED)), st.sampled_from(sorted(WRAPPED))
)  # fmt: skip
def test_losses_that_are_linear_in_means(batches: list[Batch], items: str, reduced: str, wrapped: str) -> None:
    def loss(model: nn.Module, batch: Batch) -> Tensor:
        each = ITEMS[items](model(batch[0]), batch[1])
        return WRAPPED[wrapped](REDUCED[reduced](each, batch[2]), model)

    try:
        model = train(loss, batches)
    except UnknownWeightError as error:
        # A window may have two readings, as where a divisor of one is a row and a mask: it says so, and trains nothing.
        assert "same window" in str(error)
        return
    torch.testing.assert_close(weights(model), weights(of_one_batch(loss, batches)), rtol=1e-9, atol=1e-11)


@settings(CHEAP, max_examples=20)
@given(windows(), st.sampled_from(sorted(REDUCED)), st.sampled_from(sorted(BENT)))
def test_losses_that_are_not_linear_in_means_are_refused(batches: list[Batch], reduced: str, bent: str) -> None:
    def loss(model: nn.Module, batch: Batch) -> Tensor:
        return BENT[bent](REDUCED[reduced](ITEMS["cross-entropy"](model(batch[0]), batch[1]), batch[2]))

    try:
        train(loss, batches)
    except UnknownWeightError:
        return
    raise AssertionError("it was not refused")
