"""Clipping as torch does it, seen through every spelling, without changing it."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_ as imported_before
from torch.optim import SGD

from surefoot.facts import ClipFacts
from tests.watch.watching import Watched, watching

Clip = Callable[[torch.nn.Module], Any]


def train(clip: Clip, *, num_steps: int = 2, after_step: Clip = lambda model: None) -> torch.nn.Module:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    optimizer = SGD(model.parameters(), lr=0.1)
    for _ in range(num_steps):
        optimizer.zero_grad()
        (10 * model(torch.randn(4, 3)).square().mean()).backward()
        clip(model)
        optimizer.step()
        after_step(model)
    return model


def clips(watched: Watched, step: int = -1) -> tuple[ClipFacts, ...]:
    return watched.steps[step].clips


SPELLINGS: dict[str, Clip] = {
    "norm": lambda m: torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0),
    "module": lambda m: torch.nn.utils.clip_grad.clip_grad_norm_(list(m.parameters()), max_norm=1.0),
    "imported before": lambda m: imported_before(m.parameters(), 1.0, norm_type=2.0),
    "pieces": lambda m: torch.nn.utils.clip_grads_with_norm_(
        m.parameters(), 1.0, torch.nn.utils.get_total_norm([p.grad for p in m.parameters()])
    ),
    "value": lambda m: torch.nn.utils.clip_grad_value_(m.parameters(), 1.0),
    "inf norm": lambda m: torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0, norm_type=float("inf")),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_is_seen_and_none_is_changed(spelling: str) -> None:
    bare = train(SPELLINGS[spelling])
    with watching() as watched:
        model = train(SPELLINGS[spelling])
    assert all(torch.equal(a, b) for a, b in zip(bare.parameters(), model.parameters(), strict=True))
    for step in watched.steps:
        (clip,) = step.clips
        assert (clip.max_norm, clip.num_params, clip.num_gradients, clip.num_live, clip.num_fresh) == (1.0, 4, 4, 4, 4)
        assert clip.site is not None and clip.site.file == __file__
        assert clip.optimizers == (step.optimizer,)
        assert clip.sources == (step.backwards[0].ordinal,)
        assert clip.used_by == () and clip.scale == 1.0
        assert (clip.kind == "value") == (spelling == "value")
        assert (clip.norm is None) == (spelling == "value")
        assert not any(g.edited or g.by_hand for g in step.gradients), "clipping explains the change"


def test_the_norm_is_the_one_that_torch_returns() -> None:
    norms: list[float] = []
    with watching() as watched:
        train(lambda m: norms.append(float(torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0))))
    assert [step.clips[0].norm for step in watched.steps] == norms


def test_clipping_after_the_step_is_told_apart() -> None:
    with watching() as watched:
        train(lambda m: None, after_step=lambda m: torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0))
    assert clips(watched, 0) == ()
    (late,) = clips(watched)
    assert (late.num_live, late.num_fresh, late.used_by) == (4, 0, (watched.steps[0].index,))


@pytest.mark.parametrize("set_to_none", [True, False])
def test_cleared_gradients_are_not_live(set_to_none: bool) -> None:
    def clip(model: torch.nn.Module) -> None:
        model.zero_grad(set_to_none=set_to_none)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        model(torch.randn(4, 3)).square().mean().backward()

    with watching() as watched:
        train(clip)
    (empty,) = clips(watched)
    assert (empty.num_params, empty.num_gradients, empty.num_live) == (4, 0 if set_to_none else 4, 0)
    assert empty.akin == empty.optimizers == (watched.steps[0].optimizer,)


ITERATORS: dict[str, Callable[[Iterable[Tensor]], Iterable[Tensor]]] = {
    "generator": lambda params: (p for p in params),
    "filter": lambda params: filter(lambda p: p.requires_grad, params),
    "map": lambda params: map(torch.Tensor.requires_grad_, params),
    "chain": lambda params: itertools.chain(params),
    "iterator": iter,
}


@pytest.mark.parametrize("kind", ITERATORS)
@pytest.mark.filterwarnings("ignore:.*empty generator")
def test_an_exhausted_iterator_is_seen_as_such(kind: str) -> None:
    kept: list[Iterable[Tensor]] = []

    def clip(model: torch.nn.Module) -> None:
        kept.extend([] if kept else [ITERATORS[kind](model.parameters())])
        torch.nn.utils.clip_grad_norm_(kept[0], 1.0)

    with watching() as watched:
        train(clip)
    ((first,), (second,)) = (step.clips for step in watched.steps)
    assert first.num_live == 4 and not first.used_up
    assert second.num_params == 0 and second.used_up


@pytest.mark.filterwarnings("ignore:.*empty generator")
def test_a_generator_that_yields_nothing_is_not_exhausted() -> None:
    with watching() as watched:
        train(lambda m: torch.nn.utils.clip_grad_norm_((p for p in m.parameters() if p.ndim > 5), 1.0))
        for params in (torch.nn.Module.parameters, lambda m: list(m.parameters())):
            train(lambda m, of=params: torch.nn.utils.clip_grad_norm_(filter(lambda p: p.ndim > 5, of(m)), 1.0))
        train(lambda m: torch.nn.utils.clip_grad_norm_([], 1.0))
    assert not any(clip.used_up for step in watched.steps for clip in step.clips)


def test_a_foreign_model_is_akin_to_nobody() -> None:
    other = torch.nn.Linear(2, 2)
    with watching() as watched:
        train(lambda m: torch.nn.utils.clip_grad_norm_(other.parameters(), 1.0))
    (clip,) = clips(watched)
    assert (clip.optimizers, clip.akin, clip.num_live) == ((), (), 0)


def test_hand_written_clipping_shows_as_an_edit() -> None:
    def clamp(model: torch.nn.Module) -> None:
        for p in model.parameters():
            assert p.grad is not None
            p.grad.clamp_(-0.1, 0.1)

    with watching() as watched:
        train(clamp)
        train(lambda m: (clamp(m), torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)))
    assert all(g.edited for step in watched.steps for g in step.gradients)
    assert clips(watched)[0].edited


def test_an_error_of_torch_reaches_the_program() -> None:
    def poison(model: torch.nn.Module) -> None:
        for p in model.parameters():
            p.grad = torch.full_like(p, float("nan"))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)

    with watching(), pytest.raises(RuntimeError, match="non-finite"):
        train(poison)
    for clip in (torch.nn.utils.clip_grad_norm_, torch.nn.utils.clip_grad_value_):
        with watching(), pytest.raises(AttributeError, match="grad"):
            train(lambda m, clip=clip: clip(m.named_parameters(), 1.0))


def test_steps_with_changing_norms_and_limits_share_a_shape() -> None:
    limits = itertools.count(1)
    with watching() as watched:
        train(lambda m: torch.nn.utils.clip_grad_norm_(m.parameters(), 0.1 * next(limits)), num_steps=60)
    assert len(watched.steps) < 40  # a limit of another size is worth a record
