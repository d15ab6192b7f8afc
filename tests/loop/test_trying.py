"""A training is tried before it is run."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from tests.loop.training import make_batches, make_model

pytestmark = pytest.mark.usefixtures("silent_sanitizer")


def test_overfit_trains_on_the_first_batches_only() -> None:
    model = make_model()
    loader = DataLoader(TensorDataset(*make_batches([40])[0]), batch_size=4, shuffle=True)
    loop = sf.Loop(model, torch.optim.AdamW(model.parameters(), lr=0.05), overfit=2)
    seen = []
    for x, y in loop.batches(loader, epochs=60):
        seen.append(x)
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
    assert len(seen) == 120
    assert all(torch.equal(x, seen[num % 2]) for num, x in enumerate(seen))
    assert loop.history[-1]["loss"] < 0.01


def test_a_dry_run_goes_through_everything_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = make_model()
    loop = sf.Loop(
        model, torch.optim.AdamW(model.parameters()), accumulate=2, checkpoint="checkpoints", checkpoint_every=1,
        keep_best=("val/loss", "min"), dry_run=3, stop=sf.stop.patience("val/loss", 9), log="runs",
    )  # fmt: skip
    assert not loop.resume()
    validated = []

    def held_out() -> object:
        for batch in make_batches([4] * 9, seed=1):
            validated.append(1)
            yield batch

    loop.fit(make_batches([4] * 100), F.cross_entropy, epochs=9, validate=held_out, validate_every=2)
    assert (loop.num_updates, len(loop.history["val/loss"]), len(validated)) == (3, 1, 3)
    assert loop.stopped == "update 3 of at most 3 is done"
    assert loop.save() is None
    assert loop.save("end.pt") is None
    assert loop.load_best() == loop.best
    assert list(tmp_path.iterdir()) == []
