"""What constant predictions score, with nothing changed by asking."""

import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.loop.checkpoint import rng

CLASSES = torch.tensor([0, 0, 0, 1, 2, 2, 0, 0])
X = torch.zeros(8, 3)


def batches(target: Tensor, sizes: tuple[int, ...] = (3, 3, 2)) -> list[tuple[Tensor, Tensor]]:
    return list(zip(X.split(list(sizes)), target.split(list(sizes)), strict=True))


def entropy(*shares: float) -> float:
    return -sum(share * float(np.log(share)) for share in shares)


@pytest.mark.parametrize(
    "loss_fn", [nn.CrossEntropyLoss(), functional.cross_entropy, functools.partial(functional.cross_entropy)]
)
def test_classes(loss_fn: Any) -> None:
    found = sf.baseline(None, batches(CLASSES), loss_fn)
    assert found.loss == pytest.approx(entropy(5 / 8, 1 / 8, 2 / 8))
    assert found.metric == 5 / 8
    assert found.prediction.exp().tolist() == pytest.approx([5 / 8, 1 / 8, 2 / 8])
    assert str(found) == (
        "a constant prediction, the logarithm of each class's share, has loss 0.9003 and metric 0.625 on 3 batches"
    )


def test_the_model_tells_how_many_classes_there_are() -> None:
    found = sf.baseline(nn.Linear(3, 5), batches(CLASSES), nn.CrossEntropyLoss())
    assert found.prediction.shape == (5,)
    assert found.loss == pytest.approx(entropy(5 / 8, 1 / 8, 2 / 8))


def test_ignored_targets_do_not_count() -> None:
    target = torch.tensor(
        [[0, 1, -1], [0, -1, -1], [0, 0, 2], [-1, -1, -1], [1, 1, 1], [0, 0, 0], [2, 2, 2], [0, 0, 1]]
    )
    loss_fn = functools.partial(functional.cross_entropy, ignore_index=-1)
    found = sf.baseline(None, batches(target, (3, 1, 4)), loss_fn)
    counts = torch.bincount(target[target >= 0]).tolist()
    assert found.loss == pytest.approx(entropy(*[count / sum(counts) for count in counts]))
    assert found.metric == max(counts) / sum(counts)
    with pytest.raises(ValueError, match="at least one target that counts"):
        sf.baseline(None, [(X, torch.full((8,), -100))], nn.CrossEntropyLoss())


def test_binary_targets() -> None:
    target = torch.tensor([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    for loss_fn in (nn.BCEWithLogitsLoss(), lambda out, y: functional.binary_cross_entropy(out.sigmoid(), y)):
        found = sf.baseline(nn.Linear(3, 2), [(X[:4], target)], loss_fn)
        assert found.loss == pytest.approx(entropy(0.25, 0.75))
        assert found.prediction.sigmoid().tolist() == pytest.approx([0.25, 0.75], abs=1e-3)
    assert sf.baseline(None, [(X[:4], target)], nn.BCEWithLogitsLoss()).metric == 0.75
    found = sf.baseline(None, [(X[:4], target)], nn.BCELoss())
    assert (found.prediction.tolist(), found.metric) == ([0.25, 0.75], 0.75)
    assert sf.baseline(None, [(X[:4], target * 0.5)], nn.BCEWithLogitsLoss()).metric is None


def test_numbers() -> None:
    target = torch.tensor([[1.0, 5.0], [2.0, 5.0], [9.0, 5.0]])
    mean = sf.baseline(None, [(X[:1], target[:1]), (X[1:3], target[1:])], nn.MSELoss())
    assert (mean.prediction.tolist(), mean.metric) == ([4.0, 5.0], None)
    assert mean.loss == pytest.approx((9 + 4 + 25) / 6)
    median = sf.baseline(None, [(X[:3], target)], functional.l1_loss)
    assert (median.prediction.tolist(), median.how) == ([2.0, 5.0], "the median of the targets")
    assert median.loss == pytest.approx((1 + 7) / 6)
    whole = sf.baseline(None, [(X[:3], torch.tensor([1, 2, 2]))], nn.MSELoss())
    assert whole.prediction.item() == pytest.approx(5 / 3)


def test_samples_of_different_shapes_share_one_constant() -> None:
    found = sf.baseline(None, [(X[:1], torch.ones(1, 4)), (X[:1], torch.zeros(1, 2))], nn.MSELoss())
    assert found.prediction.item() == pytest.approx(4 / 6)
    assert found.loss == pytest.approx(4 / 6 * 2 / 6)


def test_targets_that_are_distributions() -> None:
    target = torch.tensor([[0.5, 0.5], [1.0, 0.0]])
    found = sf.baseline(None, [(X[:2], target)], nn.CrossEntropyLoss())
    assert found.prediction.exp().tolist() == pytest.approx([0.75, 0.25])
    assert found.metric is None


def test_a_sum_is_averaged_over_batches() -> None:
    found = sf.baseline(None, batches(CLASSES, (4, 4)), nn.CrossEntropyLoss(reduction="sum"))
    assert found.loss == pytest.approx(4 * entropy(5 / 8, 1 / 8, 2 / 8))
    none = sf.baseline(None, batches(CLASSES), nn.CrossEntropyLoss(reduction="none"))
    assert none.loss == pytest.approx(entropy(5 / 8, 1 / 8, 2 / 8))


KNOWN: list[Callable[[], tuple[Any, Tensor]]] = [
    lambda: (nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0, 0.5])), CLASSES),
    lambda: (nn.CrossEntropyLoss(label_smoothing=0.2), CLASSES),
    lambda: (nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0, 0.5]), label_smoothing=0.2), CLASSES),
    lambda: (nn.CrossEntropyLoss(), torch.rand(8, 3).softmax(1)),
    lambda: (nn.CrossEntropyLoss(weight=torch.tensor([1.0, 3.0, 0.5])), torch.rand(8, 3).softmax(1)),
    lambda: (nn.BCEWithLogitsLoss(), (torch.rand(8, 3) > 0.3).float()),
    lambda: (nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 3.0, 0.5])), (torch.rand(8, 3) > 0.3).float()),
    lambda: (nn.MSELoss(), torch.rand(8, 3)),
]  # fmt: skip


