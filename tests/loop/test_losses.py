"""Every way to write a loss: a ragged window gives the gradient of one large batch, or the loss is refused."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.weight import UnknownWeightError
from surefoot.loop.weight.error import DividedTwiceError
from tests.loop.training import make_batches, make_model, weights

Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]
SIZES = (7, 5, 3, 1)
CLASS_WEIGHTS = torch.tensor([0.1, 1.0, 3.0], dtype=torch.float64)


def each(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """The loss of each item."""
    return F.cross_entropy(model(x), y, reduction="none")


def mask(y: Tensor) -> Tensor:
    return (y != 1).double()


def soft(y: Tensor) -> Tensor:
    return F.one_hot(y, 3).double() * 0.9 + 0.1 / 3


def one_by_one(model: nn.Module, x: Tensor, y: Tensor) -> list[Tensor]:
    return [F.cross_entropy(model(x[i : i + 1]), y[i : i + 1]) for i in range(len(y))]


def stacked(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return torch.stack([F.cross_entropy(model(x), y), F.mse_loss(model(x), soft(y))])


def holed(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Squares of which some are not known."""
    is_unknown = (x[:, :3] > 0.8) & (torch.arange(3) > 0)
    return (model(x) - soft(y)).pow(2).masked_fill(is_unknown, torch.nan)


def l2(model: nn.Module) -> Tensor:
    return 1e-2 * torch.stack([p.pow(2).sum() for p in model.parameters()]).sum()


