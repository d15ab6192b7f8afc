"""Paths are torch's own numbers: each is compared, bit for bit, with the loop written out."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.optim import lr_scheduler

import surefoot as sf
from surefoot.lab.descent.catalogue import NUM_SAMPLES, OPTIMIZERS, SCHEDULES
from surefoot.lab.descent.descend import LOST, NotWantedError, Path, descend
from surefoot.lab.descent.samples import mean_pulls, pulls
from surefoot.lab.descent.settings import Settings, read_settings
from surefoot.lab.descent.surface import SURFACES

STEPS = 30
Weights = list[torch.Tensor]

OPTIONS: list[tuple[dict[str, Any], Callable[[Weights], torch.optim.Optimizer]]] = [
    ({"optimizer": "SGD"}, lambda w: torch.optim.SGD(w, lr=0.1)),
    (
        {"optimizer": "SGD", "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    ),
    (
        {"optimizer": "SGD", "momentum": 0.5, "dampening": 0.3},
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.5, dampening=0.3),
    ),
    (
        {"optimizer": "RMSprop", "alpha": 0.9, "momentum": 0.5, "centered": True},
        lambda w: torch.optim.RMSprop(w, lr=0.1, alpha=0.9, momentum=0.5, centered=True),
    ),
    (
        {"optimizer": "Adagrad", "lr_decay": 0.01, "initial_accumulator_value": 0.1},
        lambda w: torch.optim.Adagrad(w, lr=0.1, lr_decay=0.01, initial_accumulator_value=0.1),
    ),
    (
        {"optimizer": "Adam", "beta1": 0.8, "beta2": 0.99, "weight_decay": 0.1, "amsgrad": True},
        lambda w: torch.optim.Adam(w, lr=0.1, betas=(0.8, 0.99), weight_decay=0.1, amsgrad=True),
    ),
    ({"optimizer": "AdamW"}, lambda w: torch.optim.AdamW(w, lr=0.1)),
    ({"optimizer": "NAdam", "momentum_decay": 0.01}, lambda w: torch.optim.NAdam(w, lr=0.1, momentum_decay=0.01)),
    ({"optimizer": "RAdam", "eps": 1e-6}, lambda w: torch.optim.RAdam(w, lr=0.1, eps=1e-6)),
    ({"optimizer": "Adadelta", "rho": 0.8}, lambda w: torch.optim.Adadelta(w, lr=0.1, rho=0.8)),
]
SHAPES: list[tuple[dict[str, Any], Callable[[torch.optim.Optimizer], lr_scheduler.LRScheduler]]] = [
    ({"schedule": "step", "step_size": 7, "gamma": 0.3}, lambda o: lr_scheduler.StepLR(o, step_size=7, gamma=0.3)),
    ({"schedule": "exponential", "decay": 0.9}, lambda o: lr_scheduler.ExponentialLR(o, gamma=0.9)),
    ({"schedule": "cosine", "floor": 0.1}, lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=STEPS, eta_min=0.1 * 0.1)),
    ({"schedule": "warmup_cosine", "warmup": 5}, lambda o: sf.schedule.warmup_cosine(o, warmup=5, updates=STEPS)),
    (
        {"schedule": "one_cycle", "cycle_momentum": True},
        lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.1, total_steps=STEPS),
    ),
]


def settings(path: dict[str, Any], **shared: Any) -> Settings:
    return read_settings({"steps": STEPS, **shared, "paths": [{"rate": 0.1, **path}]})[0]


def bowl(w: torch.Tensor) -> torch.Tensor:
    return w[0] ** 2 + 4 * w[1] ** 2


def assert_same(path: Path, walked: Weights, rates: list[float] | None = None) -> None:
    assert [path.w0, path.w1] == torch.stack(walked).T.tolist()
    assert path.loss == [float(bowl(w)) for w in walked]
    assert rates is None or path.rate == rates


def test_every_optimizer_and_schedule_is_tried() -> None:
    assert {path["optimizer"] for path, _ in OPTIONS} | {"LBFGS"} == set(OPTIMIZERS)
    assert {path["schedule"] for path, _ in SHAPES} | {"constant"} == set(SCHEDULES)


@pytest.mark.parametrize(("path", "make"), OPTIONS, ids=lambda one: str(one) if isinstance(one, dict) else "")
def test_an_optimizer_does_what_torch_does(path: dict[str, Any], make: Callable[[Weights], Any]) -> None:
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    optimizer = make([w])
    walked, norms = [w.detach().clone()], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        bowl(w).backward()
        norms.append(float(w.grad.norm()))  # type: ignore[union-attr]
        optimizer.step()
        walked.append(w.detach().clone())
    found = descend(settings(path))
    assert_same(found, walked, [0.1] * STEPS)
    assert found.grad_norm == norms


@pytest.mark.parametrize("line_search", [False, True])
def test_lbfgs_does_what_torch_does(line_search: bool) -> None:
    w = torch.tensor([-1.2, 1.0], requires_grad=True)
    search = "strong_wolfe" if line_search else None
    optimizer = torch.optim.LBFGS([w], lr=0.1, max_iter=3, history_size=4, line_search_fn=search)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss.detach()

    walked = [w.tolist()]
    for _ in range(STEPS):
        optimizer.step(closure)
        walked.append(w.tolist())
    path = {"optimizer": "LBFGS", "max_iter": 3, "history_size": 4, "line_search": line_search}
    found = descend(settings(path, surface="rosenbrock"))
    assert [list(pair) for pair in zip(found.w0, found.w1, strict=True)] == walked


@pytest.mark.parametrize(("path", "make"), SHAPES, ids=lambda one: one["schedule"] if isinstance(one, dict) else "")
def test_a_schedule_does_what_torch_does(path: dict[str, Any], make: Callable[[Any], Any]) -> None:
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.5)
    schedule = make(optimizer)
    walked, rates = [w.detach().clone()], []
    for _ in range(STEPS):
        optimizer.zero_grad()
        bowl(w).backward()
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
        walked.append(w.detach().clone())
    assert_same(descend(settings({**path, "momentum": 0.5})), walked, rates)


@pytest.mark.parametrize("forget_zero", [False, True])
@pytest.mark.parametrize(("accumulate", "divide"), [(1, True), (4, True), (3, False)])
@pytest.mark.parametrize("clip_norm", [0.0, 0.5])
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_switches_do_what_they_say(
    forget_zero: bool, accumulate: int, divide: bool, clip_norm: float, optimizer: str
) -> None:
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    stepping = getattr(torch.optim, optimizer)([w], lr=0.05)
    walked = [w.detach().clone()]
    for _ in range(STEPS):
        if not forget_zero:
            stepping.zero_grad()
        for _ in range(accumulate):
            loss = bowl(w)
            if divide and accumulate > 1:
                loss = loss / accumulate
            loss.backward()
        if clip_norm:
            torch.nn.utils.clip_grad_norm_([w], clip_norm)
        stepping.step()
        walked.append(w.detach().clone())
    path = {"optimizer": optimizer, "rate": 0.05, "forget_zero": forget_zero, "clip_norm": clip_norm}
    assert_same(descend(settings({**path, "accumulate": accumulate, "divide": divide})), walked)


@pytest.mark.parametrize(("noise", "size"), [("mini", 8), ("mini", 24), ("single", 1)])
def test_batches_are_means_of_samples(noise: str, size: int) -> None:
    half = 1.5 * torch.randn(32, 2, generator=torch.Generator().manual_seed(7))
    pull = torch.cat([half, -half])
    shuffling = torch.Generator().manual_seed(8)
    w = torch.tensor([3.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    walked, batches = [w.detach().clone()], []
    while len(batches) < STEPS:
        batches += torch.randperm(64, generator=shuffling)[: 64 // size * size].split(size)
    for batch in batches[:STEPS]:
        optimizer.zero_grad()
        (bowl(w) + (pull[batch].mean(0) * w).sum()).backward()
        optimizer.step()
        walked.append(w.detach().clone())
    path = {"noise": noise, "batch_size": 24 if size == 24 else 8}
    assert_same(descend(settings(path, seed=7, spread=1.5)), walked)


def test_the_mean_over_all_samples_is_the_surface() -> None:
    assert pulls(3, 2.0).double().sum(0).tolist() == [0.0, 0.0]
    batches = mean_pulls(settings({"noise": "mini", "batch_size": 16}, spread=2.0, seed=3))
    epoch = [next(batches) for _ in range(NUM_SAMPLES // 16)]
    assert torch.stack([one for one in epoch if one is not None]).mean(0).abs().max() < 1e-6


def test_the_full_batch_has_no_noise() -> None:
    full = descend(settings({"noise": "mini", "batch_size": NUM_SAMPLES}, spread=9.0))
    assert full == descend(settings({}))


@pytest.mark.parametrize("path", [{"rate": 0.3}, {"rate": 1000.0}, {"rate": 0.2, "accumulate": 4, "divide": False}])
def test_what_diverges_ends_with_the_last_place_it_was_at(path: dict[str, Any]) -> None:
    found = descend(settings(path, steps=500))
    assert found.diverged_at == len(found.loss) < 500
    assert len(found.rate) == len(found.grad_norm) == found.diverged_at - 1
    assert max(map(abs, found.w0 + found.w1)) <= LOST


def test_global_random_numbers_are_left_alone() -> None:
    before = torch.get_rng_state()
    descend(settings({"noise": "single", "optimizer": "Adam"}))
    assert torch.equal(before, torch.get_rng_state())


def test_what_nobody_waits_for_ends() -> None:
    asked = iter([True, True, False])
    with pytest.raises(NotWantedError):
        descend(settings({}), lambda: next(asked))


@pytest.mark.parametrize("name", SURFACES)
def test_a_surface_is_what_it_says(name: str) -> None:
    surface = SURFACES[name]
    for point in surface.minima:
        w = torch.tensor(point, dtype=torch.float64, requires_grad=True)
        loss = surface.loss(w[0], w[1])
        loss.backward()
        assert float(loss.detach()) == 0.0 and w.grad is not None and w.grad.tolist() == [0.0, 0.0]
    for low, high, start in zip(surface.low, surface.high, surface.start, strict=True):
        assert low < start < high
    across, along = (high - low for low, high in zip(surface.low, surface.high, strict=True))
    assert across / along == pytest.approx(4 / 3)
    found = descend(settings({"rate": surface.rate}, surface=name, steps=500))
    assert found.diverged_at is None and found.loss[-1] < 0.5 * found.loss[0]
    adaptive = descend(settings({"optimizer": "Adam", "rate": surface.adaptive_rate}, surface=name, steps=500))
    assert adaptive.diverged_at is None and adaptive.loss[-1] < 0.1 * adaptive.loss[0]