@pytest.mark.parametrize("make", KNOWN)
def test_no_constant_is_better_than_a_known_one(make: Callable[[], tuple[Any, Tensor]]) -> None:
    torch.manual_seed(0)
    loss_fn, target = make()
    known = sf.baseline(nn.Linear(3, 3), [(X, target)], loss_fn)
    searched = sf.baseline(nn.Linear(3, 3), [(X, target)], lambda out, y: loss_fn(out, y))
    assert searched.how == "found by L-BFGS"
    assert known.loss == pytest.approx(searched.loss, rel=1e-4)
    constant = known.prediction.expand(8, -1)
    assert known.loss == pytest.approx(loss_fn(constant, target).item(), rel=1e-5)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(1, 20))
def test_how_batches_are_cut_does_not_matter(labels: list[int], size: int) -> None:
    target = torch.tensor(labels)
    loss_fn = nn.CrossEntropyLoss()
    whole = sf.baseline(None, [(target, target)], loss_fn)
    parts = sf.baseline(None, [(part, part) for part in target.split(size)], loss_fn)
    assert parts.loss == pytest.approx(whole.loss, abs=1e-6)
    assert parts.metric == whole.metric
    assert torch.equal(parts.prediction, whole.prediction)


def test_an_unknown_loss_is_searched() -> None:
    target = torch.tensor([0.0, 0.0, 0.0, 10.0])
    found = sf.baseline(lambda x: x[:, 0], [(X[:4], target)], nn.HuberLoss(delta=1.0))
    assert found.prediction.item() == pytest.approx(1 / 3, abs=1e-3)
    assert str(found) == f"a constant prediction, found by L-BFGS, has loss {found.loss:.4g} on 1 batch"
    weighted = sf.baseline(lambda x: x[:, 0], [(X[:4], target / 10)], nn.BCEWithLogitsLoss(weight=torch.tensor(2.0)))
    assert weighted.prediction.sigmoid().item() == pytest.approx(0.25, abs=1e-3)


def test_targets_may_be_nested_and_batches_anything() -> None:
    data = [{"x": X[:2], "y": {"a": torch.tensor([1.0, 3.0])}}, {"x": X[:1], "y": {"a": torch.tensor([5.0])}}]

    def loss_fn(out: Tensor, y: dict[str, Tensor]) -> Tensor:
        return (out[:, 0] - y["a"]).square().mean()

    found = sf.baseline(nn.Linear(3, 1), data, loss_fn, split=lambda batch: (batch["x"], batch["y"]))
    assert found.prediction.tolist() == pytest.approx([3.0], abs=1e-4)
    assert found.loss == pytest.approx(8 / 3)


