"""GradScalers in the loops people write, on the CPU."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.amp import GradScaler
from torch.optim import SGD, AdamW, Optimizer

from surefoot.facts import StepFacts, UnscaleFacts
from tests.watch.watching import watching

Turn = Callable[[GradScaler, Optimizer, torch.nn.Module], None]


def loss_of(model: torch.nn.Module, size: float = 1.0) -> Tensor:
    with torch.autocast("cpu", dtype=torch.float16):
        return model(size * torch.randn(4, 3)).square().mean()  # type: ignore[no-any-return]


def train(turn: Turn, scaler: GradScaler, num_steps: int = 3, **options: bool) -> torch.nn.Module:
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    optimizer = AdamW(model.parameters(), lr=0.1, **options) if options else SGD(model.parameters(), lr=0.1)
    for _ in range(num_steps):
        optimizer.zero_grad()
        turn(scaler, optimizer, model)
    return model


def usual(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
    scaler.scale(loss_of(model)).backward()
    scaler.step(optimizer)
    scaler.update()


def unscales(step: StepFacts) -> list[UnscaleFacts]:
    return [e for e in step.events if isinstance(e, UnscaleFacts)]


@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_watching_changes_nothing(options: dict[str, bool]) -> None:
    bare = train(usual, GradScaler("cpu", init_scale=2.0**20), 12, **options)
    with watching():
        model = train(usual, GradScaler("cpu", init_scale=2.0**20), 12, **options)
    assert all(torch.equal(a, b) for a, b in zip(bare.parameters(), model.parameters(), strict=True))


def test_a_step_through_the_scaler() -> None:
    with watching() as watched:
        train(usual, GradScaler("cpu", init_scale=64.0))
    for step in watched.steps:
        assert step.scaler is not None and step.scaler.scale == 64.0
        assert step.site is not None and step.site.file == __file__
        assert not step.skipped and step.scale == 1.0
        (backward,) = step.backwards
        assert backward.scaled_by == step.scaler.id
        (unscale,) = unscales(step)
        assert unscale.inside_step and unscale.scale == 64.0
        assert not any(g.edited for g in step.gradients)


@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_skipped_steps_are_recorded_and_counted(options: dict[str, bool]) -> None:
    with watching() as watched:
        train(usual, GradScaler("cpu", init_scale=2.0**40), 40, **options)
    skipped = [step.scaler.num_skipped_in_a_row for step in watched.steps if step.skipped and step.scaler is not None]
    assert skipped[:20] == list(range(1, 21))
    taken = [step for step in watched.steps if not step.skipped]
    assert taken and taken[0].scaler is not None and taken[0].scaler.num_skipped_in_a_row == 0
    assert all(step.non_finite is None for step in watched.steps)
    assert all(not g.used_by for step in watched.steps for g in step.gradients)


def test_a_disabled_scaler_is_as_if_absent() -> None:
    with watching() as watched:
        train(usual, GradScaler("cpu", enabled=False))
    for step in watched.steps:
        assert step.scaler is None and step.scale == 1.0 and not unscales(step)
        assert step.backwards[0].scaled_by is None


def test_unscale_then_clip() -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        scaler.scale(loss_of(model)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()

    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0))
    for step in watched.steps:
        assert [clip.scale for clip in step.clips] == [64.0, 1.0]
        (unscale,) = unscales(step)
        assert not unscale.inside_step


def clip_in_the_same_line(scaler: GradScaler, params: list[Tensor]) -> None:
    torch.nn.utils.clip_grad_norm_(params, 0.123 * scaler.get_scale())


def clip_to_a_plain_number_of_scales(scaler: GradScaler, params: list[Tensor]) -> None:
    limit = 0.3 * scaler.get_scale()
    torch.nn.utils.clip_grad_norm_(params, limit)


def clip_and_log_the_scale(scaler: GradScaler, params: list[Tensor]) -> None:
    str(scaler.get_scale())
    torch.nn.utils.clip_grad_norm_(params, 5.0)


@pytest.mark.parametrize(
    ("clip", "scale"),
    [(clip_in_the_same_line, 1.0), (clip_to_a_plain_number_of_scales, 1.0), (clip_and_log_the_scale, 64.0)],
)
def test_a_limit_multiplied_by_the_scale_is_no_scaled_clip(
    clip: Callable[[GradScaler, list[Tensor]], None], scale: float
) -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        scaler.scale(loss_of(model)).backward()
        clip(scaler, list(model.parameters()))
        scaler.step(optimizer)
        scaler.update()

    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0))
    assert [clip.scale for step in watched.steps for clip in step.clips] == [scale] * 3


WAYS_TO_SCALE: dict[str, Callable[[GradScaler, Tensor], None]] = {
    "divided later": lambda scaler, loss: (scaler.scale(loss) / 4).backward(),  # type: ignore[no-untyped-call]
    "a list, summed": lambda scaler, loss: sum(scaler.scale([loss, loss + 1])).backward(),  # type: ignore[union-attr]
    "a tuple, at once": lambda scaler, loss: torch.autograd.backward(scaler.scale((loss, loss + 1))),
    "by hand": lambda scaler, loss: (loss * scaler.get_scale()).backward(),  # type: ignore[no-untyped-call]
    "as gradient": lambda scaler, loss: loss.backward(torch.tensor(scaler.get_scale())),
}


@pytest.mark.parametrize("way", WAYS_TO_SCALE)
def test_a_scaled_loss_is_known_through_what_is_done_to_it(way: str) -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        WAYS_TO_SCALE[way](scaler, loss_of(model))
        scaler.step(optimizer)
        scaler.update()

    scaler = GradScaler("cpu", init_scale=64.0)
    scaler.scale(torch.ones(()))  # makes the scale
    with watching() as watched:
        train(turn, scaler)
    first = 1 if way in ("by hand", "as gradient") else 0  # no scaler is known before its first step
    assert [b.scaled_by for step in watched.steps[first:] for b in step.backwards] == [1] * (3 - first)


def test_an_unscaled_loss_is_known() -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        loss = loss_of(model)
        scaler.scale(loss)
        (loss * 2).backward()  # type: ignore[no-untyped-call]
        scaler.step(optimizer)
        scaler.update()

    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0))
    assert [b.scaled_by for step in watched.steps for b in step.backwards] == [None] * 3


@pytest.mark.parametrize(("scaled", "by"), [((True, True), 1), ((True, False), None), ((False, True), None)])
def test_losses_that_are_backwarded_together(scaled: tuple[bool, bool], by: int | None) -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        losses = [scaler.scale(loss_of(model)) if one else loss_of(model) for one in scaled]
        torch.autograd.backward(losses)
        scaler.step(optimizer)
        scaler.update()

    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0))
    assert [b.scaled_by for step in watched.steps for b in step.backwards] == [by] * 3


def direct(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
    scaler.scale(loss_of(model)).backward()
    optimizer.step()


def unscaled_first(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
    scaler.scale(loss_of(model)).backward()
    scaler.unscale_(optimizer)
    optimizer.step()
    scaler.update()


def divided_by_hand(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
    scaler.scale(loss_of(model)).backward()
    for p in model.parameters():
        assert p.grad is not None
        p.grad /= scaler.get_scale()
    optimizer.step()


@pytest.mark.parametrize(("turn", "scale"), [(direct, 64.0), (unscaled_first, 1.0), (divided_by_hand, 1.0)])
def test_direct_steps_tell_the_scale_that_is_left(turn: Turn, scale: float) -> None:
    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0))
    assert [step.scale for step in watched.steps] == [scale] * 3
    assert all(step.scaler is None for step in watched.steps)


@pytest.mark.parametrize("options", [{}, {"fused": True}])
def test_a_backward_after_unscale_leaves_the_scale_in(options: dict[str, bool]) -> None:
    def turn(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        scaler.scale(loss_of(model)).backward()
        scaler.unscale_(optimizer)
        scaler.scale(loss_of(model)).backward()
        scaler.step(optimizer)
        scaler.update()

    with watching() as watched:
        train(turn, GradScaler("cpu", init_scale=64.0), **options)
        train(usual, GradScaler("cpu", init_scale=64.0), **options)
    assert [step.scale for step in watched.steps] == [64.0] * 3 + [1.0] * 3


def test_two_optimizers_with_one_scaler() -> None:
    torch.manual_seed(0)
    first, second = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    scaler = GradScaler("cpu", init_scale=64.0)
    with watching() as watched:
        one, two = SGD(first.parameters(), lr=0.1), SGD(second.parameters(), lr=0.1)
        for _ in range(2):
            scaler.scale(loss_of(first) + loss_of(second, float("inf"))).backward()
            scaler.unscale_(one)
            torch.nn.utils.clip_grad_value_([*first.parameters(), *second.parameters()], 1.0)
            scaler.step(one)
            scaler.step(two)
            scaler.update()
            one.zero_grad()
            two.zero_grad()
    assert [(step.optimizer, step.skipped) for step in watched.steps] == [(1, False), (2, True)] * 2
    assert [clip.scale for step in watched.steps[:2] for clip in step.clips] == [64.0, 64.0]


def test_a_subclass_that_overrides_methods_is_watched() -> None:
    class Sharded(GradScaler):
        def scale(self, outputs):  # type: ignore[no-untyped-def, override]
            return outputs * self.get_scale()

        def step(self, optimizer, *args, **kwargs):  # type: ignore[no-untyped-def]
            return super().step(optimizer, *args, **kwargs)

    with watching() as watched:
        scaler = Sharded("cpu", init_scale=64.0)
        GradScaler.scale(scaler, torch.ones(()))  # makes the scale
        train(usual, scaler)
    assert len(watched.steps) == 3
    assert all(step.scaler is not None and step.backwards[0].scaled_by == step.scaler.id for step in watched.steps)
    assert Sharded.step.__qualname__.endswith("Sharded.step")


def test_an_error_of_torch_reaches_the_program_and_leaves_no_trace() -> None:
    def twice(scaler: GradScaler, optimizer: Optimizer, model: torch.nn.Module) -> None:
        scaler.scale(loss_of(model)).backward()
        scaler.step(optimizer)
        scaler.step(optimizer)

    with watching() as watched:
        with pytest.raises(RuntimeError, match="already been called"):
            train(twice, GradScaler("cpu", init_scale=64.0))
        assert watched.by_scaler is None