RIGHT: dict[str, Loss] = {
    "mean": lambda m, x, y: F.cross_entropy(m(x), y),
    "ignored targets": lambda m, x, y: F.cross_entropy(m(x), y, ignore_index=1),
    "ignored targets, smoothed": lambda m, x, y: F.cross_entropy(m(x), y, ignore_index=1, label_smoothing=0.1),
    "class weights": lambda m, x, y: F.cross_entropy(m(x), y, weight=CLASS_WEIGHTS),
    "class weights, smoothed": lambda m, x, y: F.cross_entropy(m(x), y, weight=CLASS_WEIGHTS, label_smoothing=0.1),
    "several labels": lambda m, x, y: F.multilabel_soft_margin_loss(m(x), soft(y).round()),
    "a bank that stays": lambda m, x, y: F.cross_entropy(m(x) @ torch.eye(3, 9, dtype=torch.float64), y),
    "none, mean": lambda m, x, y: each(m, x, y).mean(),
    "none, mean, mean again": lambda m, x, y: each(m, x, y).mean().mean(),
    "none, class weights, mean": lambda m, x, y: F.cross_entropy(
        m(x), y, weight=CLASS_WEIGHTS, reduction="none"
    ).mean(),
    "none, sum / len": lambda m, x, y: each(m, x, y).sum() / len(y),
    "none, sum * 1/len": lambda m, x, y: each(m, x, y).sum() * (1 / len(y)),
    "none, (each / len) summed": lambda m, x, y: (each(m, x, y) / len(y)).sum(),
    "sum / valid": lambda m, x, y: (
        F.cross_entropy(m(x), y, reduction="sum", ignore_index=1) / (y != 1).sum().clamp(min=1)
    ),
    "none, mean, rescaled to valid": lambda m, x, y: (
        F.cross_entropy(m(x), y, reduction="none", ignore_index=1).mean() * (len(y) / max(int((y != 1).sum()), 1))
    ),
    "masked mean": lambda m, x, y: (each(m, x, y) * mask(y)).sum() / mask(y).sum(),
    "masked mean, mask first": lambda m, x, y: (mask(y) * each(m, x, y)).sum() / mask(y).sum(),
    "masked mean, eps": lambda m, x, y: (each(m, x, y) * mask(y)).sum() / (mask(y).sum() + 1e-12),
    "masked mean, at least one": lambda m, x, y: (each(m, x, y) * mask(y)).sum() / mask(y).sum().clamp(min=1),
    "masked mean by means": lambda m, x, y: (each(m, x, y) * mask(y)).mean() / mask(y).mean(),
    "masked by where": lambda m, x, y: torch.where(y != 1, each(m, x, y), 0.0).sum() / (y != 1).sum(),
    "masked by fill": lambda m, x, y: each(m, x, y).masked_fill(y == 1, 0.0).sum() / (y != 1).sum(),
    "masked by index": lambda m, x, y: each(m, x, y)[y != 1].mean(),
    "masked by a dot product": lambda m, x, y: torch.dot(each(m, x, y), mask(y)) / mask(y).sum(),
    "normalised mask": lambda m, x, y: (each(m, x, y) * (mask(y) / mask(y).mean())).mean(),
    "half of a masked mean": lambda m, x, y: 0.5 * (each(m, x, y) * mask(y)).sum() / mask(y).sum(),
    "mask, mean over all": lambda m, x, y: (each(m, x, y) * mask(y)).mean(),
    "mask, over the batch": lambda m, x, y: (each(m, x, y) * mask(y)).sum() / len(y),
    "weighted mean": lambda m, x, y: (each(m, x, y) * (1.0 + y)).sum() / (1.0 + y).sum(),
    "weighted and masked mean": lambda m, x, y: (
        (each(m, x, y) * (1.0 + y) * mask(y)).sum() / ((1.0 + y) * mask(y)).sum()
    ),
    "soft targets": lambda m, x, y: F.cross_entropy(m(x), soft(y)),
    "soft targets by hand": lambda m, x, y: -(soft(y) * m(x).log_softmax(1)).sum(1).mean(),
    "kl batchmean": lambda m, x, y: F.kl_div(m(x).log_softmax(1), soft(y), reduction="batchmean"),
    "gathered": lambda m, x, y: -m(x).log_softmax(1).gather(1, y[:, None]).squeeze(1).mean(),
    "bce": lambda m, x, y: F.binary_cross_entropy_with_logits(m(x), soft(y), pos_weight=CLASS_WEIGHTS),
    "gaussian nll": lambda m, x, y: F.gaussian_nll_loss(m(x), soft(y), torch.ones_like(soft(y))),
    "huber": lambda m, x, y: F.huber_loss(m(x), soft(y)),
    "l1": lambda m, x, y: F.l1_loss(m(x), soft(y)),
    "half squares, summed by sample": lambda m, x, y: 0.5 * (m(x) - soft(y)).pow(2).sum() / len(y),
    "over the batch, then the outputs": lambda m, x, y: (m(x) - soft(y)).pow(2).mean(0).mean(),
    "over the batch, then a sum": lambda m, x, y: (m(x) - soft(y)).pow(2).mean(0).sum(),
    "over the outputs, then the batch": lambda m, x, y: (m(x) - soft(y)).pow(2).mean(1).mean(),
    "root of each item": lambda m, x, y: (m(x) - soft(y)).pow(2).sum(1).sqrt().mean(),
    "two of the same items": lambda m, x, y: F.cross_entropy(m(x), y) + 0.1 * m(x).logsumexp(1).pow(2).mean(),
    "two whose counts grow alike": lambda m, x, y: F.cross_entropy(m(x), y) + F.mse_loss(m(x), soft(y)),
    "two, stacked": lambda m, x, y: torch.stack([F.cross_entropy(m(x), y), F.mse_loss(m(x), soft(y))]).mean(),
    "with an L2 term": lambda m, x, y: F.cross_entropy(m(x), y) + l2(m),
    "with a norm of the weights": lambda m, x, y: each(m, x, y).mean() + 0.1 * sum(p.norm() for p in m.parameters()),
    "with a learned weight": lambda m, x, y: (-m[0].bias[0]).exp() * F.cross_entropy(m(x), y) + m[0].bias.sum(),
    "with a sum of parameters in each item": lambda m, x, y: (m(x)[:, 0] * m[0].weight.sum(0).exp().sum()).mean(),
    "one item after the other": lambda m, x, y: sum(one_by_one(m, x, y), torch.zeros(())) / len(y),
    "one item after the other, stacked": lambda m, x, y: torch.stack(one_by_one(m, x, y)).mean(),
    "two, averaged": lambda m, x, y: (F.cross_entropy(m(x), y) + F.mse_loss(m(x), soft(y))) / 2,
    "two, stacked and weighted": lambda m, x, y: (stacked(m, x, y) * torch.tensor([0.3, 0.7]).double()).sum(),
    "two, by a dot product": lambda m, x, y: torch.dot(torch.tensor([0.3, 0.7]).double(), stacked(m, x, y)),
    "two, with learned weights": lambda m, x, y: ((-m[0].bias[:2]).exp() * stacked(m, x, y) + m[0].bias[:2]).sum(),
    "mean without NaN": lambda m, x, y: holed(m, x, y).nanmean(),
    "mean without NaN in each item": lambda m, x, y: holed(m, x, y).nanmean(1).mean(),
    "bce, its weight as a mask": lambda m, x, y: (
        F.binary_cross_entropy_with_logits(m(x), soft(y), weight=mask(y)[:, None].expand(-1, 3), reduction="sum")
        / (mask(y).sum() * 3)
    ),
    "weights by row": lambda m, x, y: ((m(x) - soft(y)).pow(2) * (1.0 + y)[:, None]).mean(),
    "weights by row, over their sum": lambda m, x, y: (
        ((m(x) - soft(y)).pow(2) * (1.0 + y)[:, None]).sum() / ((1.0 + y).sum() * 3)
    ),
    "minus a constant": lambda m, x, y: F.cross_entropy(m(x), y) - 1.0,
    "nan_to_num": lambda m, x, y: F.cross_entropy(m(x), y, ignore_index=1).nan_to_num(),
    "in another dtype": lambda m, x, y: F.cross_entropy(m(x), y).to(torch.float64).reshape(1).squeeze(),
}  # fmt: skip
REFUSED: dict[str, tuple[Loss, str]] = {
    "sum": (lambda m, x, y: each(m, x, y).sum(), "is a sum"),
    "sum over the batch, then a mean": (
        lambda m, x, y: (m(x) - soft(y)).pow(2).sum(0).mean(), "not the number of items",
    ),
    "mean times its number": (lambda m, x, y: each(m, x, y).sum() / 7, "divides a sum by 7"),
    "mean without NaN, by column": (lambda m, x, y: holed(m, x, y).nanmean(0).mean(), "without NaN over the batch"),
    "classes one after the other": (
        lambda m, x, y: torch.stack([each(m, x, y)[y == c].mean() for c in y.unique()]).mean(), "once for each of them",
    ),
    "largest of two": (
        lambda m, x, y: torch.stack([F.cross_entropy(m(x), y), F.mse_loss(m(x), soft(y))]).max(), "Max",
    ),
    "root of a mean": (lambda m, x, y: F.mse_loss(m(x), soft(y)).sqrt(), "the square root of a mean"),
    "exponential of a mean": (lambda m, x, y: F.cross_entropy(m(x), y).exp(), "the exponential of a mean"),
    "power of a mean": (lambda m, x, y: F.cross_entropy(m(x), y) ** 2, "a power of a mean"),
    "size of a mean": (lambda m, x, y: (F.cross_entropy(m(x), y) - 1.0).abs() + 1.0, "the absolute value of a mean"),
    "norm": (lambda m, x, y: (m(x) - soft(y)).norm(), "LinalgVectorNorm"),
    "product of two means": (
        lambda m, x, y: F.cross_entropy(m(x), y) * F.mse_loss(m(x), soft(y)), "multiplies two means",
    ),
    "ratio of two means": (
        lambda m, x, y: F.cross_entropy(m(x), y) / F.mse_loss(m(x), soft(y)), "divides by a mean",
    ),
    "one over a mean": (lambda m, x, y: 1 / F.cross_entropy(m(x), y), "Reciprocal"),
    "variance over the batch": (lambda m, x, y: m(x).var(0).mean(), "variance over the batch"),
    "squares around the mean": (lambda m, x, y: (m(x) - m(x).mean(0)).pow(2).mean(), "over the batch"),
    "square of a mean over the batch": (lambda m, x, y: m(x).mean(0).pow(2).mean(), "over the batch"),
    "means over different numbers": (
        lambda m, x, y: F.cross_entropy(m(x), y, ignore_index=1) + m(x).logsumexp(1).mean(), r"once for each of them",
    ),
    "weights with a mean of one": (
        lambda m, x, y: (each(m, x, y) * ((1.0 + y) / (1.0 + y).mean())).mean(), "whose mean is one",
    ),
    "weights with a sum of one": (
        lambda m, x, y: (each(m, x, y) * ((1.0 + y) / (1.0 + y).sum())).sum(), "is a sum",
    ),
    "mask with a sum of one": (lambda m, x, y: (each(m, x, y) * (mask(y) / mask(y).sum())).sum(), "is a sum"),
    "divided by the spread of the batch": (lambda m, x, y: each(m, x, y).mean() / x.std(), "same window"),
    "multiplied by a number of the batch": (
        lambda m, x, y: F.cross_entropy(m(x), y) * F.cross_entropy(m(x), y).detach(), "same window",
    ),
    "mean times the items": (lambda m, x, y: F.cross_entropy(m(x), y) * len(y), "which makes it a sum"),
    "mean of outputs times the items": (lambda m, x, y: F.mse_loss(m(x), soft(y)) * len(y), "which makes it a sum"),
    "weights of classes by their number": (
        lambda m, x, y: F.cross_entropy(m(x), y, weight=1 / torch.bincount(y, minlength=3).clamp(min=1).double()),
        "other class weights",
    ),
    "no item": (lambda m, x, y: l2(m), "depends on no item"),
    "largest": (lambda m, x, y: each(m, x, y).max(), "Max"),
}  # fmt: skip


