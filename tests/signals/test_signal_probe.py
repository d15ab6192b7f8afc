"""What is told of sampled steps, against the same numbers computed by hand."""

import gc
import math
import weakref
from collections import Counter
from typing import Any

import pytest
import torch
from torch import nn

from surefoot.facts import decode, encode
from surefoot.signals.sampling import num_first_updates
from tests.signals.training import measuring


def train(model: nn.Module, optimizer: Any, num_steps: int, *, clip: float | None = None, num_inputs: int = 8) -> None:
    for _ in range(num_steps):
        optimizer.zero_grad()
        x = torch.randn(32, num_inputs)
        loss = model(x).square().mean()
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()


def short(name: str) -> str:
    """Without the name of the model, which is there if models of other tests are still alive."""
    lead, _, rest = name.rpartition("/")
    return f"{lead}/" * bool(lead) + ".".join(rest.split(".")[-2:])


def small() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))


def test_norms_are_those_of_the_step() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with measuring() as measured:
        train(model, optimizer, 2)
        before = [p.detach().clone() for p in model.parameters()]
        train(model, optimizer, 1)
    (facts,) = [f for f in measured.facts if f.index == 3]
    for signal, old, param in zip(facts.params, before, model.parameters(), strict=True):
        assert param.grad is not None
        assert signal.grad_norm == pytest.approx(float(param.grad.norm()), rel=1e-4)
        assert signal.norm == pytest.approx(float(old.norm()), rel=1e-4)
        assert signal.update_norm == pytest.approx(float((param.detach() - old).norm()), rel=1e-4)
        assert signal.zeros == pytest.approx(float((param.grad == 0).float().mean()), abs=1e-6)
    assert [short(signal.name) for signal in facts.params] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    total = math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None))
    assert facts.grad_norm == pytest.approx(total, rel=1e-4)
    moved = sum(
        float((p.grad * (p.detach() - old)).sum())
        for p, old in zip(model.parameters(), before, strict=True)
        if p.grad is not None
    )
    assert facts.descent == pytest.approx(moved, rel=1e-3)
    assert facts.lrs == (0.1,) and facts.update == 3 and facts.loss is not None


def test_norms_are_those_before_clipping() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with measuring() as measured:
        train(model, optimizer, 3, clip=1e-3)
    facts = measured.facts[-1]
    clipped = math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters() if p.grad is not None))
    assert clipped == pytest.approx(1e-3, rel=1e-2)
    assert facts.grad_norm > 10 * clipped
    assert facts.grad_norm * facts.clip_factor == pytest.approx(clipped, rel=1e-3)


def test_norms_of_an_optimizer_whose_first_step_comes_later_are_those_before_clipping() -> None:
    """Two are clipped, then the one steps, of which nothing was known, and then the other."""
    models = [small(), small()]
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
    with measuring() as measured:
        for model in models:
            model(torch.ones(4, 8)).square().mean().backward()
        for model in models:
            nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
        for optimizer in optimizers:
            optimizer.step()
    first, second = (facts.grad_norm for facts in measured.facts)
    assert first > 1e-2
    assert second == pytest.approx(first)


def test_results_are_bitwise_the_same_and_no_random_number_is_drawn() -> None:
    plain = small()
    train(plain, torch.optim.AdamW(plain.parameters(), lr=0.01), 20, clip=0.5)
    state = torch.get_rng_state()
    watched = small()
    with measuring():
        train(watched, torch.optim.AdamW(watched.parameters(), lr=0.01), 20, clip=0.5)
    assert torch.equal(torch.get_rng_state(), state)
    for a, b in zip(plain.parameters(), watched.parameters(), strict=True):
        assert torch.equal(a, b)


def test_what_was_sampled_when_is_written() -> None:
    model = small()
    with measuring() as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
    assert list(measured.scalars) == [1, 2, 3]
    names = {short(name) for name in measured.scalars[3]}
    assert {
        "grad_norm",
        "update_ratio",
        "clip_factor",
        "step_seconds",
        "grad_norm/0.weight",
        "update_ratio/2.bias",
    } <= names
    assert {"param_norm/0.weight", "grad_zeros/0.weight", "grad_norm/0.weight", "update_ratio/2.bias"} <= names
    hists = {short(name): sum(counts) for name, counts in measured.hists.items()}
    assert hists["weights/0.weight"] == hists["gradients/0.weight"] == 128


def test_no_overhead_no_signals() -> None:
    model = small()
    with measuring(0.0) as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
    assert measured.facts == [] and measured.scalars == {}
    assert {"signals", "activations"} <= set(measured.tap.off)  # so that rules on them are told not to be checked


def test_records_survive_the_codec() -> None:
    model = small()
    with measuring() as measured:
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 3)
    assert [decode(encode(facts)) for facts in measured.facts] == measured.facts


