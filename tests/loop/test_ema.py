"""A moving average of the weights, on which a loop evaluates."""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import surefoot as sf
from surefoot.loop.saving import OtherCheckpointError
from tests.loop.training import Probe, all_equal, make_batches, weights

# The model has batch norm, and windows have two micro-batches.
pytestmark = pytest.mark.filterwarnings("ignore:1 batch-norm layer normalises")

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def make_model(dtype: torch.dtype = torch.float32) -> nn.Module:
    torch.manual_seed(1)
    layers = (nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.3), nn.Linear(8, 3))
    return nn.Sequential(*layers).to(dtype)


def make_loop(folder: Path | None = None, **settings: Any) -> tuple[nn.Module, sf.Loop]:
    model = make_model()
    torch.manual_seed(2)
    settings = {"ema": 0.9, "accumulate": 2, **settings}
    return model, sf.Loop(model, torch.optim.AdamW(model.parameters(), lr=0.05), checkpoint=folder, **settings)


def tensors(model: nn.Module) -> list[Tensor]:
    return [t.detach().clone() for t in model.state_dict().values()]


def test_it_is_the_average_that_people_compute() -> None:
    model, loop = make_loop()
    expected = [t for t in tensors(model) if t.is_floating_point()]
    loop.fit(make_batches([6] * 5), F.cross_entropy, 2)
    assert loop.num_updates == 6
    again, other = make_loop(ema=None)
    seen = []
    for x, y in other.batches(make_batches([6] * 5), epochs=2, after_update=lambda: seen.append(tensors(again))):
        with other.step() as step:
            step.backward(F.cross_entropy(again(x), y))
    for num, state in enumerate(seen):
        decay = min(0.9, (1 + num) / (10 + num))
        floats = [t for t in state if t.is_floating_point()]
        expected = [e.lerp(t, 1 - decay) for e, t in zip(expected, floats, strict=True)]
    assert all_equal(weights(model), weights(again))  # it changes nothing of the training
    live = tensors(model)
    with loop.averaged():
        found = [t for t in tensors(model) if t.is_floating_point()]
        for e, t in zip(expected, found, strict=True):
            torch.testing.assert_close(e, t)
    assert all_equal(live, tensors(model))


def test_evaluation_is_on_the_average() -> None:
    model, loop = make_loop()
    held_out = make_batches([8, 3], seed=1)
    loop.fit(make_batches([6] * 6), F.cross_entropy, 1, validate=held_out)
    live = tensors(model)
    averaged = loop.evaluate(held_out, F.cross_entropy)["loss"]
    as_they_are = loop.evaluate(held_out, F.cross_entropy, ema=False)["loss"]
    assert averaged == loop.history["val/loss"][-1] != as_they_are
    with loop.averaged(), loop.averaged():
        assert loop.evaluate(held_out, F.cross_entropy, ema=False)["loss"] == averaged
    assert all_equal(live, tensors(model))
    with pytest.raises(KeyError), loop.averaged():
        raise KeyError
    assert all_equal(live, tensors(model))


@pytest.mark.parametrize("until", [1, 3, 5, 8])
def test_a_resumed_run_is_bitwise_the_same(tmp_path: Path, until: int) -> None:
    def train(model: nn.Module, loop: sf.Loop, until: int | None = None) -> None:
        for num, (x, y) in enumerate(loop.batches(make_batches([6] * 5), epochs=2), 1):
            with loop.step() as step:
                step.backward(F.cross_entropy(model(x), y))
            if num == until:
                loop.save()
                return

    model, loop = make_loop()
    train(model, loop)
    train(*make_loop(tmp_path), until=until)
    again, resumed = make_loop(tmp_path)
    resumed.resume()
    train(again, resumed)
    with loop.averaged(), resumed.averaged():
        assert all_equal(tensors(model), tensors(again))
    assert all_equal(tensors(model), tensors(again))


def test_half_precision_is_averaged_in_full() -> None:
    model = Probe(1).to(torch.bfloat16)
    nn.init.ones_(model.w)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), ema=0.999, watch=False)
    average = loop._averages._by_name[""]
    average.num_updates = 10**6  # past the first updates
    with loop.step() as step:
        step.backward((0.5 * model(torch.ones(1, 1, dtype=torch.bfloat16))).mean())
    assert average.state()["averages"][0].item() == pytest.approx(0.9995, abs=1e-6)  # bfloat16 would round to 1


def test_each_optimizer_has_its_own_and_added_groups_are_followed() -> None:
    a, b, late = Probe(1), Probe(1), Probe(1)
    sgd = torch.optim.SGD
    optimizers = {"a": sgd(a.parameters(), lr=1.0), "b": sgd(b.parameters(), lr=1.0)}
    loop = sf.Loop({"a": a, "b": b, "late": late}, optimizers, ema={"a": 0.5}, watch=False)
    optimizers["a"].add_param_group({"params": late.parameters()})
    for name, model in (("a", a), ("b", b)):
        with loop.step(name) as step:
            step.backward(model(torch.ones(1, 1)).mean())
    with loop.averaged():
        assert (a.w.item(), b.w.item()) == (pytest.approx(-0.9), -1.0)
    assert len(loop._averages._by_name["a"].state()["averages"]) == 2


def test_what_would_take_the_average_for_the_weights_is_refused(tmp_path: Path) -> None:
    _, loop = make_loop(tmp_path)
    with loop.averaged():
        with pytest.raises(RuntimeError, match=r"save\(\) inside loop.averaged\(\)"):
            loop.save()
        with pytest.raises(RuntimeError, match=r"step\(\) inside loop.averaged\(\)"):
            loop.step()
    _, without = make_loop(tmp_path, ema=None)
    without.save()
    with pytest.raises(OtherCheckpointError, match="ema= is here but not in the checkpoint; leave it out"):
        loop.resume()


def test_the_best_checkpoint_brings_its_average(tmp_path: Path) -> None:
    _, loop = make_loop(tmp_path, keep_best=("val/loss", "min"))
    held_out = make_batches([8], seed=1)
    loop.fit(make_batches([6] * 6), F.cross_entropy, 4, validate=held_out, validate_every=1)
    best = loop.load_best()
    assert best.value == min(loop.history["val/loss"])
    assert loop.evaluate(held_out, F.cross_entropy)["loss"] == best.value