def train(loss: Loss, sizes: tuple[int, ...] = SIZES) -> nn.Module:
    """One window of ragged micro-batches; the last has one item, which is kept by the mask."""
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(
        model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=len(sizes), progress=False, watch=False, log=None
    )
    for x, y in loop.batches(make_batches(sizes, dtype=torch.float64)):
        with loop.step() as step:
            step.backward(loss(model, x, y))
    return model


def of_one_batch(loss: Loss) -> nn.Module:
    model = make_model(dtype=torch.float64)
    made = make_batches(SIZES, dtype=torch.float64)
    loss(model, torch.cat([x for x, _ in made]), torch.cat([y for _, y in made])).backward()
    torch.optim.SGD(model.parameters(), lr=1.0).step()
    return model


def scores(m: nn.Module, x: Tensor) -> Tensor:
    z = F.normalize(m(x), dim=1)
    return z @ z.T


MIXING: dict[str, Loss] = {
    "in-batch negatives": lambda m, x, y: F.cross_entropy(scores(m, x), torch.arange(len(y))),
    "negatives of a frozen tower": lambda m, x, y: F.cross_entropy(m(x) @ soft(y).T, torch.arange(len(y))),
    "pairs": lambda m, x, y: F.softplus(m(x)[:, None, 0] - m(x)[None, :, 0]).mean(),
    "some pairs": lambda m, x, y: (scores(m, x) * (y[:, None] == y[None])).mean(),
    "distances": lambda m, x, y: torch.cdist(m(x), m(x)).mean(),
    "hard items": lambda m, x, y: each(m, x, y).topk(2).values.mean(),
    "over the batch": lambda m, x, y: (m(x)[:, 0].softmax(0) * y).mean(),
    "sorted items": lambda m, x, y: each(m, x, y).sort().values[:-1].sum() / max(len(y) - 1, 1),
    "the neighbour": lambda m, x, y: F.mse_loss(m(x), m(x).detach()) + (lambda o: F.mse_loss(o, o.roll(1, 0)))(m(x)),
    "the neighbour of a second forward": lambda m, x, y: F.mse_loss(m(x), m(x).roll(1, 0)),
    "the other end": lambda m, x, y: (lambda o: (o * o.flip(0)).mean())(m(x)),
    "another item": lambda m, x, y: (lambda o: (o - o[torch.arange(len(o)).roll(1)]).pow(2).mean())(m(x)),
    "running": lambda m, x, y: m(x).cumsum(0).mean(),
    "the largest so far": lambda m, x, y: each(m, x, y).cummax(0).values.mean(),
    "products by einsum": lambda m, x, y: torch.einsum("id,jd->ij", m(x), m(x)).square().mean(),
    "scaled by a part of a parameter": lambda m, x, y: F.softplus(scores(m, x) * m[0].bias[0]).mean(),
}