def test_an_optimizer_with_a_closure_is_measured_after_its_step() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.randn(32, 8)).square().mean()
        loss.backward()
        return loss

    with measuring() as measured:
        for _ in range(3):
            optimizer.step(closure)
    assert len(measured.facts) == 3
    assert all(facts.grad_norm > 0 and facts.params[0].update_norm > 0 for facts in measured.facts)


def test_two_optimizers_are_told_apart() -> None:
    one, two = small(), nn.Linear(1, 1)
    first, second = torch.optim.SGD(one.parameters(), lr=0.1), torch.optim.SGD(two.parameters(), lr=0.1)
    with measuring() as measured:
        for _ in range(3):
            loss = two(one(torch.randn(16, 8))).square().mean()
            loss.backward()
            first.step()
            second.step()
            first.zero_grad()
            second.zero_grad()
    assert [facts.optimizer for facts in measured.facts] == [1, 2] * 3
    assert len(measured.facts[0].params) == 4 and len(measured.facts[1].params) == 2


def test_a_program_that_makes_optimizers_all_the_time_is_not_measured_all_the_time() -> None:
    model = small()
    with measuring(0.02) as measured:
        for _ in range(70):
            train(model, torch.optim.SGD(model.parameters(), lr=0.01), 6)
    per_optimizer = Counter(facts.optimizer for facts in measured.facts)
    expected = {number: min(6, num) for number in range(1, 71) if (num := num_first_updates(number))}
    assert per_optimizer == expected and len(expected) == 64


def test_a_step_that_raises_is_followed_by_whole_ones() -> None:
    model = small()

    class Fails(torch.optim.SGD):
        is_broken = False

        def step(self, closure: Any = None) -> Any:
            if self.is_broken:
                raise ValueError
            return super().step(closure)

    optimizer = Fails(model.parameters(), lr=0.1)
    with measuring() as measured:
        train(model, optimizer, 2)
        optimizer.is_broken = True
        with pytest.raises(ValueError):
            train(model, optimizer, 1)
        optimizer.is_broken = False
        train(model, optimizer, 2)
    assert [facts.index for facts in measured.facts] == [1, 2, 4, 5]
    assert all(facts.params[0].update_norm > 0 for facts in measured.facts)


def test_nothing_is_kept_of_an_optimizer_that_is_gone() -> None:
    with measuring() as measured:
        model = small()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        train(model, optimizer, 2, clip=1.0)
        gone = weakref.ref(model)
        del model, optimizer
        gc.collect()
        assert gone() is None
        assert not measured.signals.optimizers


def test_parameters_that_change_in_between() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        train(model, optimizer, 2)
        norm = float(model[0].weight.detach().norm())
        model[2].weight.requires_grad_(False)
        model[0].weight.data = 2 * model[0].weight.data  # the same shape elsewhere
        train(model, optimizer, 1)
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(3))]})
        train(model, optimizer, 1)
    rows = measured.scalars
    assert ["param_norm/2.weight" in row for row in rows.values()] == [True, True, False, False]
    assert rows[3]["param_norm/0.weight"] == pytest.approx(2 * norm, rel=1e-5)
    assert sum(name.startswith("param_norm/") for name in rows[4]) == 4


def test_a_step_whose_class_calls_that_of_its_base_class_is_one_update() -> None:
    class Wrapped(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            super().step(closure)
            with torch.no_grad():
                for param in self.param_groups[0]["params"]:
                    param.mul_(0.5)

    model = small()
    before = float(model[0].weight.detach().norm())
    with measuring() as measured:
        train(model, Wrapped(model.parameters(), lr=0.0), 2)
    assert [facts.update for facts in measured.facts] == [1, 2]
    assert measured.facts[0].params[0].update_norm == pytest.approx(before / 2, rel=1e-4)


def test_a_step_with_a_closure_has_its_own_number() -> None:
    model = small()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)

    def closure() -> float:
        optimizer.zero_grad()
        loss = model(torch.ones(4, 8)).square().mean()
        loss.backward()
        return loss.item()

    with measuring() as measured:
        for _ in range(3):
            optimizer.step(closure)
    assert [(facts.index, facts.update) for facts in measured.facts] == [(1, 1), (2, 2), (3, 3)]


def test_a_clip_whose_norm_is_written_to_after_the_step() -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with measuring() as measured:
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(32, 8)).square().mean().backward()
            total = nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
            optimizer.step()
            total.zero_()
    assert all(0 < row["clip_factor"] < 1 for row in measured.scalars.values())


def test_histograms_come_with_some_of_the_records() -> None:
    model = small()
    steps: list[int] = []
    with measuring() as measured:
        measured.signals.writer.on_histogram = lambda number, step, name, edges, counts: steps.append(step)
        train(model, torch.optim.SGD(model.parameters(), lr=0.01), 40)
    assert Counter(steps) == dict.fromkeys((1, 33), 8)  # of weights and gradients of four parameters
