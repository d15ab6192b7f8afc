"""Evaluation is exact for batches of any make, and for metrics of any kind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.weight import UnknownWeightError
from tests.loop.training import make_batches, make_model

pytestmark = pytest.mark.usefixtures("silent_sanitizer")
BATCHES = make_batches([7, 5, 3, 1], dtype=torch.float64)
ALL_X, ALL_Y = (torch.cat([batch[i] for batch in BATCHES]) for i in (0, 1))


@dataclass
class Sample:
    scale: Tensor  # not of the batch's length
    x: Tensor
    y: Tensor


MAKES: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "dict": lambda x, y: {"scale": torch.ones(2), "x": x, "y": y},
    "dataclass": lambda x, y: Sample(torch.ones(2), x, y),
    "tuple of three": lambda x, y: (torch.ones(2), x, y),
}


def parts_of(batch: Any) -> tuple[Tensor, Tensor]:
    if isinstance(batch, tuple):
        return batch[1], batch[2]
    return (batch["x"], batch["y"]) if isinstance(batch, dict) else (batch.x, batch.y)


def loss_fn(model: nn.Module, batch: Any) -> Tensor:
    x, y = parts_of(batch)
    return F.cross_entropy(model(x), y, ignore_index=1)


def accuracy(outputs: Tensor, batch: Any) -> Tensor:
    return (outputs.argmax(1) == parts_of(batch)[1]).double().mean()


def make_loop(model: nn.Module) -> sf.Loop:
    return sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), accumulate=4, progress=False, log=None)


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_batches_of_any_make(make: Callable[[Tensor, Tensor], Any]) -> None:
    model = make_model(dtype=torch.float64)
    loop = make_loop(model)
    batches = [make(x, y) for x, y in BATCHES]
    found = loop.evaluate(batches, loss_fn, metrics={"accuracy": accuracy})
    outputs = model(ALL_X).detach()
    assert found["loss"] == pytest.approx(F.cross_entropy(outputs, ALL_Y, ignore_index=1).item(), rel=1e-12)
    assert found["accuracy"] == pytest.approx((outputs.argmax(1) == ALL_Y).double().mean().item(), rel=1e-12)
    loop.fit(batches, loss_fn, epochs=1, validate=batches)
    expected = F.cross_entropy(model(ALL_X), ALL_Y, ignore_index=1).item()
    assert loop.history["val/loss"] == pytest.approx([expected], rel=1e-12)


class WithLoss(nn.Module):
    """Returns its loss, as the models of transformers do; and draws random numbers in eval mode too."""

    def __init__(self) -> None:
        super().__init__()
        self.net = make_model(dtype=torch.float64)

    def forward(self, x: Tensor, y: Tensor) -> dict[str, Tensor]:
        outputs = self.net(x) + 0.1 * torch.randn(len(x), 3, dtype=torch.float64)
        return {"loss": F.cross_entropy(outputs, y, ignore_index=1), "outputs": outputs}


def test_a_loss_that_the_model_computes() -> None:
    model = WithLoss()
    loop = make_loop(model)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    found = loop.evaluate([{"x": x, "y": y} for x, y in BATCHES], lambda m, batch: m(**batch)["loss"])
    assert torch.equal(before, torch.get_rng_state())
    with torch.no_grad():
        outputs = torch.cat([model(x, y)["outputs"] for x, y in BATCHES])
    assert found["loss"] == pytest.approx(F.cross_entropy(outputs, ALL_Y, ignore_index=1).item(), rel=1e-12)


def test_a_loss_may_change_outputs_in_place() -> None:
    loop = make_loop(make_model(dtype=torch.float64))
    found = loop.evaluate(BATCHES, lambda outputs, y: F.cross_entropy(outputs.div_(2), y))
    expected = F.cross_entropy(loop.models[""](ALL_X) / 2, ALL_Y).item()
    assert found["loss"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # of dynamo's own
def test_a_compiled_loss_is_weighed_by_what_it_was_made_from() -> None:
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=4, progress=False, log=None)
    loss = torch.compile(lambda outputs, y: F.cross_entropy(outputs, y, ignore_index=1), backend="aot_eager")
    expected = make_model(dtype=torch.float64)
    F.cross_entropy(expected(ALL_X), ALL_Y, ignore_index=1).backward()
    torch.optim.SGD(expected.parameters(), lr=1.0).step()
    loop.fit(BATCHES, loss, epochs=1, validate=BATCHES)
    torch.testing.assert_close(list(model.parameters()), list(expected.parameters()), rtol=1e-10, atol=1e-12)
    after = F.cross_entropy(model(ALL_X), ALL_Y, ignore_index=1).item()
    assert loop.history["val/loss"] == pytest.approx([after], rel=1e-12)


def test_what_can_not_be_averaged_exactly_is_refused() -> None:
    loop = make_loop(make_model(dtype=torch.float64))

    def root(outputs: Tensor, y: Tensor) -> Tensor:
        return F.mse_loss(outputs, F.one_hot(y, 3).double()).sqrt()

    with pytest.raises(UnknownWeightError, match=r"square root of a mean.*weight=function\(batch\)"):
        loop.evaluate(BATCHES, root)
    assert loop.evaluate(BATCHES, root, weight=lambda batch: len(batch[1]))["loss"] > 0


def test_functions_may_return_values_of_all_items_or_a_mean_and_its_number() -> None:
    loop = make_loop(make_model(dtype=torch.float64))

    def is_right(outputs: Tensor, y: Tensor) -> Tensor:
        return outputs.argmax(1)[y != 1] == y[y != 1]

    def mean_and_number(outputs: Tensor, y: Tensor) -> tuple[Tensor, int]:
        found = is_right(outputs, y).double()
        return found.mean(), len(found)

    found = loop.evaluate(BATCHES, F.cross_entropy, metrics={"items": is_right, "mean": mean_and_number})
    expected = is_right(loop.models[""](ALL_X), ALL_Y).double().mean().item()
    assert (found["items"], found["mean"]) == pytest.approx((expected, expected))


def test_a_metric_of_a_batch_that_does_not_tell_its_size() -> None:
    loop = make_loop(make_model(dtype=torch.float64))
    batches = [Sample(torch.ones(2), x, y) for x, y in BATCHES]

    def by_parts(model: nn.Module, batch: Sample) -> Tensor:
        return F.cross_entropy(model[3](model[0](batch.x)), batch.y)

    with pytest.raises(ValueError, match=r"metric 'mine' returns a mean.*over how many samples"):
        loop.evaluate(batches, by_parts, metrics={"mine": lambda outputs, batch: 1.0})
