"""Several optimizers on one backward: one window, one norm, one scaler."""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from surefoot.loop.precision import Precision
from tests.loop.training import Probe, all_equal, make_batches, make_model, weights, windows

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def muon_and_adamw(model: nn.Module) -> list[torch.optim.Optimizer]:
    matrices = [p for p in model.parameters() if p.ndim == 2]
    vectors = [p for p in model.parameters() if p.ndim < 2]
    return [torch.optim.Muon(matrices, lr=0.02), torch.optim.AdamW(vectors, lr=0.01)]


def test_it_is_the_loop_that_people_write() -> None:
    batches = make_batches([4] * 6)
    plain = make_model()
    optimizers = muon_and_adamw(plain)
    for x, y in batches:
        for one in optimizers:
            one.zero_grad()
        F.cross_entropy(plain(x), y).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        for one in optimizers:
            one.step()
    model = make_model()
    loop = sf.Loop(model, muon_and_adamw(model), clip_norm=0.5)
    loop.fit(batches, F.cross_entropy, 1)
    assert all_equal(weights(plain), weights(model))
    assert loop.num_updates == 6  # one a window, not one an optimizer
    assert (loop.history[-1]["lr"], loop.history[-1]["lr/1"]) == (0.02, 0.01)
    assert list(loop.optimizers) == ["0", "1"]


def test_the_norm_is_that_of_all_of_them() -> None:
    a, b = Probe(1), Probe(1)
    sgd = torch.optim.SGD
    loop = sf.Loop([a, b], [sgd(a.parameters(), lr=1.0), sgd(b.parameters(), lr=2.0)], clip_norm=1.0)
    with loop.step() as step:
        step.backward((3 * a(torch.ones(1, 1)) + 4 * b(torch.ones(1, 1))).mean())
    assert loop.history["grad_norm"] == [5.0]
    assert (a.w.item(), b.w.item()) == (pytest.approx(-0.6), pytest.approx(-1.6))


def test_accumulation_is_one_large_batch() -> None:
    batches = make_batches([4, 2, 3, 4, 1], dtype=torch.float64)
    ended = []
    for parts, accumulate in ((batches, 2), (windows(batches, 2), 1)):
        model = make_model(dtype=torch.float64)
        first, second = model[0].parameters(), model[3].parameters()
        optimizers = [torch.optim.AdamW(first, lr=0.01), torch.optim.SGD(second, lr=0.1)]
        sf.Loop(model, optimizers, accumulate=accumulate).fit(parts, F.cross_entropy, 1)
        ended.append(weights(model))
    for one, other in zip(*ended, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


def test_an_overflow_in_one_is_skipped_by_all() -> None:
    a, b = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    nn.init.zeros_(a.weight)
    nn.init.zeros_(b.weight)
    sgd = torch.optim.SGD
    loop = sf.Loop([a, b], [sgd(a.parameters(), lr=1.0), sgd(b.parameters(), lr=1.0)], precision="fp16")
    for x in (8.0, 0.5):  # 8 x 32,768 overflows
        with loop.step() as step:
            step.backward((a(torch.full((1, 1), x)) + b(torch.full((1, 1), 0.25))).mean())
    assert (a.weight.item(), b.weight.item()) == (-0.5, -0.25)
    assert (loop.num_updates, loop.num_skipped) == (1, 1)
    assert len({id(updater.scaler) for updater in loop._updaters.values()}) == 1


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_resume_is_bitwise_the_same_run(tmp_path: Path, precision: Precision) -> None:
    def make(folder: Path | None) -> tuple[nn.Module, sf.Loop]:
        model = make_model(dropout=0.3)
        torch.manual_seed(2)
        settings: dict[str, Any] = {"precision": precision, "accumulate": 3, "clip_norm": 1.0}
        return model, sf.Loop(model, muon_and_adamw(model), checkpoint=folder, **settings)

    def train(model: nn.Module, loop: sf.Loop, until: int | None = None) -> None:
        for num, (x, y) in enumerate(loop.batches(make_batches([4, 3] * 4), epochs=2), 1):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
            if num == until:
                loop.save()
                return

    model, loop = make(None)
    train(model, loop)
    for until in (2, 3, 8, 11):
        train(*make(tmp_path / str(until)), until=until)
        again, resumed = make(tmp_path / str(until))
        torch.rand(5)
        assert resumed.resume()
        train(again, resumed)
        assert all_equal(weights(model), weights(again))
        assert list(loop.history) == list(resumed.history)


def test_lists_may_have_names() -> None:
    models = {"a": make_model(), "b": Probe(4)}
    loop = sf.Loop(
        models,
        {"a": muon_and_adamw(models["a"]), "b": torch.optim.SGD(models["b"].parameters(), lr=1.0)},
        accumulate={"a": 2},
    )
    assert list(loop.optimizers) == ["a/0", "a/1", "b"]
    for x, y in make_batches([4, 4]):
        with loop.step("a") as step:
            step.backward(F.cross_entropy(models["a"](x), y))
        with loop.step("b") as step:
            step.backward(models["b"](x).mean())
    assert [sorted(row)[0] for row in loop.history] == ["b/grad_norm", "a/grad_norm", "b/grad_norm"]


def test_what_can_not_step_together() -> None:
    model = make_model()
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ValueError, match="hold the same parameter"):
        sf.Loop(model, [sgd, torch.optim.SGD(model[0].parameters(), lr=0.1)])
    with pytest.raises(ValueError, match="at least one optimizer, got none"):
        sf.Loop(model, [])
    with pytest.raises(TypeError, match="optimizers must be torch optimizers, got str"):
        sf.Loop(model, [sgd, "adam"])  # type: ignore[list-item]
