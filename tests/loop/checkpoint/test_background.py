"""Checkpoints that are written while training goes on."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import surefoot as sf
from surefoot.loop.checkpoint import folder as folder_module
from surefoot.loop.checkpoint.background import copied
from surefoot.loop.checkpoint.file import write
from surefoot.loop.checkpoint.folder import CheckpointWarning
from tests.loop.training import all_equal, make_batches, make_model, weights


def make_loop(folder: Path, **settings: Any) -> tuple[nn.Module, sf.Loop]:
    model = make_model(dropout=0.3)
    torch.manual_seed(2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    settings = {"checkpoint_async": True, "checkpoint_every": 1, "watch": False, **settings}
    return model, sf.Loop(model, optimizer, checkpoint=folder, accumulate=2, **settings)


def test_what_is_written_is_the_moment_of_the_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread is held back until training has gone on."""
    may_write, writers = threading.Event(), []

    def write_late(path: Path, state: Any, about: Any) -> None:
        writers.append(threading.current_thread())
        assert may_write.wait(60)
        write(path, state, about)

    monkeypatch.setattr(folder_module, "write", write_late)
    model, loop = make_loop(tmp_path, checkpoint_every=None)
    loop.state["seen"] = []
    saved = []
    for num, (x, y) in enumerate(loop.batches(make_batches([4] * 6), epochs=1), 1):
        with loop.step() as step:
            step.backward(F.cross_entropy(model(x), y))
        loop.state["seen"].append(num)
        if num == 3:  # inside a window
            saved = weights(model)
            assert loop.save() == tmp_path / "0001-update-00000001+1.pt"
        if num == 5:
            assert list(tmp_path.iterdir()) == []
            may_write.set()
    assert [writer is not threading.main_thread() for writer in writers] == [True]
    assert [path.name for path in tmp_path.iterdir()] == ["0001-update-00000001+1.pt"]  # the end of batches waits
    again, resumed = make_loop(tmp_path)
    resumed.state["seen"] = []
    assert resumed.resume()
    assert all_equal(saved, weights(again))
    assert resumed.state["seen"] == [1, 2, 3]
    resumed.fit(make_batches([4] * 6), F.cross_entropy, 1)
    assert all_equal(weights(model), weights(again))


def test_a_disk_that_would_not_take_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder_module, "write", fail)
    _, loop = make_loop(tmp_path)
    with pytest.warns(CheckpointWarning, match="No space left on device") as told:
        loop.fit(make_batches([4] * 6), F.cross_entropy, 1)
    assert len(told) == 1
    assert loop.num_updates == 3


def test_a_fault_of_another_kind_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(folder_module, "write", fail)
    _, loop = make_loop(tmp_path)
    loop.save()
    with pytest.raises(KeyError, match="ours"):
        loop.close()
    loop.state["bad"] = [1]
    loop.state["bad"].append(object())
    with pytest.raises(TypeError, match=r"is a builtins\.object"):
        loop.save()  # at once, and not in the thread


def test_a_copy_shares_nothing_and_keeps_what_is_tied() -> None:
    tensor, inner = torch.ones(3), [1]
    state = {"a": OrderedDict(x=tensor, y=tensor), "b": (inner, bytearray(b"x")), "c": torch.zeros(0)}
    copy = copied(state, {})
    tensor.zero_()
    inner.append(2)
    assert copy["a"]["x"].tolist() == [1.0, 1.0, 1.0]
    assert copy["a"]["x"] is copy["a"]["y"]
    assert type(copy["a"]) is OrderedDict
    layer = nn.BatchNorm1d(2).state_dict()
    assert copied(layer, {})._metadata == layer._metadata  # type: ignore[attr-defined]
    assert copy["b"] == ([1], bytearray(b"x"))
