"""The best checkpoint stays."""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from tests.loop.training import Probe, all_equal, make_batches, make_model, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")

VALUES = [5.0, 3.0, float("nan"), 4.0, 3.5, 6.0, 3.0]  # the second is the best, and is not beaten by an equal one


def make_loop(folder: Path, **settings: Any) -> tuple[Probe, sf.Loop]:
    model = Probe(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    settings = {"checkpoint_every": 1, "keep": 2, "keep_best": ("val/loss", "min"), "watch": False, **settings}
    return model, sf.Loop(model, optimizer, checkpoint=folder, **settings)


def train(model: nn.Module, loop: sf.Loop, values: list[float], *, sign: float = 1.0) -> None:
    for value in loop.batches(values):
        with loop.step() as step:
            step.backward(model(torch.ones(1, 1)).mean())
        loop.see({"val/loss": sign * value})


@pytest.mark.parametrize(("mode", "sign"), [("min", 1.0), ("max", -1.0)])
def test_it_outlives_newer_ones(tmp_path: Path, mode: str, sign: float) -> None:
    model, loop = make_loop(tmp_path, keep_best=("val/loss", mode))
    train(model, loop, VALUES, sign=sign)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["0002-update-00000002.best.pt", "0006-update-00000006.pt", "0007-update-00000007.pt"]
    best = loop.best
    assert best is not None
    assert (best.value, best.update) == (sign * 3.0, 2)
    assert model.w.item() == -7.0
    assert loop.load_best() == best
    assert model.w.item() == -2.0


def test_a_resumed_run_knows_it(tmp_path: Path) -> None:
    train(*make_loop(tmp_path), VALUES[:4])
    model, loop = make_loop(tmp_path)
    assert loop.resume()
    assert loop.num_updates == 4
    train(model, loop, VALUES[:4])  # was done before
    train(model, loop, VALUES[4:])
    assert loop.best is not None
    assert (loop.best.value, loop.best.update) == (3.0, 2)
    loop.load_best()
    assert model.w.item() == -2.0


def test_values_of_a_validation_count(tmp_path: Path) -> None:
    model = make_model()
    loop = sf.Loop(
        model, torch.optim.AdamW(model.parameters(), lr=0.5), checkpoint=tmp_path, keep_best=("val/loss", "min")
    )
    loop.fit(make_batches([4] * 6), F.cross_entropy, 3, validate=make_batches([8], seed=1), validate_every=1)
    values = loop.history["val/loss"]
    assert loop.best is not None
    assert (loop.best.value, loop.best.update) == (min(values), values.index(min(values)) + 1)
    last = weights(model)
    loop.load_best()
    assert not all_equal(last, weights(model))
    assert loop.evaluate(make_batches([8], seed=1), F.cross_entropy)["loss"] == min(values)


def test_outside_of_batches_it_is_saved_at_once(tmp_path: Path) -> None:
    model, loop = make_loop(tmp_path, checkpoint_every=None)
    with loop.step() as step:
        step.backward(model(torch.ones(1, 1)).mean())
    loop.see({"val/loss": 1.0})
    assert [path.name for path in tmp_path.iterdir()] == ["0001-update-00000001.best.pt"]


def test_what_can_not_be_kept(tmp_path: Path) -> None:
    _, loop = make_loop(tmp_path)
    with pytest.raises(ValueError, match="keep_best waits for 'val/loss', which fit\\(\\) does not measure"):
        loop.fit([], F.mse_loss, 1)
    with pytest.raises(ValueError, match="there is no best checkpoint"):
        loop.load_best()
    with pytest.raises(ValueError, match="keep_best needs a folder"):
        make_loop(None, checkpoint_every=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r'such as \("val/loss", "min"\), got \'val/loss\''):
        make_loop(tmp_path, keep_best="val/loss")
    with pytest.raises(ValueError, match="mode must be 'min'"):
        make_loop(tmp_path, keep_best=("val/loss", "low"))
