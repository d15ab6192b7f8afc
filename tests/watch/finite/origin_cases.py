"""Programs that make NaN or Inf, each with its true origin: where it began, in which operation, in which module.

`proven` says whether the graph keeps enough to tell; where it does not, less must be said, and nothing wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

NAN, INF = float("nan"), float("inf")


@dataclass
class Case:
    name: str
    where: str
    operation: str
    make: Callable[[], tuple[nn.Module, Tensor]]  # the model, and its loss
    module: str = ""  # that ran it, where the graph shows it
    proven: bool = True


@dataclass
class Between(nn.Module):
    """Two layers with a function between them."""

    function: Callable[[Tensor], Tensor]
    first: nn.Module = field(init=False)
    last: nn.Module = field(init=False)

    def __post_init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 2)

    def __hash__(self) -> int:
        return id(self)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.last(self.function(self.first(x)))
        return y


class Log(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.log()


class Call(nn.Module):
    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


class BadForward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * NAN

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad


class BadBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad * NAN


def between(function: Callable[[Tensor], Tensor]) -> Callable[[], tuple[nn.Module, Tensor]]:
    def make() -> tuple[nn.Module, Tensor]:
        model = Between(function)
        return model, F.mse_loss(model(torch.rand(8, 4)), torch.rand(8, 2))

    return make


def loss_of(function: Callable[[Tensor], Tensor], *layers: nn.Module) -> Callable[[], tuple[nn.Module, Tensor]]:
    """Of a model with an output of 8 x 4."""

    def make() -> tuple[nn.Module, Tensor]:
        model = nn.Sequential(nn.Linear(4, 4), *layers)
        return model, function(model(torch.rand(8, 4)))

    return make


def given(x: Tensor, y: Tensor | None = None, model: nn.Module | None = None) -> tuple[nn.Module, Tensor]:
    model = Between(torch.relu) if model is None else model
    return model, F.mse_loss(model(x), torch.rand(8, 2) if y is None else y)


def with_bad(value: float, *shape: int) -> Tensor:
    bad = torch.rand(*shape)
    bad[0, 0] = value
    return bad


def bad_weight(name: str, value: float) -> tuple[nn.Module, Tensor]:
    model = Between(torch.tanh)
    with torch.no_grad():
        model.get_parameter(name).view(-1)[0] = value
    return given(torch.rand(8, 4), model=model)


def zero_output(function: Callable[[Tensor], Tensor]) -> tuple[nn.Module, Tensor]:
    """The output is 0, as that of a last layer that starts at 0 is."""
    model = nn.Linear(4, 4)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    return model, function(model(torch.rand(8, 4)))


def attention(mask: Tensor, *, added: bool = False) -> Callable[[Tensor], Tensor]:
    def attend(h: Tensor) -> Tensor:
        scores = h @ h.T / 2
        scores = scores + torch.zeros(8, 8).masked_fill(mask, -INF) if added else scores.masked_fill(mask, -INF)
        return scores.softmax(1) @ h

    return attend


CAUSAL, ROW = torch.ones(8, 8).triu(1).bool(), torch.zeros(8, 8, dtype=torch.bool)
ROW[3] = True


def half_overflow() -> tuple[nn.Module, Tensor]:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for layer in (model[0], model[2]):
        nn.init.constant_(layer.weight, 300.0)
    model.half()
    return model, model(torch.ones(8, 4).half()).float().mean()


def half_square() -> tuple[nn.Module, Tensor]:
    model = nn.Linear(4, 4).half()
    nn.init.constant_(model.weight, 300.0)
    return model, (model(torch.ones(8, 4).half()) ** 2).float().mean()


def half_sum() -> tuple[nn.Module, Tensor]:
    model = nn.Linear(4, 4).half()
    nn.init.constant_(model.weight, 5000.0)
    return model, model(torch.ones(8, 4).half()).sum()


def fill_in_place(h: Tensor) -> Tensor:
    h = h.clone()
    h[0] = NAN
    return h


def log_in_place(h: Tensor) -> Tensor:
    return (h - h).abs().log_()


def two_heads() -> tuple[nn.Module, Tensor]:
    """One head is fine, one takes a logarithm of what is below 0."""
    model = nn.ModuleDict({"body": nn.Linear(4, 4), "good": nn.Linear(4, 2), "bad": nn.Linear(4, 2)})
    h = model["body"](torch.rand(8, 4)).relu()
    return model, model["good"](h).square().mean() + (-model["bad"](h).square()).log().mean()


def log_in_a_sequential() -> tuple[nn.Module, Tensor]:
    return given(torch.rand(8, 4), model=nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Linear(4, 2)))


def log_before_two_layers() -> tuple[nn.Module, Tensor]:
    """As in a report: the layer behind it was named, "whose inputs are finite", and was given -inf."""
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Linear(4, 4), nn.Linear(4, 2))
    return given(torch.zeros(8, 4), model=model)


def softmax_of_log() -> tuple[nn.Module, Tensor]:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Log(), nn.Softmax(1), nn.Linear(4, 2))
    nn.init.constant_(model[0].weight, -1.0)
    return given(torch.rand(8, 4), model=model)


def masked_target(*, is_hit: bool) -> tuple[nn.Module, Tensor]:
    model = nn.Linear(4, 4)
    mask = torch.tensor([False, False, False, True])
    target = torch.full((8,), 3 if is_hit else 1)
    return model, F.cross_entropy(model(torch.rand(8, 4)).masked_fill(mask, -INF), target)


def masked_logsumexp(y: Tensor) -> Tensor:
    mask = torch.zeros(8, 4, dtype=torch.bool)
    mask[3] = True
    return y.masked_fill(mask, -INF).logsumexp(1).mean()


def norm_without_eps() -> tuple[nn.Module, Tensor]:
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4, eps=0.0), nn.Linear(4, 2))
    nn.init.zeros_(model[0].weight)
    nn.init.zeros_(model[0].bias)
    return given(torch.rand(8, 4), model=model)


def exploded() -> tuple[nn.Module, Tensor]:
    """After an update with a rate that was far too high."""
    model = Between(torch.relu)
    with torch.no_grad():
        for layer in (model.first, model.last):
            layer.weight.fill_(3e30)
    return given(torch.rand(8, 4), model=model)


def compiled() -> tuple[nn.Module, Tensor]:
    model = nn.Linear(4, 4)
    compiled_model = torch.compile(nn.Sequential(model, nn.ReLU(), Log()), backend="aot_eager")
    return model, compiled_model(torch.rand(8, 4)).mean()


def checkpointed() -> tuple[nn.Module, Tensor]:
    from torch.utils.checkpoint import checkpoint

    return between(lambda h: checkpoint(torch.log, h, use_reentrant=False))()


FORWARD = [
    Case("log of what is below 0", "forward", "log", between(torch.log)),
    Case("log10", "forward", "log10", between(torch.log10)),
    Case("log2", "forward", "log2", between(torch.log2)),
    Case("log1p", "forward", "log1p", between(lambda h: torch.log1p(h - 3))),
    Case("sqrt of what is below 0", "forward", "sqrt", between(lambda h: -h.abs().sqrt() + (-h.abs()).sqrt())),
    Case("rsqrt", "forward", "rsqrt", between(torch.rsqrt)),
    Case("0 / 0", "forward", "div", between(lambda h: (h - h) / (h - h))),
    Case("x / 0", "forward", "div", between(lambda h: h / (h - h))),
    Case("1 / 0", "forward", "reciprocal", between(lambda h: 1 / h.relu())),
    Case("0 ** -0.5", "forward", "pow", between(lambda h: h.relu().pow(-0.5))),
    Case("a root of what is below 0", "forward", "pow", between(lambda h: (-h.abs()).pow(0.3))),
    Case("exp", "forward", "exp", between(lambda h: (1000 * h.abs().clamp(min=1)).exp())),
    Case("expm1", "forward", "expm1", between(lambda h: torch.expm1(1000 * h.abs().clamp(min=1)))),
    Case("acos", "forward", "acos", between(lambda h: torch.acos(h + 2))),
    Case("asin", "forward", "asin", between(lambda h: torch.asin(h + 2))),
    Case("atanh", "forward", "atanh", between(lambda h: torch.atanh(h + 2))),
    Case("logit", "forward", "logit", between(lambda h: torch.special.logit(h + 2))),
    Case("erfinv", "forward", "erfinv", between(lambda h: torch.erfinv(h + 5))),
    Case("sinh", "forward", "sinh", between(lambda h: torch.sinh(100 * h.abs().clamp(min=1)))),
    Case("a mean of nothing", "forward", "mean", loss_of(lambda y: y.square().mean() + y[y[:, 0] > 99].mean())),
    Case("log of a probability of 0", "forward", "log", loss_of(lambda y: -(y * 9e9).softmax(1).log().mean())),
    Case("cross-entropy by hand", "forward", "log", loss_of(lambda y: -(0.5 * y.relu().log() + 0.5 * y).mean())),
    Case("log in a Sequential", "forward", "log", log_in_a_sequential, module="2"),
    Case("log before two layers", "forward", "log", log_before_two_layers, module="2"),
    Case("an Inf that becomes NaN in softmax", "forward", "log", softmax_of_log, module="2"),
    Case("two heads", "forward", "log", two_heads),
    Case("layer norm without eps", "forward", "layer_norm", norm_without_eps, module="1"),
    Case("a custom function", "forward", "bad_forward", between(BadForward.apply)),
    Case("overflow in float16", "forward", "linear", half_overflow, module="2"),
    Case("a square in float16", "forward", "pow", half_square),
    Case("a sum in float16", "forward", "sum", half_sum),
    Case("exploded weights", "forward", "linear", exploded, module="last"),
    Case("log in place", "forward", "log", between(log_in_place)),
    Case("exp after a constant", "forward", "exp", between(lambda h: (h.abs() + 1000).exp()), proven=False),
    Case("two that may be it", "forward", "fmod", between(lambda h: torch.fmod(torch.fmod(h, 0.0), 0.0)), proven=False),
    Case("inside checkpointing", "forward", "log", checkpointed),
    Case("inside compiled code", "forward", "log", compiled, proven=False),
    Case("NaN in data", "input", "linear", lambda: given(with_bad(NAN, 8, 4)), module="first"),
    Case("Inf in data", "input", "linear", lambda: given(with_bad(INF, 8, 4)), module="first"),
    Case("-Inf in data", "input", "linear", lambda: given(with_bad(-INF, 8, 4)), module="first"),
    Case("NaN in targets", "input", "mse_loss", lambda: given(torch.rand(8, 4), with_bad(NAN, 8, 2))),
    Case("Inf in targets", "input", "mse_loss", lambda: given(torch.rand(8, 4), with_bad(INF, 8, 2))),
    Case("data that is added", "input", "add", between(lambda h: (h + with_bad(NAN, 8, 6)).relu())),
    Case("data that is subtracted", "input", "sub", between(lambda h: (h - with_bad(NAN, 8, 6)).relu())),
    Case("data that multiplies", "input", "mul", between(lambda h: h * with_bad(NAN, 8, 6))),
    Case("weights of the loss", "input", "mul", loss_of(lambda y: (y * with_bad(INF, 8, 4)).mean())),
    Case("NaN in a weight", "weight", "", lambda: bad_weight("last.weight", NAN), module="last.weight"),
    Case("Inf in a weight", "weight", "", lambda: bad_weight("last.weight", INF), module="last.weight"),
    Case("NaN in a bias", "weight", "", lambda: bad_weight("first.bias", NAN), module="first.bias"),
    Case("NaN written in place", "input", "copy_slices", between(fill_in_place)),
    Case("a branch of where", "forward", "log", between(lambda h: torch.where(h > 0, h.log(), (-h.abs()).log()))),
    Case("a row that is masked throughout", "mask", "softmax", between(attention(ROW)), proven=False),
    Case("the same, by addition", "mask", "softmax", between(attention(ROW, added=True)), proven=False),
    Case("a causal mask beside log", "forward", "log", between(lambda h: (attention(CAUSAL)(h) - 99).log())),
    Case("a masked target", "mask", "nll_loss", lambda: masked_target(is_hit=True), proven=False),
    Case("a masked row in logsumexp", "mask", "mean", loss_of(masked_logsumexp)),
    Case("a mean over a mask", "input", "masked_fill", loss_of(lambda y: y.masked_fill(y > -99, -INF).mean())),
    Case("+Inf that is filled in", "input", "masked_fill", loss_of(lambda y: y.masked_fill(y > -99, INF).mean())),
]

BACKWARD = [
    Case("sqrt of 0", "backward", "sqrt", between(lambda h: (h - h).sqrt())),
    Case("acos of 1", "backward", "acos", between(lambda h: torch.acos(h - h + 1))),
    Case("asin of 1", "backward", "asin", between(lambda h: torch.asin(h - h + 1))),
    Case("0 ** 0.5", "backward", "pow", between(lambda h: (h - h).abs().pow(0.5))),
    Case("a branch that where leaves out", "backward", "div", between(lambda h: torch.where(h > 9, h / (h - h), h))),
    Case("a log that where leaves out", "backward", "log", between(lambda h: torch.where(h < 9, h, (h - h).log()))),
    Case("a custom backward", "backward", "bad_backward", between(BadBackward.apply)),
    Case("the norm of 0 by hand", "backward", "sqrt", lambda: zero_output(lambda y: y.pow(2).sum().sqrt())),
    Case("the root of a mean", "backward", "sqrt", lambda: zero_output(lambda y: y.pow(2).mean().sqrt())),
    Case("hypot at 0", "backward", "hypot", lambda: zero_output(lambda y: torch.hypot(y, y).mean())),
    Case("0 / 0 in a branch", "backward", "div", lambda: zero_output(lambda y: torch.where(y > 0, y / y, y).mean())),
    Case("sqrt beside exp", "backward", "exp or sqrt", between(lambda h: (h - h).sqrt() + h.exp())),
    Case(
        "one of very many", "backward", "sqrt",
        between(lambda h: (h - h).sqrt() + h.exp() + h.abs().log() + 1 / (h / 9).acos()), proven=False,
    ),
]  # fmt: skip
