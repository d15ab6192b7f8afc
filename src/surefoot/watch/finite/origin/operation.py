"""What operations make of their inputs: how to do them again, which can't go wrong, which have no slope somewhere."""

from collections.abc import Callable, Mapping
from math import prod

import torch
from torch import Tensor

Saved = Mapping[str, object]

# Finite numbers in, finite numbers out, but for overflow. A mean of nothing is told apart.
TAME = frozenset({
    "Abs", "Add", "Alias", "AsStrided", "Cat", "Clamp", "ClampMax", "ClampMin", "Clone", "ConstantPadNd", "Copy",
    "CopySlices", "Diagonal", "Expand", "Flip", "Gather", "Index", "IndexSelect", "LeakyRelu", "MaskedFill",
    "MaskedSelect", "Max", "Maximum", "Mean", "Min", "Minimum", "Narrow", "Neg", "Permute", "Relu", "Repeat",
    "Reshape", "ReshapeAlias", "Roll", "Rsub", "Select", "Sigmoid", "Slice", "Split", "SplitWithSizes", "Squeeze",
    "Stack", "Sub", "Sum", "T", "Tanh", "ToCopy", "Transpose", "Unbind", "Unflatten", "UnsafeView", "Unsqueeze",
    "View",
})  # fmt: skip

# They bring in values that the graph does not name as inputs.
FILLING = frozenset({"ConstantPadNd", "CopySlices", "Fill", "IndexFill", "IndexPut", "MaskedFill", "MaskedScatter"})

# Their values are chosen by the program: an infinite one is a mask, as long as no row is masked altogether.
MASKING = frozenset({"Add", "MaskedFill", "Where", "IndexPut", "CopySlices", "MaskedScatter", "Sub"})

# Their slope is infinite, or has none, at some point where they themselves are finite.
SLOPELESS = frozenset({
    "Acos", "Acosh", "Asin", "Atan2", "Atanh", "Cdist", "CumProd", "Cumprod", "Div", "Erfinv", "Log", "Log10", "Log1P",
    "Log2", "Norm", "LinalgVectorNorm", "Logit", "Pow", "Prod", "Reciprocal", "Rsqrt", "Sqrt", "Std", "Var", "Xlogy",
    "LinalgEigh", "LinalgSvd", "LinalgQr", "Exp", "Expm1", "Logsumexp", "Svd", "Hypot", "LinalgInvEx", "LinalgSolveEx",
})  # fmt: skip

# Their results are no larger than what goes in: they do not overflow in half precision either.
KEEPING = frozenset({
    "Abs", "Alias", "AsStrided", "Cat", "Clone", "Expand", "Flip", "Gather", "Index", "IndexSelect", "MaskedSelect",
    "Max", "Maximum", "Min", "Minimum", "Narrow", "Neg", "Permute", "Relu", "Repeat", "Reshape", "ReshapeAlias",
    "Roll", "Select", "Sigmoid", "Slice", "Split", "SplitWithSizes", "Squeeze", "Stack", "T", "Tanh", "Transpose",
    "Unbind", "Unflatten", "UnsafeView", "Unsqueeze", "View",
})  # fmt: skip

# What is not finite in an input is not finite in the result, whatever the other inputs are.
SPREADING = frozenset({
    "Add", "Addmm", "Alias", "Baddbmm", "Bmm", "Clone", "Dot", "Expand", "Mean", "Mm", "Mul", "Mv", "Neg", "Permute",
    "Reshape", "ReshapeAlias", "Rsub", "Squeeze", "Sub", "Sum", "T", "ToCopy", "Transpose", "Unflatten", "UnsafeView",
    "Unsqueeze", "View",
})  # fmt: skip

_BOUNDED = frozenset({"Sigmoid", "Softmax", "Tanh"})
_SUMS = frozenset({"Mean", "Sum"})
_PRODUCTS = frozenset({
    "Addmm", "Baddbmm", "Bmm", "Convolution", "Dot", "Embedding", "Gelu", "LogSoftmax", "Mm", "Mul", "Mv",
    "NllLoss", "Silu", "Softplus",
})  # fmt: skip
MOST_TERMS = 1e7  # of a sum that one value is made of

_MEANS = frozenset({"Mean", "Std", "Var", "MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy"})


def averages(operation: str) -> bool:
    """Whether it divides by the number of values, which may be none."""
    return operation in _MEANS


def largest_result(operation: str, ranges: list[tuple[float, float]]) -> float | None:
    """What the size of a result stays below, with finite inputs in these ranges; None where that can't be told."""
    sizes = [max(abs(low), abs(high)) for low, high in ranges]
    if operation in _BOUNDED:
        return 1.0
    if operation in TAME:
        return MOST_TERMS * sum(sizes) if operation in _SUMS else 2 * sum(sizes)
    if operation in _PRODUCTS:
        return MOST_TERMS * prod(max(1.0, size) for size in sizes)
    if operation == "Div" and len(ranges) == 2 and ranges[1][0] * ranges[1][1] > 0:
        return 2 * sizes[0] / min(abs(edge) for edge in ranges[1])
    return None


def is_harmless(operation: str, saved: Saved) -> bool:
    """A division by what is not 0."""
    other = saved.get("other")
    return operation == "Div" and isinstance(other, Tensor) and bool((other != 0).all())


def again(operation: str, saved: Saved) -> Tensor | None:
    """The result of an operation that keeps its inputs and not its result; None where that can't be told."""
    do = _AGAIN.get(operation)
    if do is None:
        return None
    with torch.no_grad():
        try:
            return do(saved)
        except (KeyError, RuntimeError, TypeError):
            return None


def _of_self(function: Callable[[Tensor], Tensor]) -> Callable[[Saved], Tensor]:
    return lambda saved: function(_tensor(saved, "self"))


def _quotient(saved: Saved) -> Tensor:
    other = _tensor(saved, "other")
    if isinstance(saved.get("self"), Tensor):
        return _tensor(saved, "self") / other
    if bool((other != 0).all()):
        raise KeyError("self")  # not kept where the divisor needs no gradient
    return torch.ones_like(other) / other


def _product(saved: Saved) -> Tensor:
    return _tensor(saved, "self") * _tensor(saved, "other")


def _power(saved: Saved) -> Tensor:
    exponent = saved["exponent"]
    assert isinstance(exponent, Tensor | int | float)
    return torch.pow(_tensor(saved, "self"), exponent)


def _tensor(saved: Saved, name: str) -> Tensor:
    value = saved[name]
    if not isinstance(value, Tensor):
        raise TypeError(name)
    return value


_AGAIN: dict[str, Callable[[Saved], Tensor]] = {
    "Acos": _of_self(torch.acos),
    "Acosh": _of_self(torch.acosh),
    "Addmm": lambda saved: _tensor(saved, "mat1") @ _tensor(saved, "mat2"),
    "Asin": _of_self(torch.asin),
    "Atanh": _of_self(torch.atanh),
    "Bmm": lambda saved: _tensor(saved, "self") @ _tensor(saved, "mat2"),
    "Div": _quotient,
    "Erfinv": _of_self(torch.erfinv),
    "Log": _of_self(torch.log),
    "Log10": _of_self(torch.log10),
    "Log1P": _of_self(torch.log1p),
    "Log2": _of_self(torch.log2),
    "Logit": _of_self(torch.logit),
    "Mm": lambda saved: _tensor(saved, "self") @ _tensor(saved, "mat2"),
    "MseLoss": lambda saved: (_tensor(saved, "self") - _tensor(saved, "target")).square(),
    "Mul": _product,
    "Pow": _power,
}
