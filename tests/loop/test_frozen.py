"""`save="trainable"`: checkpoints without what no update changes."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from surefoot.loop.checkpoint.file import read
from surefoot.loop.saving import OtherCheckpointError
from tests.loop.training import all_equal, make_batches, weights

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def make_loop(folder: Path, *, seed: int = 1) -> tuple[nn.Sequential, sf.Loop]:
    """A frozen base with running means that go on, a frozen part that the program moves by itself, and a head."""
    torch.manual_seed(seed)
    base = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, affine=False), nn.Tanh())
    model = nn.Sequential(base, nn.Linear(8, 8, bias=False), nn.Linear(8, 3))
    model[:2].requires_grad_(False)
    optimizer = torch.optim.AdamW(model[2].parameters(), lr=0.01)
    return model, sf.Loop(model, optimizer, checkpoint=folder, save="trainable")


def train(model: nn.Sequential, loop: sf.Loop, until: int | None = None) -> None:
    for num, (x, y) in enumerate(loop.batches(make_batches([6] * 4), epochs=2), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        with torch.no_grad():
            model[1].weight.mul_(0.99)
        if num == until:
            loop.save()
            return


@pytest.mark.bad_program  # the part that the program moves is frozen, and the rules say so
def test_a_resumed_run_is_bitwise_the_same(tmp_path: Path) -> None:
    model, loop = make_loop(tmp_path / "whole")
    train(model, loop)
    train(*make_loop(tmp_path), until=3)
    (path,) = tmp_path.glob("*.pt")
    saved = read(path)
    assert sorted(saved["frozen"][""]) == ["0.0.bias", "0.0.weight"]
    assert [*saved["models"][""]] == [
        "0.1.running_mean", "0.1.running_var", "0.1.num_batches_tracked", "1.weight", "2.weight", "2.bias",
    ]  # fmt: skip
    again, resumed = make_loop(tmp_path)
    assert resumed.resume()
    train(again, resumed)
    assert all_equal(weights(model), weights(again))
    assert all_equal([*model.buffers()], [*again.buffers()])


@pytest.mark.bad_program
def test_another_base_is_refused(tmp_path: Path) -> None:
    train(*make_loop(tmp_path), until=1)
    other, loop = make_loop(tmp_path, seed=2)
    before = weights(other)
    with pytest.raises(OtherCheckpointError, match=r"the frozen 0\.0\.weight has other values than in the run"):
        loop.resume()
    assert all_equal(before, weights(other))
    with pytest.raises(ValueError, match='save must be "all" or "trainable"'):
        sf.Loop(other, torch.optim.SGD(other[2].parameters(), lr=0.1), save="some")  # type: ignore[arg-type]
