"""Autocast, underflow of fp16 gradients, updates lost in half-precision weights."""

import pytest
import torch
from torch.amp import GradScaler
from torch.nn.functional import cross_entropy
from torch.optim import SGD, AdamW, Optimizer

from surefoot.facts import LostUpdateFacts, UnderflowFacts
from surefoot.watch.half.lost import _decay
from tests.watch.watching import Watched, watching


def net() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 5))


def underflows(watched: Watched) -> list[UnderflowFacts | None]:
    return [step.underflow for step in watched.steps]


def train_fp16(factor: float, num_steps: int = 3, *, scaled: bool = False, weights: bool = False) -> torch.nn.Module:
    model = net().half() if weights else net()
    optimizer = SGD(model.parameters(), lr=0.1)
    scaler = GradScaler("cpu", init_scale=2.0**16, enabled=scaled)
    for _ in range(num_steps):
        x, y = torch.randn(16, 8), torch.randint(0, 5, (16,))
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16, enabled=not weights):
            out = model(x.half() if weights else x)
        scaler.scale(factor * cross_entropy(out.float(), y)).backward()
        scaler.step(optimizer)
        scaler.update()
    return model


@pytest.mark.parametrize("weights", [False, True])
def test_underflow_is_measured_at_the_cast(weights: bool) -> None:
    with watching() as watched:
        train_fp16(1e-7, weights=weights)
    for found in underflows(watched):
        assert found is not None and found.num_cast == found.num_flushed == 80
        assert found.weights is weights


def test_underflow_is_measured_in_the_gradients() -> None:
    with watching() as watched:
        model = train_fp16(5e-6)
    for found in underflows(watched):
        assert found is not None and found.num_cast == 80 and found.num_flushed == 0
        assert (found.num_matrices, found.num_sunk) == (2, 1)
        assert found.params[0].endswith("0.weight")
    del model


@pytest.mark.parametrize("weights", [False, True])
def test_gradients_that_fit_do_not_underflow(weights: bool) -> None:
    with watching() as watched:
        train_fp16(1.0, weights=weights)
    for found in underflows(watched):
        assert found is not None and found.num_cast == 80
        assert found.num_flushed == found.num_sunk == 0


def test_nothing_is_measured_with_a_scaler_in_bf16_or_float32() -> None:
    with watching() as watched:
        train_fp16(1e-7, scaled=True)
        model = net()
        optimizer = SGD(model.parameters(), lr=0.1)
        for autocast in (True, False):
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                loss = model(torch.randn(4, 8)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert underflows(watched) == [None] * 5


def test_type_promotion_casts_without_a_node_and_a_kept_graph_is_counted_once() -> None:
    with watching() as watched:
        model = net()
        optimizer = SGD(model.parameters(), lr=0.1)
        with torch.autocast("cpu", dtype=torch.float16):
            error = model(torch.randn(16, 8)) - torch.randn(16, 5)
        loss = (1e-9 * error).square().sum()
        loss.backward(retain_graph=True)
        loss.backward()
        optimizer.step()
    (found,) = underflows(watched)
    assert found is not None and found.num_cast == found.num_flushed == 80


def test_watching_changes_nothing() -> None:
    bare = train_fp16(1e-4)
    with watching():
        model = train_fp16(1e-4)
    assert all(torch.equal(a, b) for a, b in zip(bare.parameters(), model.parameters(), strict=True))


# --- updates


def train_bf16(optimizer_class: type[Optimizer], lr: float, *, closure: bool = False) -> list[LostUpdateFacts]:
    with watching() as watched:
        model = net().to(torch.bfloat16)
        optimizer = optimizer_class(model.parameters(), lr=lr)  # type: ignore[call-arg]
        for _ in range(5):
            x, y = torch.randn(16, 8, dtype=torch.bfloat16), torch.randint(0, 5, (16,))

            def backward(x: torch.Tensor = x, y: torch.Tensor = y) -> float:
                optimizer.zero_grad()
                loss = cross_entropy(model(x).float(), y)
                loss.backward()  # type: ignore[no-untyped-call]
                return loss.item()

            if closure:
                optimizer.step(backward)
            else:
                backward()
                optimizer.step()
    return [step.lost_updates for step in watched.steps if step.lost_updates is not None]


@pytest.mark.parametrize("optimizer_class", [SGD, AdamW])
def test_lost_updates_are_told_at_the_next_step(optimizer_class: type[Optimizer]) -> None:
    found = train_bf16(optimizer_class, 1e-6)
    assert [sample.update for sample in found] == [1, 2, 3, 4]
    for sample in found:
        assert sample.dtype == "bfloat16" and sample.lr == 1e-6
        assert sample.num_unchanged > 0.9 * sample.num_checked > 0
        assert sample.params[0].endswith("0.weight")


def test_updates_that_move_weights_are_not_lost() -> None:
    for sample in train_bf16(AdamW, 1e-1):
        assert sample.num_unchanged < 0.1 * sample.num_checked


def test_decay_is_measured_where_it_multiplies_weights() -> None:
    model = torch.nn.Linear(16, 16).to(torch.bfloat16)
    weights = model.weight.detach().clone()
    lost, felt = AdamW(model.parameters(), lr=1e-2, weight_decay=0.1), AdamW(model.parameters(), 1e-2, weight_decay=1.0)
    assert _decay(lost, {id(model.weight): weights}) == (0.1, 256, 256)
    assert torch.equal(weights * (1 - 1e-2 * 0.1), weights)  # as the optimizer does it
    largest, num_decayed, num_undecayed = _decay(felt, {id(model.weight): weights})
    assert (largest, num_decayed) == (1.0, 256) and num_undecayed < 32
    fused = AdamW(model.parameters(), lr=1e-2, weight_decay=0.1, fused=True)
    for other in (fused, SGD(model.parameters(), lr=1e-2, weight_decay=0.1)):
        assert _decay(other, {id(model.weight): weights}) == (0.0, 0, 0)


def test_closures_and_optimizers_of_ones_own_are_not_measured() -> None:
    class Mine(SGD):
        def step(self, closure=None):  # type: ignore[no-untyped-def, override]
            return super().step(closure)

    assert train_bf16(Mine, 1e-6) == []
    assert train_bf16(SGD, 1e-6, closure=True) == []


def test_backward_inside_autocast() -> None:
    with watching() as watched:
        model = net()
        optimizer = SGD(model.parameters(), lr=0.1)
        for inside in (True, False):
            optimizer.zero_grad()
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.float16):
                model(torch.randn(4, 8))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(torch.randn(4, 8)).square().mean()
                if inside:
                    loss.backward()
            if not inside:
                loss.backward()
            optimizer.step()
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()
    backwards = [step.backwards[0] for step in watched.steps]
    assert [(b.under_autocast, b.autocast_dtype) for b in backwards] == [
        (True, "bfloat16"), (False, "bfloat16"), (False, ""),
    ]  # fmt: skip