def test_a_metric_of_ones_own() -> None:
    def mean_error(out: Any, y: Any) -> float:
        return float((out - y).abs().mean())

    data = batches(torch.tensor([0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 4.0, 0.0]))
    assert sf.baseline(None, data, functional.mse_loss, metric=mean_error).metric == pytest.approx(2.0)
    searched = sf.baseline(lambda x: x[:, 0], data, lambda out, y: functional.mse_loss(out, y), metric=mean_error)
    assert searched.metric == pytest.approx(2.0, abs=1e-4)


def test_so_many_batches_only() -> None:
    def endless() -> Any:
        while True:
            yield X, CLASSES

    found = sf.baseline(None, endless, nn.CrossEntropyLoss(), num_batches=2)
    assert found.num_batches == 2


class Counting(nn.Module):
    """Draws random numbers, counts its calls, and has a part that stays in eval mode."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout())
        self.layer[1].eval()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        out: Tensor = self.layer(x + torch.rand_like(x))
        return out


class Noisy(TensorDataset):
    """Random augmentation by all libraries."""

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        x, y = super().__getitem__(index)
        return x + torch.rand(3) + random.random() + float(np.random.rand()), y


@pytest.mark.parametrize("own_generator", [False, True])
@pytest.mark.parametrize("loss_fn", [nn.CrossEntropyLoss(), nn.MultiMarginLoss(margin=2.0)])
def test_nothing_is_changed(own_generator: bool, loss_fn: nn.Module) -> None:
    torch.manual_seed(0)
    model = Counting()
    modes = [module.training for module in model.modules()]
    before = {name: value.clone() for name, value in model.state_dict().items()}
    source = torch.Generator().manual_seed(3) if own_generator else None
    loader = DataLoader(Noisy(X, CLASSES), batch_size=3, shuffle=True, generator=source)
    states, own = rng.capture(), None if source is None else source.get_state()
    sf.baseline(model, loader, loss_fn)
    assert repr(rng.capture()) == repr(states)
    assert torch.equal(torch.get_rng_state(), states["torch"])
    if source is not None:
        assert torch.equal(source.get_state(), own)
    assert [module.training for module in model.modules()] == modes
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(p.grad is None and p.requires_grad for p in model.parameters())


def test_workers_that_live_on_are_left_alone() -> None:
    loader = DataLoader(Noisy(X, CLASSES), batch_size=4, num_workers=1, persistent_workers=True)
    sf.baseline(None, loader, nn.CrossEntropyLoss())
    assert loader._iterator is None


def test_it_is_no_part_of_the_training_that_is_watched() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(64, 3), torch.randint(3, (64,))), batch_size=8, shuffle=True)
    with sf.watch(model, optimizer) as watch:
        for epoch in range(3):
            for number, (x, y) in enumerate(loader):
                optimizer.zero_grad()
                functional.cross_entropy(model(x), y).backward()
                if epoch == 1 and number == 3:  # inside an epoch and a window
                    sf.baseline(model, loader, nn.MultiMarginLoss(), num_batches=2)
                optimizer.step()
        report = watch.report().as_dict()
    assert report["findings"] == []
    assert report["steps"] == 24


def test_under_no_grad_too() -> None:
    with torch.no_grad():
        assert sf.baseline(nn.Linear(3, 3), batches(CLASSES), nn.MultiMarginLoss()).loss > 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sf.baseline(None, [], functional.mse_loss), ValueError, "at least one batch, got none"),
        (lambda: sf.baseline(None, iter([(X, X)]), functional.mse_loss), ValueError, "startable again, because"),
        (lambda: sf.baseline(None, [X], functional.mse_loss), TypeError, "pairs of inputs and targets, got a Tensor"),
        (lambda: sf.baseline(None, [(X, X, X)], functional.mse_loss), TypeError, "got a tuple of 3"),
        (lambda: sf.baseline(None, [(X, X)], nn.HuberLoss()), ValueError, "the model must be given"),
        (lambda: sf.baseline(lambda x: (x,), [(X, X)], functional.mse_loss), TypeError, "tensor with one row"),
        (lambda: sf.baseline(nn.Identity(), [(X, 3)], functional.mse_loss), TypeError, "targets must be tensors"),
        (lambda: sf.baseline(nn.Identity(), [(X, X)], lambda o, y: o.log().mean()), ValueError, "finite where all out"),
        (lambda: sf.baseline(nn.Identity(), [(X, X)], lambda o, y: (o == y).float()), ValueError, "have a gradient"),
    ],
)  # fmt: skip
def test_what_can_not_be_done_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