@pytest.mark.parametrize("name", MIXING)
def test_items_that_are_compared_with_each_other_are_refused(name: str) -> None:
    with pytest.raises(UnknownWeightError, match=r"the loss compares .* loop.step\(weight=len\(targets\)\)"):
        train(MIXING[name])


def attention(m: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Of one text, without a dimension for the batch: what a model does with a sample is its own business."""
    head = m[3]
    assert isinstance(head, nn.Linear)
    hidden = m[0](x)
    return F.cross_entropy(head((hidden @ hidden.T).softmax(1) @ hidden), y)


def test_what_only_looks_like_it_is_not() -> None:
    of_texts = (4, 4, 4, 4)
    train(attention, sizes=of_texts)
    train(lambda m, x, y: F.cross_entropy(m(x), torch.arange(3)), sizes=(3, 3))  # as many items as classes
    train(lambda m, x, y: (m(x)[:, :, None] * m(x)[:, None, :]).mean(), sizes=of_texts)  # within each sample
    train(lambda m, x, y: F.mse_loss(*m(torch.cat([x, x.flip(1)])).chunk(2)), sizes=(3, 3))  # two views of each item
    train(lambda m, x, y: torch.einsum("bij,bkj->bik", *[m(x).unsqueeze(1)] * 2).mean(), sizes=of_texts)
    train(lambda m, x, y: torch.stack([m(one).log_softmax(0)[0] for one in x]).mean(), sizes=(3, 3))
    train(lambda m, x, y: torch.einsum("bi,ji->bj", m(x), F.normalize(m[3].weight.T, dim=0)).mean(), sizes=of_texts)


def test_numbers_that_were_normalised_over_the_micro_batch_are_refused() -> None:
    def advantage(m: nn.Module, x: Tensor, y: Tensor) -> Tensor:
        raw = x[:, 0]
        return (each(m, x, y) * ((raw - raw.mean()) / (raw.std() + 1e-8))).mean()

    with pytest.raises(UnknownWeightError, match="normalised over the micro-batch"):
        train(advantage)
    with pytest.raises(UnknownWeightError, match="centred or normalised over the micro-batch"):
        train(lambda m, x, y: (each(m, x, y) * (x[:, 0] - x[:, 0].mean())).mean())
    with pytest.raises(UnknownWeightError, match="targets that were centred or normalised over the micro-batch"):
        train(lambda m, x, y: F.mse_loss(m(x), x[:, :3] - x[:, :3].mean(0)))
    with pytest.raises(UnknownWeightError, match="targets that were centred or normalised over the micro-batch"):
        train(lambda m, x, y: F.mse_loss(m(x), x[:, :3].softmax(1) - x[:, :3].softmax(1).mean(0)))


def test_numbers_around_zero_for_another_reason_are_not() -> None:
    train(lambda m, x, y: (m(x) * F.layer_norm(soft(y) + x[:, :3], (3,))).sum(1).mean())  # within each item
    train(lambda m, x, y: F.mse_loss(m(x), F.layer_norm(soft(y) + x[:, :3], (3,))))
    signs = torch.tensor([1.0, -1.0, 0.5, -0.5], dtype=torch.float64)
    train(lambda m, x, y: (each(m, x, y) * signs).mean(), sizes=(4, 4))
    train(lambda m, x, y: F.cross_entropy(m(x), y) * 7)  # the number of items once, by chance
    train(lambda m, x, y: F.relu(1 + m(x) - m(x)[torch.arange(len(y)), y][:, None]).mean())  # own scores, picked


def weighted(of: Callable[[Tensor], Tensor]) -> Loss:
    return lambda m, x, y: (each(m, x, y) * of(x)).mean()


def test_weights_that_were_divided_by_their_largest_are_refused() -> None:
    with pytest.raises(UnknownWeightError, match="weights that were divided by the largest of the micro-batch"):
        train(weighted(lambda x: x[:, 0].abs() / x[:, 0].abs().max()))


@pytest.mark.parametrize(
    "of",
    [
        lambda x: 0.9 ** torch.arange(len(x)),  # discounts
        lambda x: torch.arange(1, len(x) + 1) / len(x),  # a ramp over a sequence
        lambda x: (x[:, 0].abs() + 0.1).clamp(max=1.0),
        lambda x: torch.where(x[:, 0] > 0, 1.0, 0.5),
        lambda x: x[:, 0].abs(),
    ],
)
def test_weights_whose_largest_is_one_for_another_reason_are_not(of: Callable[[Tensor], Tensor]) -> None:
    train(weighted(of), sizes=(8, 6, 5, 4))


@pytest.mark.parametrize("name", RIGHT)
def test_a_window_gives_the_gradient_of_one_large_batch(name: str) -> None:
    expected = weights(of_one_batch(RIGHT[name]))
    torch.testing.assert_close(weights(train(RIGHT[name])), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_answer_is_refused(name: str) -> None:
    loss, says = REFUSED[name]
    with pytest.raises(UnknownWeightError, match=says):
        train(loss)


@pytest.mark.parametrize("name", ["masked mean", "masked mean by means", "masked by where", "ignored targets"])
def test_a_micro_batch_without_items_counts_nothing(name: str) -> None:
    """A mean over nothing is NaN."""
    none = torch.ones(2, dtype=torch.long)
    model = make_model(dtype=torch.float64)
    loop = sf.Loop(
        model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=5, progress=False, watch=False, log=None
    )
    made = make_batches(SIZES, dtype=torch.float64)
    for x, y in loop.batches([*made, (torch.ones(2, 4, dtype=torch.float64), none)]):
        with loop.step() as step:
            step.backward(RIGHT[name](model, x, y))
    torch.testing.assert_close(weights(model), weights(of_one_batch(RIGHT[name])), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("by", [lambda loss: loss / 4, lambda loss: loss * 0.25, lambda loss: loss / 2 / 4])
def test_a_loss_divided_by_accumulate_is_refused(by: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(DividedTwiceError, match=r"divided by 4, and accumulate=4 averages.*Pass the mean itself"):
        train(lambda m, x, y: by(F.cross_entropy(m(x), y)))


def test_factors_that_are_meant_are_not_refused() -> None:
    train(lambda m, x, y: 0.5 * F.cross_entropy(m(x), y), sizes=(4, 4))
    train(lambda m, x, y: F.cross_entropy(m(x), y) + F.mse_loss(m(x), soft(y)) / 4, sizes=(4, 4, 4, 4))
    train(lambda m, x, y: each(m, x, y).sum() / 4, sizes=(4, 4, 4, 4))
    train(lambda m, x, y: (F.cross_entropy(m(x), y) + F.mse_loss(m(x), soft(y))) / 2, sizes=(4, 4))  # their average
    train(lambda m, x, y: torch.stack([F.cross_entropy(m(x), y), F.mse_loss(m(x), soft(y))]).mean(), sizes=(4, 4))
    train(lambda m, x, y: F.kl_div(m(x).log_softmax(1), soft(y), reduction="batchmean"), sizes=(4, 4, 4, 4))


def test_a_loss_divided_by_accumulate_is_refused_with_given_weights_too() -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=2, watch=False, log=None)
    with pytest.raises(DividedTwiceError), loop.step(weight=8) as step:
        step.backward(model(torch.ones(8, 4)).pow(2).mean() / 2)
