"""Tensors of all kinds cost a value at most; nobody sees that others are read."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from surefoot.signals.tensors import is_readable, norms_of, plain_torch, values_of
from surefoot.watch.backward import BackwardProbe
from surefoot.watch.probe import Probe
from surefoot.watch.step import StepProbe
from tests.signals.training import measuring


class Wrapper(Tensor):
    """Computes in a way of its own."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})


class Named(nn.Parameter):
    """As some libraries have them, to say more about a parameter."""


def freed() -> Tensor:
    value = torch.ones(64)[8:]
    value.untyped_storage().resize_(0)
    return value


def fake() -> Tensor:
    with FakeTensorMode():
        return torch.ones(3)


ODD: dict[str, Callable[[], Tensor]] = {
    "empty": lambda: torch.empty(0),
    "integer": lambda: torch.ones(3, dtype=torch.int64),
    "float8": lambda: torch.ones(3).to(torch.float8_e4m3fn),
    "meta": lambda: torch.ones(3, device="meta"),
    "fake": fake,
    "freed": freed,
    "quantised": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    "sparse": lambda: torch.eye(3).to_sparse(),
    "subclass": lambda: torch.ones(3).as_subclass(Wrapper),
    "lazy": lambda: nn.UninitializedParameter(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ODD)
def test_what_can_not_be_read(kind: str) -> None:
    assert not is_readable(ODD[kind]())


@pytest.mark.parametrize("kind", [nn.Parameter, Named])
def test_what_can_be_read(kind: type[nn.Parameter]) -> None:
    assert is_readable(kind(torch.ones(3)))
    assert is_readable(torch.ones(3, dtype=torch.complex64).conj())
    assert is_readable(torch.ones(3, dtype=torch.bfloat16).expand(4, 3))


@pytest.mark.filterwarnings("ignore:Sparse")
def test_values_of_gradients() -> None:
    sparse = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
    for grad in (sparse.to_sparse(), sparse.to_sparse_csr()):
        values = values_of(grad)
        assert values is not None and values.tolist() == [2.0]
    assert values_of(freed()) is None
    assert values_of(torch.ones(3, device="meta")) is None
    twice = values_of(torch.tensor([3 + 4j]))
    assert twice is not None and twice.tolist() == [[3.0, 4.0]]


def few() -> list[Probe]:
    """What signals stand on: here it is they that must not fail."""
    return [BackwardProbe(), StepProbe()]


class Odd(nn.Module):
    """A layer that learns, and beside it a parameter of another kind."""

    def __init__(self, other: nn.Parameter) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.other = other


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["empty", "meta", "freed", "fake", "subclass"])
def test_an_odd_parameter_costs_no_more_than_itself(kind: str) -> None:
    model = Odd(nn.Parameter(ODD[kind](), requires_grad=True))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with measuring(probes=few()) as measured:
        for _ in range(3):
            optimizer.zero_grad()
            model.layer(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
    assert len(measured.facts) == 3
    assert [p.name.rpartition(".")[2] for p in measured.facts[-1].params] == ["weight", "bias"]


def test_a_parameter_whose_memory_is_freed_and_comes_back() -> None:
    """As FSDP does with the whole parameters, between their uses."""
    model = Odd(nn.Parameter(torch.ones(64)))
    storage = model.other.untyped_storage()
    optimizer = torch.optim.SGD([model.layer.weight, model.layer.bias, model.other], lr=0.1)
    with measuring(probes=few()) as measured:
        for size in (256, 0, 256):
            storage.resize_(size)
            optimizer.zero_grad()
            model.layer(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
    assert [len(facts.params) for facts in measured.facts] == [3, 2, 3]


def test_memory_that_is_freed_by_the_step_itself() -> None:
    class Frees(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            super().step(closure)
            self.param_groups[0]["params"][0].untyped_storage().resize_(0)

    param = nn.Parameter(torch.ones(8))
    optimizer = Frees([param], lr=0.1)
    with measuring(probes=few()) as measured:
        param.square().sum().backward()
        optimizer.step()
    assert not measured.facts and not measured.tap.off


class Functions(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class Operations(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [Functions, Operations])
def test_nobody_sees_what_is_computed(mode: type[Functions | Operations]) -> None:
    values = [torch.randn(8), torch.randn(4).half()]
    with mode() as seen, plain_torch():
        norms_of(values)
    assert seen.names == []


def told(context: AbstractContextManager[Any]) -> list[Any]:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = [torch.randn(32, 8) for _ in range(3)]
    with measuring() as measured:
        for batch in batches:
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            with context:
                optimizer.step()
    return [(f.params, f.descent, f.overshoot, f.grad_norm, f.activations) for f in measured.facts]


def test_numbers_are_the_same_under_the_users_settings() -> None:
    plain = told(nullcontext())
    assert told(torch.autocast("cpu", torch.bfloat16)) == plain
    assert told(torch.device("meta")) == plain
    assert told(Operations()) == plain
    torch.set_default_dtype(torch.float64)
    try:
        told(nullcontext())
    finally:
        torch.set_default_dtype(torch.float32)


def test_forwards_under_autocast_are_read_in_single_precision() -> None:
    model = nn.Linear(8, 64)
    nn.init.constant_(model.weight, 300.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    with measuring() as measured, torch.autocast("cpu", torch.float16):
        model(torch.ones(32, 8)).square().sum().float().backward()
        optimizer.step()
    (activation,) = measured.facts[0].activations
    assert activation.mean == pytest.approx(2400.0, rel=1e-2)
