"""What a program does beside the loop by habit is refused with what to do, and changes no weight before that."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

import surefoot as sf
from surefoot.loop.plan import LoopWarning, NothingUpdatedError
from tests.loop.training import Probe, one_hot_batches

Body = Callable[[sf.Loop, Probe, torch.optim.Optimizer, Tensor], None]


def make(accumulate: int = 2, **settings: Any) -> tuple[sf.Loop, Probe, torch.optim.Optimizer]:
    model = Probe(4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    return sf.Loop(model, optimizer, accumulate=accumulate, watch=False, log=None, **settings), model, optimizer


def run(body: Body, **settings: Any) -> Probe:
    loop, model, optimizer = make(**settings)
    for x in loop.batches(one_hot_batches([3, 1, 3, 1])):
        body(loop, model, optimizer, x)
    return model


def train(loop: sf.Loop, model: Probe, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())


def own_backward_in_step(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    with loop.step():
        model(x).mean().backward()


def own_backward_too(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    with loop.step() as step:
        model(x).pow(2).mean().backward()
        step.backward(model(x).mean())


def own_backward_after(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    train(loop, model, x)
    model(x).mean().backward()


def own_clearing(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    optimizer.zero_grad()
    train(loop, model, x)


def own_clipping(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)


def own_step(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    train(loop, model, x)
    optimizer.step()


def step_in_step(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    with loop.step() as step, loop.step() as inner:
        inner.backward(model(x).mean())
        step.backward(model(x).mean())


def not_entered(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    loop.step().backward(model(x).mean())


def after_the_step(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    with loop.step() as step:
        step.backward(model(x).mean())
    step.backward(model(x).mean())


def batches_in_batches(loop: sf.Loop, model: Probe, optimizer: torch.optim.Optimizer, x: Tensor) -> None:
    for inner in loop.batches(one_hot_batches([1])):
        train(loop, model, inner.expand(1, 4))


REFUSED: list[tuple[Body, str]] = [
    (own_backward_in_step, r"gradients that no step.backward\(\) of this loop made"),
    (own_backward_too, r"gradients that no step.backward\(\) of this loop made"),
    (own_backward_after, "changed inside an open window"),
    (own_clearing, "changed inside an open window"),
    (own_clipping, "changed inside an open window.*before_update"),
    (own_step, r"optimizer.step\(\) was called inside an open window"),
    (step_in_step, "a step of this optimizer is open already"),
    (not_entered, r"write `with loop.step\(\) as step:`"),
    (after_the_step, "this step has ended"),
    (batches_in_batches, r"batches\(\) was called inside a loop over batches\(\)"),
]


@pytest.mark.parametrize(("body", "says"), REFUSED, ids=[body.__name__ for body, _ in REFUSED])
def test_what_would_change_a_window_is_refused(body: Body, says: str) -> None:
    with pytest.raises(RuntimeError, match=says):
        run(body)


@pytest.mark.parametrize("body", [own_clipping, own_step])
def test_where_nothing_is_weighted_the_program_may_look_after_its_gradients(body: Body) -> None:
    model = run(body, accumulate=1)
    assert torch.allclose(-model.w, torch.full((4,), 0.1 if body is own_clipping else 1.0))


def test_gradients_from_before_the_loop_belong_to_no_window() -> None:
    loop, model, _ = make(accumulate=1)
    model(torch.eye(4)).sum().backward()
    train(loop, model, torch.eye(4)[:1])
    assert (-model.w).tolist() == [1, 0, 0, 0]


def test_an_earlier_loop_that_was_left_in_a_window_does_not_stop_a_later_one() -> None:
    loop, model, optimizer = make()
    train(loop, model, torch.eye(4)[:1])
    later = sf.Loop(model, optimizer, watch=False, log=None)
    train(later, model, torch.eye(4)[1:2])
    assert (-model.w).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_group_that_is_added_has_no_gradients_of_earlier_windows(is_frozen: bool) -> None:
    model = torch.nn.Linear(2, 1)
    torch.nn.init.zeros_(model.bias).requires_grad_(not is_frozen)
    optimizer = torch.optim.SGD([model.weight], lr=1.0)
    loop = sf.Loop(model, optimizer, accumulate=2, watch=False, log=None)
    with pytest.warns(LoopWarning) if not is_frozen else pytest.MonkeyPatch.context():
        for i in range(4):
            if i == 2:
                model.bias.requires_grad_(True)
                optimizer.add_param_group({"params": [model.bias]})
            with loop.step() as step:
                step.backward(model(torch.ones(1, 2)).mean())
    assert model.bias.item() == -1.0


def test_a_group_that_is_added_inside_a_window_has_to_begin_with_it() -> None:
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD([model.weight], lr=1.0)
    loop = sf.Loop(model, optimizer, accumulate=2, watch=False, log=None)
    with loop.step() as step:
        step.backward(model(torch.ones(1, 2)).mean())
    optimizer.add_param_group({"params": [model.bias]})
    with pytest.raises(RuntimeError, match="Add groups when loop"), loop.step():
        pass


def test_a_run_without_steps_or_batches_is_an_error() -> None:
    loop, _, _ = make()
    with pytest.raises(NothingUpdatedError, match="none of the batches had a step"):
        list(loop.batches(one_hot_batches([1, 1])))
    with pytest.raises(ValueError, match="gave no batch at all in epoch 0"):
        list(make()[0].batches([]))


def test_a_schedule_that_the_program_advances_too() -> None:
    model = Probe(4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    loop = sf.Loop(model, optimizer, scheduler=schedule, watch=False, log=None)
    train(loop, model, torch.eye(4)[:1])
    schedule.step()
    with pytest.raises(RuntimeError, match=r"StepLR.step\(\) was called by the program"):
        train(loop, model, torch.eye(4)[:1])
    with pytest.raises(ValueError, match="a scheduler is given twice"):
        sf.Loop(model, optimizer, scheduler=[schedule, schedule])
    with pytest.raises(TypeError, match="must be made first"):
        sf.Loop(model, optimizer, scheduler=torch.optim.lr_scheduler.StepLR)


def test_epochs_are_counted_where_they_end() -> None:
    loop, model, _ = make(accumulate=1, stop=sf.stop.after(epochs=2))
    for x in loop.batches(one_hot_batches([1, 1, 1, 1]), epochs=None):
        train(loop, model, x)
    assert loop.num_updates == 8


def test_a_condition_on_a_name_that_never_comes_is_told() -> None:
    loop, model, _ = make(accumulate=1, stop=sf.stop.below("val_loss", 1.0))
    with pytest.warns(LoopWarning, match=r"stop waits for 'val_loss', which was not seen in 2 epochs"):
        for x in loop.batches(one_hot_batches([1, 1]), epochs=2):
            with loop.step() as step:
                step.backward(model.w[: x.shape[1]].mul(x).mean())


@pytest.fixture
def sparse() -> Iterator[tuple[torch.nn.Module, torch.optim.Optimizer]]:
    model = torch.nn.Embedding(4, 2, sparse=True)
    yield model, torch.optim.SGD(model.parameters(), lr=1.0)


def test_sparse_gradients_and_complex_losses(sparse: tuple[torch.nn.Module, torch.optim.Optimizer]) -> None:
    model, optimizer = sparse
    loop = sf.Loop(model, optimizer, watch=False, log=None)
    with pytest.raises(ValueError, match="a gradient is sparse"), loop.step() as step:
        step.backward(model(torch.tensor([1])).mean())
    with pytest.raises(ValueError, match="must be a real number"), loop.step() as step:
        step.backward(torch.complex(model.weight, model.weight).sum())


def test_a_step_that_fails_and_is_caught_takes_its_window_with_it_and_that_is_told() -> None:
    loop, model, _ = make()
    with pytest.warns(LoopWarning, match="the gradients of the 1 micro-batch before it were discarded with it"):
        for i, x in enumerate(loop.batches(one_hot_batches([3, 1, 3, 1]))):
            try:
                with loop.step() as step:
                    step.backward(model(x).mean())
                    if i == 1:
                        raise torch.OutOfMemoryError
            except torch.OutOfMemoryError:
                continue
    assert model.w.tolist() == [0.0, 0.0, -0.75, -0.25]
    assert (loop.num_updates, loop.num_skipped) == (1, 1)


@pytest.mark.parametrize("name", ["accumulate", "clip_norm", "scheduler", "stop", "checkpoint_every"])
def test_settings_stay_as_they_were_given(name: str) -> None:
    loop, _, _ = make()
    with pytest.raises(AttributeError, match=f"{name} is set when the loop is made"):
        setattr(loop, name, 4)
    assert not hasattr(loop, name)
