"""What the rules call true, as far as a few lines can show it and no question does."""

import inspect
import math

import pytest
import torch
from torch.nn import functional
from torch.optim import SGD, Adam, AdamW
from torch.optim.lr_scheduler import ExponentialLR, LambdaLR, ReduceLROnPlateau


def parameter(value: float = 1.0) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.tensor(value))


def test_scaler_step_only_divides() -> None:
    """loss-not-scaled"""
    weight = parameter()
    optimizer = SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
    scaler.scale(torch.zeros(()))
    (weight * 1.0).backward()
    scaler.step(optimizer)
    assert 0 < 1.0 - weight.item() < 1e-4


def test_a_mean_over_no_target_is_nan_and_its_gradient_may_be_zero() -> None:
    """no-valid-targets"""
    scores = torch.randn(3, 4, requires_grad=True)
    loss = functional.cross_entropy(scores, torch.full((3,), -100))
    loss.backward()
    assert loss.isnan() and scores.grad is not None and not scores.grad.any()


def test_clipping_nothing_returns_zero() -> None:
    """clip-without-gradients"""
    model = torch.nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    params = iter(list(model.parameters()))  # newer versions of torch warn about generators
    assert torch.nn.utils.clip_grad_norm_(params, 1.0) > 0
    assert torch.nn.utils.clip_grad_norm_(params, 1.0) == 0


def test_nan_stays() -> None:
    """non-finite-step"""
    weight = parameter()
    optimizer = SGD([weight], lr=0.1)
    for factor in (math.nan, 1.0, 1.0):
        optimizer.zero_grad()
        (weight * factor).backward()
        optimizer.step()
    assert weight.isnan()


def test_functional_dropout_asks_no_flag() -> None:
    """dropout-active-in-eval"""
    assert inspect.signature(functional.dropout).parameters["training"].default is True


def test_two_values_become_plus_and_minus_one() -> None:
    """batchnorm-tiny-batch"""
    out = torch.nn.BatchNorm1d(1)(torch.tensor([[3.0], [900.0]])).flatten()
    assert torch.allclose(out, torch.tensor([-1.0, 1.0]), atol=1e-4)


def test_a_scheduler_writes_its_first_rate_when_it_is_made() -> None:
    """zero-learning-rate, schedule-never-stepped"""
    optimizer = SGD([parameter()], lr=0.1)
    LambdaLR(optimizer, lambda step: step / 10)
    assert optimizer.param_groups[0]["lr"] == 0


@pytest.mark.parametrize(("kind", "carries_on"), [(ExponentialLR, True), (LambdaLR, False)])
def test_a_rate_set_by_hand_is_carried_on_or_wiped_out(kind: type, carries_on: bool) -> None:
    """schedule-overwritten"""
    optimizer = SGD([parameter()], lr=1.0)
    scheduler = kind(optimizer, 0.5 if kind is ExponentialLR else lambda step: 0.5**step)
    optimizer.param_groups[0]["lr"] = 100.0
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == (50.0 if carries_on else 0.5)


def test_a_plateau_is_one_of_losses_unless_it_is_told() -> None:
    """plateau-metric-reversed"""
    optimizer = SGD([parameter()], lr=1.0)
    scheduler = ReduceLROnPlateau(optimizer, patience=1)
    for accuracy in (0.1, 0.5, 0.7, 0.9):
        scheduler.step(accuracy)
    assert optimizer.param_groups[0]["lr"] < 1.0


def test_a_module_takes_any_attribute() -> None:
    """misspelled-requires-grad"""
    layer = torch.nn.Linear(2, 1)
    layer.requires_grad = False  # type: ignore[assignment]
    layer.weight.require_grad = False  # type: ignore[attr-defined]
    assert all(param.requires_grad for param in layer.parameters())


def test_adam_decays_weights_with_large_gradients_less() -> None:
    """adam-with-l2-decay"""

    def decay_of(kind: type, gradient: float) -> float:
        ends = []
        for decay in (0.0, 0.1):
            weight = parameter()
            optimizer = kind([weight], lr=0.01, weight_decay=decay)
            for sign in (1, -1) * 20:
                optimizer.zero_grad()
                (weight * gradient * sign).backward()
                optimizer.step()
            ends.append(weight.item())
        return ends[0] - ends[1]

    assert decay_of(Adam, 100.0) < 0.1 * decay_of(Adam, 0.1)
    assert decay_of(AdamW, 100.0) == pytest.approx(decay_of(AdamW, 0.1), rel=0.05)


def test_the_first_argument_of_kl_div_is_a_logarithm_and_the_order_is_turned_round() -> None:
    """kl-input-not-log"""
    model, target = torch.tensor([0.2, 0.8]), torch.tensor([0.5, 0.5])
    textbook = (target * (target / model).log()).sum()
    assert torch.allclose(functional.kl_div(model.log(), target, reduction="sum"), textbook)


def test_a_second_sigmoid_confines_predictions() -> None:
    """sigmoid-before-bce-with-logits"""
    low, high = torch.sigmoid(torch.tensor([0.0, 1.0])).tolist()
    assert (round(low, 2), round(high, 2)) == (0.50, 0.73)


def test_a_softmax_of_a_softmax_says_at_most_e_times() -> None:
    """softmax-before-cross-entropy"""
    said = torch.softmax(torch.softmax(torch.tensor([1000.0, 0.0]), 0), 0)
    assert (said[0] / said[1]).item() == pytest.approx(math.e)


def test_one_class_costs_nothing() -> None:
    """single-class-cross-entropy"""
    scores = torch.randn(4, 1, requires_grad=True)
    loss = functional.cross_entropy(scores, torch.zeros(4, dtype=torch.long))
    loss.backward()
    assert loss == 0 and scores.grad is not None and not scores.grad.any()


def test_hooks_run_around_a_call_and_not_around_forward() -> None:
    """forward-called-directly"""
    model, seen = torch.nn.Linear(2, 1), []
    model.register_forward_hook(lambda *called: seen.append(1))
    model(torch.ones(1, 2))
    model.forward(torch.ones(1, 2))
    assert seen == [1]


def test_eval_mode_builds_graphs() -> None:
    """graph-built-in-evaluation"""
    model = torch.nn.Linear(2, 1).eval()
    assert model(torch.ones(1, 2)).grad_fn is not None
