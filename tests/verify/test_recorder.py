"""What is recorded of a program, in this process."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss

from surefoot.verify.child.dropout import switch_off
from surefoot.verify.child.naming import Naming
from surefoot.verify.child.perturb import ROUNDINGS, Perturbation
from surefoot.verify.child.preset import MODEL_CHANGES, apply
from surefoot.verify.child.recorder import StepRecorder
from surefoot.verify.child.sketch import LENGTH, sketch, sketch_rows
from surefoot.verify.recording import Recording
from surefoot.watch.step import MaxStepsReached


def recorded(program: Callable[[], Any], steps: int = 2, preset: str = "") -> Recording:
    recorder = StepRecorder(steps, Recording(), lambda: None)
    recorder.install()
    switch_off(recorder.tap, recorder.mask_drawn)
    apply(preset, recorder)
    try:
        program()
    except MaxStepsReached:
        pass
    finally:
        recorder.tap.remove()
    assert not recorder.recording.error
    return recorder.recording


def model() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2))


def training(net: nn.Module, optimizer: Any = torch.optim.SGD) -> Callable[[], None]:
    def train() -> None:
        opt = optimizer(net.parameters(), lr=0.1)
        for _ in range(9):
            opt.zero_grad()
            mse_loss(net(torch.ones(16, 4)), torch.zeros(16, 2)).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.01)
            opt.step()

    return train


def test_a_step_is_recorded_whole() -> None:
    found = recorded(training(model()))
    assert [step.number for step in found.steps] == [1, 2]
    step = found.steps[0]
    assert [act.name for act in step.calls[0].activations] == ["0", "1", "2", "Sequential"]
    assert len(step.calls[0].samples) == 16 and len(step.losses) == 1
    assert list(step.gradients) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert step.clip_factors == [pytest.approx(0.01 / step.norms[0], rel=1e-3)]
    torch.testing.assert_close(step.gradients["0.bias"], step.unclipped["0.bias"] * step.clip_factors[0])
    torch.testing.assert_close(step.updates["0.bias"], -0.1 * step.gradients["0.bias"], rtol=1e-4, atol=1e-8)
    torch.testing.assert_close(found.steps[1].weights_before["2.weight"], step.weights["2.weight"])


def test_dropout_draws_masks_and_drops_nothing() -> None:
    steps = recorded(training(model())).steps
    masks = [mask for step in steps for mask in step.calls[0].masks]
    assert [name for name, _ in masks] == ["1", "1"] and masks[0] != masks[1]
    before, after = (act.rows[0][1] for act in steps[0].calls[0].activations[:2])
    assert torch.equal(before, after)


def test_wrappers_do_not_change_names() -> None:
    class Wrapper(nn.Module):
        def __init__(self, module: nn.Module) -> None:
            super().__init__()
            self.module = module

        def forward(self, x: torch.Tensor) -> Any:
            return self.module(x)

    plain, wrapped = recorded(training(model())).steps[0], recorded(training(Wrapper(model())))
    inside = wrapped.steps[0]
    assert list(inside.gradients) == list(plain.gradients)
    assert [act.name for act in inside.calls[0].activations] == [act.name for act in plain.calls[0].activations]
    assert wrapped.wrappers == ["Wrapper"]


def test_models_are_told_apart() -> None:
    naming = Naming()
    first, second = model(), nn.Linear(2, 2)
    naming.know(first)
    naming.know(second)
    assert naming.params[id(first[0].weight)] == "0.weight"
    assert naming.params[id(second.weight)] == "Linear#2.weight"
    assert [name for name, _ in naming.named_params()][-1] == "Linear#2.bias"


def test_several_optimizers_are_waited_for() -> None:
    def train() -> None:
        one, two = nn.Linear(3, 3), nn.Linear(3, 3)
        opts = [torch.optim.SGD(net.parameters(), lr=0.1) for net in (one, two)]
        for _ in range(5):
            for net, opt in zip((one, two), opts, strict=True):
                opt.zero_grad()
                net(torch.ones(2, 3)).sum().backward()
                opt.step()

    found = recorded(train, steps=2)
    assert [(step.optimizer, step.number) for step in found.steps][:2] == [(0, 1), (1, 1)]


def test_evaluation_and_recomputation_are_left_out() -> None:
    from torch.utils.checkpoint import checkpoint

    net = model()

    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, x: torch.Tensor) -> Any:
            return checkpoint(self.net, x, use_reentrant=False)

    def train() -> None:
        outer = Checkpointed()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            with torch.no_grad():
                outer(torch.ones(3, 4))
            outer(torch.ones(3, 4, requires_grad=True)).sum().backward()
            opt.step()

    names = [act.name for act in recorded(train, steps=1).steps[0].calls[0].activations]
    assert names == ["net.0", "net.1", "net.2", "net", "Checkpointed"]


def test_presets_change_what_runs() -> None:
    assert set(MODEL_CHANGES) == {"compile", "bf16"}
    assert "torch.bfloat16" in recorded(training(model()), preset="bf16").dtypes
    made = []
    recorded(training(model(), lambda params, lr: made.append(torch.optim.Adam(params, lr)) or made[0]), preset="fused")
    assert made[0].param_groups[0]["fused"] is True and made[0].param_groups[0]["foreach"] is None


def test_an_optimizer_that_can_not_be_fused_is_told() -> None:
    recorder = StepRecorder(1, Recording(), lambda: None)
    recorder.install()
    apply("fused", recorder)
    try:
        torch.optim.LBFGS(model().parameters())
    finally:
        recorder.tap.remove()
    assert recorder.recording.error.startswith("LBFGS has neither fused nor foreach")


@pytest.mark.parametrize("unit", [2**-8, 2**-24])
def test_perturbed_outputs_move_by_the_unit(unit: float) -> None:
    layer, x = nn.Linear(64, 64), torch.randn(32, 64)
    plain = layer(x)
    moved = Perturbation(unit, 1).output(layer, plain)
    relative = float((moved - plain).detach().norm() / plain.detach().norm())
    assert 0.2 * ROUNDINGS * unit < relative < ROUNDINGS * unit
    moved.sum().backward()  # and the gradient is perturbed, too
    exact = torch.full((64,), 32.0)
    assert layer.bias.grad is not None
    assert float((layer.bias.grad - exact).norm()) <= ROUNDINGS * unit * float(exact.norm())


def test_perturbation_leaves_what_is_not_trained() -> None:
    perturbation, net = Perturbation(0.1, 1), model()
    output = net(torch.ones(2, 4))
    assert perturbation.output(net, output) is output  # has modules inside
    with torch.no_grad():
        assert perturbation.output(net[0], output) is output


def test_sketches_are_linear_and_keep_distances() -> None:
    torch.manual_seed(0)
    one, two = torch.randn(50_000), torch.randn(50_000)
    torch.testing.assert_close(sketch(one * 3), sketch(one) * 3, rtol=1e-5, atol=1e-4)
    assert len(sketch(one)) == LENGTH
    ratio = float((sketch(one) - sketch(two)).norm() / (one - two).norm())
    assert 0.8 < ratio < 1.2
    assert torch.equal(sketch_rows(torch.ones(2, 5)).abs(), torch.ones(2, 5, dtype=torch.float64))
