"""The ledger knows what lies in `.grad`, however it got there and however it was cleared."""

from collections.abc import Callable

import pytest
import torch

from tests.watch.watching import watching


def model_and_optimizer() -> tuple[torch.nn.Linear, torch.optim.SGD]:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def backward(model: torch.nn.Module) -> None:
    model(torch.randn(4, 3)).square().mean().backward()


def assign_none(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for p in model.parameters():
        p.grad = None


def zero_in_place(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for p in model.parameters():
        assert p.grad is not None
        p.grad.zero_()


def zero_data(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    for p in model.parameters():
        assert p.grad is not None
        p.grad.data.zero_()


SPELLINGS: list[Callable[[torch.nn.Module, torch.optim.Optimizer], None]] = [
    lambda model, optimizer: optimizer.zero_grad(),
    lambda model, optimizer: optimizer.zero_grad(set_to_none=False),
    lambda model, optimizer: model.zero_grad(),
    lambda model, optimizer: model.zero_grad(set_to_none=False),
    assign_none,
    zero_in_place,
    zero_data,
    lambda model, optimizer: torch._foreach_zero_([p.grad for p in model.parameters()]),  # type: ignore[misc]
]


@pytest.mark.parametrize("clear", SPELLINGS)
def test_every_spelling_of_clearing_is_seen(clear: Callable[..., None]) -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        for _ in range(12):
            backward(model)
            optimizer.step()
            clear(model, optimizer)
    for facts in watched.steps:
        assert [(g.sources, g.used_by) for g in facts.gradients] == [((facts.index,), ())]


def test_without_clearing_old_gradients_stay_known() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            backward(model)
            optimizer.step()
    assert [g.sources for g in watched.steps[2].gradients] == [(1, 2, 3)]
    assert [g.used_by for g in watched.steps[2].gradients] == [(1, 2)]


def test_clearing_before_the_step_is_a_discard_with_its_line() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        backward(model)
        optimizer.zero_grad()
        optimizer.step()
    (facts,) = watched.steps
    (group,) = facts.gradients
    assert not group.present and group.discarded == (1,)
    assert [c.at for c in facts.clears] == [group.cleared_by]
    assert facts.clears[0].site is not None and facts.clears[0].site.file == __file__


def test_scaling_after_backward_is_an_edit_and_replacing_is_by_hand() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        backward(model)
        for p in model.parameters():
            assert p.grad is not None
            p.grad /= 4
        optimizer.step()
        optimizer.zero_grad()
        for p in model.parameters():
            p.grad = torch.ones_like(p)
        optimizer.step()
    edited, by_hand = watched.steps
    assert [(g.edited, g.by_hand) for g in edited.gradients] == [(True, False)]
    assert [(g.edited, g.by_hand) for g in by_hand.gradients] == [(False, True)]


def test_a_new_gradient_may_have_the_identity_of_one_that_was_used() -> None:
    """The memory of a tensor that is gone is given to the next one."""
    num_alike = 0
    with watching() as watched:
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.01)
        for _ in range(40):
            weight.square().sum().backward()
            before = id(weight.grad)
            weight.grad = None
            weight.grad = torch.ones(2)
            num_alike += id(weight.grad) == before
            optimizer.step()
    assert num_alike > 4
    assert not any(g.used_by and not g.by_hand for step in watched.steps for g in step.gradients)


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_a_sum_that_takes_the_place_of_a_used_gradient_is_still_stale() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            model(torch.ones(4, 3)).square().mean().backward(create_graph=True)  # adds out of place
            optimizer.step()
    model.zero_grad()  # a cycle else
    assert {g.used_by for g in watched.steps[2].gradients} == {(1, 2)}
    assert not any(g.by_hand for g in watched.steps[2].gradients)


def test_stale_gradients_clipped_by_hand_after_the_step_are_still_stale() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            backward(model)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.001)
            optimizer.step()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.0001)
    assert all(g.used_by for g in watched.steps[-1].gradients)


def test_closure_sees_what_happened_inside() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = model(torch.ones(4, 3)).square().mean()
            loss.backward()
            return loss

        optimizer.step(closure)  # type: ignore[arg-type]
        optimizer.step(closure)  # type: ignore[arg-type]
    first, second = watched.steps
    assert first.closure and second.closure
    assert [(g.sources, g.used_by) for g in second.gradients] == [((2,), ())]
    assert second.backwards[0].inside_step == 1


def test_steps_inside_backward_use_that_backward() -> None:
    with watching() as watched:
        model, _ = model_and_optimizer()
        optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}

        def step_and_clear(p: torch.Tensor) -> None:
            optimizers[p].step()  # type: ignore[index]
            optimizers[p].zero_grad()  # type: ignore[index]

        for p in model.parameters():
            p.register_post_accumulate_grad_hook(step_and_clear)
        for _ in range(2):
            backward(model)
    assert len(watched.steps) == 4
    for facts in watched.steps:
        assert facts.inside_backward
        assert all(len(g.sources) == 1 and not g.used_by for g in facts.gradients)


def test_the_two_optimizers_of_a_shared_parameter_know_of_each_other() -> None:
    with watching() as watched:
        model, first = model_and_optimizer()
        second = torch.optim.SGD(model.parameters(), lr=0.1)
        backward(model)
        first.step()
        second.step()
    assert [g.used_by_others for g in watched.steps[1].gradients] == [(1,)]
    assert [g.used_by for g in watched.steps[1].gradients] == [()]


def test_parameters_added_later_are_followed() -> None:
    with watching() as watched:
        model, optimizer = model_and_optimizer()
        head = torch.nn.Linear(2, 1)
        backward(model)
        optimizer.step()
        optimizer.zero_grad()
        optimizer.add_param_group({"params": head.parameters()})
        head(model(torch.randn(4, 3))).mean().backward()
        optimizer.step()
    assert sum(g.num_params for g in watched.steps[1].gradients) == 4
    assert all(g.sources == (2,) for g in watched.steps[1].gradients)
