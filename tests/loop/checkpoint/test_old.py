"""Checkpoints that version 0.1 wrote (in `old/`) are still read, and lead to the weights that 0.1 ended with."""

import shutil
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import surefoot as sf

OLD = Path(__file__).parent / "old"


def test_a_run_goes_on_inside_a_window(tmp_path: Path) -> None:
    shutil.copytree(OLD / "alone", tmp_path / "run")
    model = nn.Linear(2, 1)
    x = torch.arange(24.0).reshape(12, 2) / 10
    data = TensorDataset(x, x.sum(1, keepdim=True) * 2)
    loader = DataLoader(data, 2, shuffle=True, generator=torch.Generator())
    loop = sf.Loop(
        model, torch.optim.AdamW(model.parameters(), lr=0.1), accumulate=2, log=None, watch=False, progress=False,
        checkpoint=tmp_path / "run",
    )  # fmt: skip
    assert loop.resume()
    assert loop.num_updates == 3
    for a, b in loop.batches(loader, epochs=2):
        with loop.step(weight=len(a)) as step:
            step.backward(nn.functional.mse_loss(model(a), b))
    assert loop.num_updates == 6
    found = [*model.weight[0].tolist(), model.bias.item()]
    assert found == pytest.approx([1.4950430393218994, 1.4976447820663452, 0.542788565158844], rel=1e-6)
