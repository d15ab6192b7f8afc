"""A limit on the gradient's norm that follows the run."""

from pathlib import Path

import pytest
import torch

import surefoot as sf
from tests.loop.training import Probe

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def make_loop(folder: Path | None = None, clip_norm: float | None = None) -> tuple[Probe, sf.Loop]:
    model = Probe(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    return model, sf.Loop(model, optimizer, clip_spikes=3, clip_norm=clip_norm, checkpoint=folder, watch=False)


def moves(model: Probe, loop: sf.Loop, norms: list[float], *, save_after: int | None = None) -> list[float]:
    """By how much each update moves the weight: its norm, or the limit."""
    found = []
    for num, norm in enumerate(loop.batches(norms), 1):
        before = model.w.item()
        with loop.step() as step:
            step.backward(model(torch.full((1, 1), norm)).mean())
        found.append(round(before - model.w.item(), 3))
        if num == save_after:
            loop.save()
            return found
    return found


def test_only_spikes_are_limited() -> None:
    model, loop = make_loop()
    steady = [1.0, 2.0] * 6  # median 1.5
    assert moves(model, loop, [*steady, 50.0, 4.0, 80.0]) == [*steady, 4.5, 4.0, 6.0]  # the last median is 2
    assert loop.num_spikes == 2
    assert loop.history["grad_norm"][-3:] == [50.0, 4.0, 80.0]  # as they were


def test_the_first_updates_are_not_and_the_limit_follows_the_run() -> None:
    model, loop = make_loop()
    norms = [40.0, *[1.0] * 9, 40.0, *[10.0] * 150, 31.0]
    found = moves(model, loop, norms)
    assert (found[0], found[10], found[-1]) == (40.0, 3.0, 30.0)


def test_it_goes_together_with_a_plain_limit() -> None:
    model, loop = make_loop(clip_norm=2.0)
    assert moves(model, loop, [1.0] * 12 + [50.0, 2.5]) == [1.0] * 12 + [2.0, 2.0]


def test_a_resumed_run_has_the_same_limit(tmp_path: Path) -> None:
    norms = [1.0, 2.0] * 6 + [50.0, 3.0, 70.0, 90.0]
    whole = moves(*make_loop(), norms)
    moves(*make_loop(tmp_path), norms, save_after=13)
    model, loop = make_loop(tmp_path)
    loop.resume()
    assert moves(model, loop, norms) == whole[13:]
    assert loop.num_spikes == 3
