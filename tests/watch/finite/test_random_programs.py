"""Random chains of operations, run with every operation looked at: what is said of their NaN must agree with that."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from surefoot.facts import BirthFacts
from surefoot.watch.finite.origin.forward_origin import forward_origin
from surefoot.watch.finite.origin.place import Places
from surefoot.watch.name import Names

NAN, INF = float("nan"), float("inf")
LONGEST = 5


class Everything(TorchDispatchMode):
    """Which operations gave bad results, and which of those were given nothing but finite values."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: set[str] = set()
        self.first: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = tree_leaves((args, kwargs))
        were_finite = all(map(is_finite, given))
        result = func(*args, **(kwargs or {}))
        if not all(map(is_finite, tree_leaves(result))):
            name = func.__name__.partition(".")[0].strip("_")
            self.bad.add(name)
            if were_finite:
                self.first.add(name)
        return result


def is_finite(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.is_floating_point() or bool(value.isfinite().all())
    return not isinstance(value, float) or abs(value) < INF


def with_one(h: Tensor, value: float) -> Tensor:
    data = torch.rand_like(h)
    data.view(-1)[random.randrange(data.numel())] = value
    return data


def some(h: Tensor) -> Tensor:
    return torch.rand(h.shape) < 0.3


Operation = Callable[[Tensor], Tensor]
PLAIN: list[Operation] = [
    torch.relu,
    torch.tanh,
    torch.log,
    torch.sqrt,
    torch.exp,
    torch.expm1,
    F.gelu,
    F.silu,
    F.softplus,
    F.elu,
    F.leaky_relu,
    F.dropout,
    F.normalize,
    lambda h: h.abs().log(),
    lambda h: (h * 200).exp(),
    lambda h: 1 / h.relu(),
    lambda h: h / h.relu(),
    lambda h: h / 2,
    lambda h: h * 3,
    lambda h: h + 1,
    lambda h: h - 1.5,
    lambda h: h * 1e20,
    lambda h: h + with_one(h, 0.5),
    lambda h: h * with_one(h, 0.0),
    lambda h: h.masked_fill(some(h), 0.0),
    lambda h: h.softmax(-1),
    lambda h: h.log_softmax(-1),
    lambda h: torch.where(some(h), h, 0),
    lambda h: torch.where(h > 0, h.log(), h),
    lambda h: F.layer_norm(h, (6,)),
    lambda h: F.layer_norm(h * 0, (6,), eps=0.0),
    lambda h: h.clamp(min=0.1),
    lambda h: h.clamp(min=0).pow(-0.5),
    lambda h: h.pow(2),
    lambda h: h.pow(0.5),
    lambda h: torch.cat([h[:, :3], h[:, 3:]], 1),
    lambda h: h.flip(1),
    lambda h: torch.stack([part.log() if i == 2 else part for i, part in enumerate(h.unbind(1))], 1),
    lambda h: h.cumsum(1),
    lambda h: h.cumprod(1),
    lambda h: (h @ h.T) @ h,
    lambda h: h.logsumexp(1, keepdim=True) + h,
    lambda h: h / h.norm(dim=1, keepdim=True),
    lambda h: h - h.max(1, keepdim=True)[0],
    lambda h: h.sigmoid().log(),
    lambda h: h.clone().mul_(2),
    lambda h: h.clone().log_(),
    lambda h: h.std(1, keepdim=True) * h,
    lambda h: h.sort(1)[0],
]
BRINGING: list[Operation] = [  # a bad value that is there already
    lambda h: h + with_one(h, NAN), lambda h: h * with_one(h, INF), lambda h: h.masked_fill(some(h), NAN),
    lambda h: torch.where(some(h), h, with_one(h, NAN)),
]  # fmt: skip
MASKING: list[Operation] = [lambda h: h + with_one(h, -INF), lambda h: h.masked_fill(some(h), -INF)]
READABLE = {"linear": "addmm", "matmul": "mm", "norm": "linalg_vector_norm", "layer_norm": "native_layer_norm"}


def is_among(operation: str, names: set[str]) -> bool:
    operation = READABLE.get(operation, operation)
    return any(operation in name or name in operation for name in names)


def is_true(birth: BirthFacts, seen: Everything, chain: list[Operation]) -> bool:
    match birth.where:
        case "forward":
            return is_among(birth.operation, seen.first)
        case "seen":
            return is_among(birth.operation, seen.bad)
        case "mask":
            return any(one in MASKING for one in chain)
        case "input":
            return any(one in BRINGING or one in MASKING for one in chain)
    return False  # no weight is bad


@pytest.mark.parametrize(("dtype", "num_programs"), [(torch.float32, 400), (torch.float16, 200)])
def test_nothing_untrue_is_said(dtype: torch.dtype, num_programs: int) -> None:
    places, said = Places(Names()), Counter[str]()
    for seed in range(num_programs):
        random.seed(seed)
        torch.manual_seed(seed)
        first, last = nn.Linear(4, 6, dtype=dtype), nn.Linear(6, 2, dtype=dtype)
        chain = random.choices(PLAIN + BRINGING + MASKING, k=random.randint(1, LONGEST))
        with Everything() as seen:
            h = first(torch.rand(8, 4, dtype=dtype))
            for operation in chain:
                h = operation(h)
            loss = F.mse_loss(last(h).float(), torch.rand(8, 2))
        if not loss.isfinite():
            birth = forward_origin(loss, places)
            assert birth is not None and is_true(birth, seen, chain), (seed, birth, seen.first)
            said[birth.where] += 1
    assert said["forward"] > num_programs / 10 and said["input"] and said["mask"], said
