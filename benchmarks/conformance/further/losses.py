"""A window of 7, 5, 3 and 1 samples against one batch of 16, for the ways in which people write losses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from benchmarks.conformance.further.row import Mark, NotEqual, Row

SIZES = (7, 5, 3, 1)
CLASS_WEIGHTS = torch.tensor([0.25, 1.0, 3.0])


@dataclass(frozen=True)
class Data:
    x: Tensor
    y: Tensor  # classes
    ignored: Tensor  # the same, some of them -100
    soft: Tensor
    mask: Tensor
    weight: Tensor

    def rows(self, chosen: slice) -> "Data":
        return Data(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


Loss = Callable[[nn.Module, Data], Tensor]


def _data(num: int) -> Data:
    torch.manual_seed(0)
    y = torch.randint(3, (num,))
    mask = torch.rand(num) < 0.6
    mask[-1] = True
    weight = torch.rand(num) + 0.25
    return Data(torch.randn(num, 6), y, y.masked_fill(~mask, -100), torch.rand(num, 3).softmax(1), mask, weight)


def _parts(data: Data, sizes: Sequence[int]) -> list[Data]:
    ends = torch.tensor((0, *sizes)).cumsum(0).tolist()
    return [data.rows(slice(a, b)) for a, b in pairwise(ends)]


def _model(*layers: nn.Module) -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 3), *layers)


def _weights(model: nn.Module) -> list[Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def compare(loss: Loss, layers: Sequence[Callable[[], nn.Module]] = (), sizes: Sequence[int] = SIZES) -> None:
    data = _data(sum(sizes))
    whole, ours = (_model(*(layer() for layer in layers)) for _ in range(2))
    loss(whole, data).backward()
    torch.optim.SGD(whole.parameters(), 1.0).step()
    loop = sf.Loop(ours, torch.optim.SGD(ours.parameters(), 1.0), accumulate=len(SIZES), watch=False, log=None)
    for part in loop.batches(_parts(data, sizes)):
        with loop.step() as step:
            step.backward(loss(ours, part))
    gap = max(float((a - b).abs().max()) for a, b in zip(_weights(whole), _weights(ours), strict=True))
    if gap > 1e-5:
        raise NotEqual(f"weights off by {gap:.2g}")


def _each(m: nn.Module, d: Data) -> Tensor:
    return F.cross_entropy(m(d.x), d.y, reduction="none")


def _one_by_one(m: nn.Module, d: Data) -> list[Tensor]:
    return [F.cross_entropy(m(x[None]), y[None]) for x, y in zip(d.x, d.y, strict=True)]


def _two(m: nn.Module, d: Data) -> Tensor:
    return torch.stack([F.cross_entropy(m(d.x), d.y), F.mse_loss(m(d.x), d.soft)])


def _with_nan(m: nn.Module, d: Data) -> Tensor:
    is_known = d.mask[:, None] | torch.tensor([True, True, False])
    return (m(d.x) - d.soft).square().masked_fill(~is_known, torch.nan)


def _slopes(m: nn.Module, d: Data, *, mean: bool = False) -> Tensor:
    x = d.x.clone().requires_grad_()
    outputs = m(x).square().sum(1)
    return torch.autograd.grad(outputs.mean() if mean else outputs.sum(), x, create_graph=True)[0]


def _advantages(m: nn.Module, d: Data) -> Tensor:
    return (_each(m, d) * ((d.weight - d.weight.mean()) / (d.weight.std() + 1e-8))).mean()


def _between(m: nn.Module, d: Data) -> Tensor:
    z = F.normalize(m(d.x), dim=1)
    return z @ z.T


RIGHT: dict[str, Loss] = {
    "cross-entropy, ignored targets": lambda m, d: F.cross_entropy(m(d.x), d.ignored),
    "cross-entropy, class weights": lambda m, d: F.cross_entropy(m(d.x), d.y, CLASS_WEIGHTS),
    "cross-entropy, class weights and smoothing": lambda m, d: F.cross_entropy(
        m(d.x), d.y, CLASS_WEIGHTS, label_smoothing=0.1
    ),
    "cross-entropy, soft targets": lambda m, d: F.cross_entropy(m(d.x), d.soft),
    '`reduction="none"`, then `.mean()`': lambda m, d: _each(m, d).mean(),
    "`(each * mask).sum() / mask.sum()`": lambda m, d: (_each(m, d) * d.mask).sum() / d.mask.sum(),
    "`each[mask].mean()`": lambda m, d: _each(m, d)[d.mask].mean(),
    "`(each * w).sum() / w.sum()`": lambda m, d: (_each(m, d) * d.weight).sum() / d.weight.sum(),
    "`(each * w).mean()`": lambda m, d: (_each(m, d) * d.weight).mean(),
    "`each.sum() / len(y)`": lambda m, d: _each(m, d).sum() / len(d.y),
    "`kl_div`, batchmean": lambda m, d: F.kl_div(m(d.x).log_softmax(1), d.soft, reduction="batchmean"),
    "`multilabel_soft_margin_loss`": lambda m, d: F.multilabel_soft_margin_loss(m(d.x), d.soft.round()),
    "distillation: soft and hard targets": lambda m, d: (
        F.kl_div((m(d.x) / 2).log_softmax(1), d.soft, reduction="batchmean") * 4 + F.cross_entropy(m(d.x), d.y)
    ),
    "focal loss": lambda m, d: ((1 - (-_each(m, d)).exp()) ** 2 * _each(m, d)).mean(),
    "an L2 penalty beside the mean": lambda m, d: _each(m, d).mean() + sum(p.pow(2).sum() for p in m.parameters()),
    "a negative sampled from a fixed bank": lambda m, d: F.cross_entropy(m(d.x) @ torch.eye(3, 9), d.y),
    "cosine embedding": lambda m, d: F.cosine_embedding_loss(m(d.x), d.soft, 2.0 * d.mask - 1),
    "triplet margin, negatives given": lambda m, d: F.triplet_margin_loss(m(d.x), d.soft, d.soft.flip(1)),
    "margin ranking": lambda m, d: F.margin_ranking_loss(m(d.x)[:, 0], m(d.x)[:, 1], 2.0 * d.mask - 1),
    "poisson": lambda m, d: F.poisson_nll_loss(m(d.x), d.soft),
    "pinball": lambda m, d: torch.max(0.9 * (d.soft - m(d.x)), -0.1 * (d.soft - m(d.x))).mean(),
    "log-cosh": lambda m, d: (m(d.x) - d.soft).cosh().log().mean(),
    "a clipped policy ratio": lambda m, d: (
        -torch.min(m(d.x)[:, 0].exp() * d.weight, m(d.x)[:, 0].exp().clamp(0.8, 1.2) * d.weight).mean()
    ),
    "a mean over the batch, then over outputs": lambda m, d: (m(d.x) - d.soft).square().mean(0).mean(),
    "a mean over the batch, then a sum of outputs": lambda m, d: (m(d.x) - d.soft).square().mean(0).sum(),
    "a masked mean within each item, then a mean": lambda m, d: (
        ((m(d.x) - d.soft).square() * d.soft).sum(1) / d.soft.sum(1)
    ).mean(),
    "a list of losses, one for each sample, averaged": lambda m, d: sum(_one_by_one(m, d)) / len(d.y),
    "the same, stacked": lambda m, d: torch.stack(_one_by_one(m, d)).mean(),
    "the average of two losses": lambda m, d: (F.cross_entropy(m(d.x), d.y) + F.mse_loss(m(d.x), d.soft)) / 2,
    "two losses, stacked, with weights": lambda m, d: (_two(m, d) * torch.tensor([0.3, 0.7])).sum(),
    "two losses with learned weights": lambda m, d: (
        (
            (-m[0].bias[:2]).exp() * _two(m, d) + m[0].bias[:2]  # type: ignore[index, operator]
        ).sum()
    ),
    "targets that are NaN, `nanmean`": lambda m, d: _with_nan(m, d).nanmean(),
    "binary cross-entropy with a mask as `weight`": lambda m, d: (
        F.binary_cross_entropy_with_logits(m(d.x), d.soft, d.mask[:, None].expand(-1, 3).float(), reduction="sum")
        / (3 * d.mask.sum())
    ),
    "weights of rows": lambda m, d: ((m(d.x) - d.soft).square() * d.weight[:, None]).mean(),
    "weights of rows, over their sum": lambda m, d: (
        ((m(d.x) - d.soft).square() * d.weight[:, None]).sum() / (3 * d.weight.sum())
    ),
    "two views of each item in one forward": lambda m, d: F.mse_loss(*m(torch.cat([d.x, -d.x])).chunk(2)),
    "a gradient penalty of each item": lambda m, d: (_slopes(m, d).norm(dim=1) - 1).square().mean(),
    "a regression normalised by each target": lambda m, d: ((m(d.x) - d.soft).norm(dim=1) / d.soft.norm(dim=1)).mean(),
    "each item above a fixed threshold": lambda m, d: (_each(m, d) * (d.weight > 0.3)).sum() / (d.weight > 0.3).sum(),
}
NO_ANSWER: dict[str, Loss] = {
    "the root of a mean": lambda m, d: F.mse_loss(m(d.x), d.soft).sqrt(),
    "`loss / accumulate` by habit": lambda m, d: F.cross_entropy(m(d.x), d.y) / len(SIZES),
    "two means over different items": lambda m, d: F.cross_entropy(m(d.x), d.ignored) + m(d.x).pow(2).mean(),
    "a dice loss over the batch": lambda m, d: 1 - 2 * (m(d.x) * d.soft).sum() / (m(d.x).sum() + d.soft.sum()),
    "in-batch negatives": lambda m, d: F.cross_entropy(_between(m, d), torch.arange(len(d.y))),
    "negatives of a frozen encoder": lambda m, d: F.cross_entropy(m(d.x) @ d.soft.T, torch.arange(len(d.y))),
    "distances of all pairs": lambda m, d: torch.cdist(m(d.x), m(d.x)).mean(),
    "the hardest item": lambda m, d: _each(m, d).topk(1).values.mean(),
    "a softmax over the batch": lambda m, d: (m(d.x)[:, 0].softmax(0) * d.weight).mean(),
    "advantages normalised over the micro-batch": _advantages,
    "weights divided by their largest": lambda m, d: (_each(m, d) * (d.weight / d.weight.max())).mean(),
    "targets mixed up within the micro-batch": lambda m, d: F.cross_entropy(m(d.x), d.y.flip(0)),
    "items sorted by loss, the worst left out": lambda m, d: _each(m, d).sort().values[:-1].sum() / len(d.y),
    "the median item": lambda m, d: _each(m, d).median(),
    "a quantile of the items": lambda m, d: _each(m, d).quantile(0.7),
    "items above the mean of the micro-batch": lambda m, d: (
        _each(m, d)[_each(m, d) > _each(m, d).mean()].sum() / len(d.y)
    ),
    "the logarithm of a mean of exponentials": lambda m, d: _each(m, d).exp().mean().log(),
    "`loss.mean() * len(y)`": lambda m, d: F.cross_entropy(m(d.x), d.y) * len(d.y),
    "class weights counted in the micro-batch": lambda m, d: F.cross_entropy(
        m(d.x), d.y, 1 / torch.bincount(d.y, minlength=3).clamp(min=1).float()
    ),
    "a baseline of the micro-batch": lambda m, d: (_each(m, d) * (d.weight - d.weight.mean())).mean(),
    "the neighbour, by `roll`": lambda m, d: F.mse_loss(m(d.x), m(d.x).roll(1, 0)),
    "outputs with themselves, turned around": lambda m, d: (lambda o: (o * o.flip(0)).mean())(m(d.x)),
    "a running sum over items": lambda m, d: m(d.x).cumsum(0).square().mean(),
    "the spread of the outputs": lambda m, d: F.relu(1 - m(d.x).std(0)).mean(),
    "a balance of experts": lambda m, d: (lambda p: 3 * (p.detach().mean(0) * p.mean(0)).sum())(m(d.x).softmax(1)),
    "the product of two means": lambda m, d: F.cross_entropy(m(d.x), d.y) * F.mse_loss(m(d.x), d.soft),
    "the larger of two means": lambda m, d: torch.maximum(F.cross_entropy(m(d.x), d.y), F.mse_loss(m(d.x), d.soft)),
    "products of items by `einsum`": lambda m, d: torch.einsum("id,jd->ij", m(d.x), m(d.x)).square().mean(),
    "pairs scaled by an entry of a parameter": lambda m, d: F.softplus(_between(m, d) * m[0].bias[0]).mean(),  # type: ignore[index]
    "the largest so far": lambda m, d: _each(m, d).cummax(0).values.mean(),
    "targets that were centred over the micro-batch": lambda m, d: F.mse_loss(m(d.x), d.soft - d.soft.mean(0)),
    "`nanmean` by column": lambda m, d: _with_nan(m, d).nanmean(0).mean(),
    "a mean for each class, averaged": lambda m, d: torch.stack(
        [_each(m, d)[d.y == c].mean() for c in d.y.unique()]
    ).mean(),
    "a teacher that is centred over the micro-batch": lambda m, d: F.cross_entropy(
        m(d.x), (d.soft - d.soft.mean(0)).softmax(1)
    ),
    "differences of neighbouring items": lambda m, d: (lambda o: (o[1:] - o[:-1]).square().sum() / len(o))(m(d.x)),
    "a penalty on the gradient of the mean": lambda m, d: _slopes(m, d, mean=True).square().sum(),
    "flooding": lambda m, d: (F.cross_entropy(m(d.x), d.y) - 0.2).abs() + 0.2,
}


def rows() -> list[Row]:
    right = [Row(title, lambda loss=loss: compare(loss)) for title, loss in RIGHT.items()]  # type: ignore[misc]
    refused = [
        Row(title, lambda loss=loss: compare(loss), Mark.REFUSED)  # type: ignore[misc]
        for title, loss in NO_ANSWER.items()
    ]
    return [*right, *refused]
