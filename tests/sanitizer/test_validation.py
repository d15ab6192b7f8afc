"""Validation losses that the program logs are known by their names."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf
from surefoot.facts import Record, ValidationFacts
from surefoot.runlog.write.run import Run
from surefoot.sanitizer import LazyLog, Sanitizer
from surefoot.sanitizer.validation import is_validation_loss


@pytest.mark.parametrize("name", ["val/loss", "val_loss", "valLoss", "loss/valid", "eval-nll", "test.loss", "dev_mse"])
def test_names(name: str) -> None:
    assert is_validation_loss(name)


@pytest.mark.parametrize("name", ["loss", "train/loss", "val/accuracy", "value_loss", "interval_loss", "lr", "val"])
def test_other_names(name: str) -> None:
    assert not is_validation_loss(name)


def test_what_is_logged_is_told_in_place_of_what_is_computed(tmp_path: Path) -> None:
    records: list[Record] = []
    run = Run(tmp_path / "run", "train.py", pytest.fail)
    sanitizer = Sanitizer([], log=LazyLog(run), on_record=records.append)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sanitizer.start()
    try:
        for epoch in range(3):
            x = torch.randn(8, 4)
            optimizer.zero_grad()
            F.mse_loss(model(x), x[:, :1]).backward()
            optimizer.step()
            with torch.no_grad():
                F.mse_loss(model(x), x[:, :1])
            run.log({"val/loss": 1.0 + epoch, "accuracy": 0.5})
    finally:
        sanitizer.finish()
    run.log({"val/loss": 9.0})  # nobody listens any more
    run.close()
    facts = [record for record in records if isinstance(record, ValidationFacts)]
    assert [(f.name, f.loss, f.index) for f in facts] == [
        ("val/loss", 1.0, 1),
        ("val/loss", 2.0, 2),
        ("val/loss", 3.0, 3),
    ]
    assert facts[0].site is not None and facts[0].site.file == __file__
    assert None not in [f.train_loss for f in facts]


def test_the_loops_own_validation(tmp_path: Path) -> None:
    torch.manual_seed(0)
    x = torch.randn(96, 20)
    y = (x[:, 0] + torch.randn(96) > 0).long()
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
    loaders = [DataLoader(TensorDataset(x[part], y[part]), 16) for part in (slice(48), slice(48, None))]
    loop = sf.Loop(model, torch.optim.Adam(model.parameters(), lr=0.01), log=tmp_path)
    loop.fit(loaders[0], nn.CrossEntropyLoss(), epochs=24, validate=loaders[1])
    found = [finding for finding in loop.findings if finding.rule == "overfitting"]
    loop.close()
    assert len(found) == 1 and found[0].message.startswith("val/loss was lowest")
