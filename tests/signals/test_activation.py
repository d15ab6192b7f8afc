"""What is told of modules in sampled windows."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import spectral_norm
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from surefoot.facts import ActivationFacts
from tests.signals.training import measuring


def told(model: nn.Module, num_steps: int = 1, rows: int = 32, num_inputs: int = 8) -> list[dict[str, ActivationFacts]]:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        for _ in range(num_steps):
            optimizer.zero_grad()
            model(torch.randn(rows, num_inputs)).square().mean().backward()
            optimizer.step()
    return [{a.module.rpartition(".")[2]: a for a in facts.activations} for facts in measured.facts]


def test_mean_spread_and_zeros() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    state = [p.detach().clone() for p in model.parameters()]
    x = torch.randn(32, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        model(x).square().mean().backward()
        optimizer.step()
    (facts,) = measured.facts
    hidden = x @ state[0].T + state[1]
    first, bent, last = facts.activations
    assert (first.module[-1], first.kind, bent.kind, last.module[-1]) == ("0", "Linear", "Tanh", "2")
    assert first.mean == pytest.approx(float(hidden.mean()), rel=1e-4)
    assert first.spread == pytest.approx(float(hidden.std(unbiased=False)), rel=1e-4)
    assert (first.num_rows, first.num_units) == (32, 16)
    assert first.input_mean == pytest.approx(float(x.mean()), abs=1e-5)
    assert bent.is_passed_on and bent.fed_by == first.module and bent.flat is not None and bent.flat < 0.1
    assert last.is_last and not first.is_last and first.flat is None


def test_dead_units_are_told_after_many_samples() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    with torch.no_grad():
        model[0].bias[:12] = -50.0
    numbers = [facts["0"].num_dead for facts in told(model, 12)]
    assert numbers[:7] == [0] * 7 and numbers[7:] == [12] * 5


def test_channels_of_convolutions_are_units() -> None:
    torch.manual_seed(0)

    class Images(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm, self.out = nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.Linear(8, 1)
            with torch.no_grad():
                self.norm.bias[:6] = -50.0

        def forward(self, x: Tensor) -> Tensor:
            return self.out(torch.relu(self.norm(self.conv(x.view(-1, 1, 4, 4)))).mean((2, 3)))

    last = told(Images(), 9, num_inputs=16)[-1]
    assert last["conv"].num_units == last["norm"].num_units == 8
    assert last["norm"].num_dead == 6


def test_a_gate_is_not_passed_on() -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.value, self.gate, self.bend, self.out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.out(self.value(x) * self.bend(self.gate(x)))

    (facts,) = told(Gated())
    assert not facts["bend"].is_passed_on
    assert not facts["value"].is_passed_on


def test_dropout_hands_on() -> None:
    (facts,) = told(nn.Sequential(nn.Linear(8, 8), nn.Sigmoid(), nn.Dropout(0.5), nn.Linear(8, 1)))
    assert facts["1"].is_passed_on


class Functional(nn.Module):
    """A function that is called without a module."""

    def __init__(self, between: nn.Module | None = None) -> None:
        super().__init__()
        self.first, self.between, self.out = nn.Linear(8, 8), between or nn.Identity(), nn.Linear(8, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.between(torch.tanh(self.first(x))))


@pytest.mark.parametrize("between", [None, nn.Dropout(0.5)])
def test_a_function_without_a_module_is_told_of(between: nn.Module | None) -> None:
    torch.manual_seed(0)
    model = Functional(between)
    with torch.no_grad():
        model.first.weight.mul_(200.0)
    (facts,) = told(model)
    (name,) = {"first", "out"} ^ set(facts)
    bent = facts[name]
    assert (bent.module, bent.kind) == (f"the tanh after {facts['first'].module}", "function")
    assert bent.is_passed_on and bent.fed_by == facts["first"].module
    assert bent.flat is not None and bent.flat > 0.85 and facts["first"].flat is None
    assert facts["out"].is_last


def test_a_function_whose_output_is_changed_before_the_next_layer_is_not() -> None:
    class Gated(Functional):
        def forward(self, x: Tensor) -> Tensor:
            return self.out(x * torch.sigmoid(self.first(x)))

    class Twice(Functional):
        def forward(self, x: Tensor) -> Tensor:
            return self.out(torch.tanh(2 * self.first(x)))

    for model in (Gated(), Twice()):
        (facts,) = told(model)
        assert set(facts) == {"first", "out"}


def test_a_weight_that_is_computed_is_not_computed_by_us() -> None:
    torch.manual_seed(0)
    plain, watched = (spectral_norm(nn.Linear(8, 16)) for _ in range(2))
    watched.load_state_dict(plain.state_dict())
    x = torch.randn(32, 8)
    for layer in (plain, watched):
        nn.init.constant_(layer.bias, -50.0)
    for _ in range(3):
        plain(x).relu().sum().backward()
    with measuring():
        optimizer = torch.optim.SGD(watched.parameters(), lr=0.0)
        for _ in range(3):
            watched(x).relu().sum().backward()
            optimizer.step()
    for key, value in plain.state_dict().items():
        assert torch.equal(value, watched.state_dict()[key]), key


def test_our_operations_are_in_nobodys_record() -> None:
    class Names(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.names.append(str(func))
            return func(*args, **(kwargs or {}))

    model, x = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)), torch.randn(32, 8)
    with Names() as plain:
        model(x)
    with measuring(), Names() as watched:
        model(x)
    assert watched.names == plain.names


def test_a_block_that_is_run_again_is_told_once_and_evaluation_not_at_all() -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 1)

        def forward(self, x: Tensor) -> Tensor:
            inner = checkpoint(self.first, x, use_reentrant=False)
            assert isinstance(inner, Tensor)
            with torch.no_grad():
                self.second(10 * inner)
            return self.second(inner)

    (facts,) = told(Checkpointed())
    assert [(name.rpartition(".")[2], told.is_last) for name, told in facts.items()] == [
        ("first", False),
        ("second", True),
    ]
