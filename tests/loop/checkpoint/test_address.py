"""Checkpoints at addresses, here on fsspec's file system in memory, and by `file://`."""

import importlib
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
import torch

import surefoot as sf
from surefoot.loop.checkpoint import CheckpointWarning, CorruptCheckpoint, read, write
from surefoot.loop.checkpoint.address import Address, place_of
from tests.loop.training import Probe, one_hot_batches


@pytest.fixture
def memory() -> Iterator[str]:
    yield "memory://bucket/run"
    fs = fsspec.filesystem("memory")
    if fs.exists("/bucket"):
        fs.rm("/bucket", recursive=True)


def train(checkpoint: str, *, until: int | None = None) -> Probe:
    model = Probe(4)
    loop = sf.Loop(
        model, torch.optim.SGD(model.parameters(), lr=1.0), accumulate=2, watch=False, log=None, progress=False,
        checkpoint=checkpoint, checkpoint_every=1, keep_best=("loss", "min"), checkpoint_async=until == 3,
    )  # fmt: skip
    loop.resume()
    for i, x in enumerate(loop.batches(one_hot_batches([3, 1, 3, 1]), epochs=2)):
        with loop.step() as step:
            step.backward(model(x).mean())
        if i + 1 == until:
            loop.save()
            loop._wait_for_checkpoint()
            break
    return model


@pytest.mark.parametrize("until", [3, 5])
def test_a_run_goes_on_from_an_address(memory: str, until: int, tmp_path: Path) -> None:
    train(memory, until=until)
    undisturbed = train(str(tmp_path))
    assert train(memory).w.tolist() == undisturbed.w.tolist() == [-1.5, -0.5, -1.5, -0.5]
    names = [path.rsplit("/", 1)[1] for path in fsspec.filesystem("memory").ls("/bucket/run", detail=False)]
    assert len(names) == 2  # the best is the newest, the loss falls
    assert not any(name.endswith(".tmp") for name in names)


def test_a_damaged_file_is_passed_over(memory: str) -> None:
    train(memory)
    fs = fsspec.filesystem("memory")
    newest = max(fs.ls("/bucket/run", detail=False))
    fs.pipe_file(newest, fs.cat_file(newest)[:-3])
    with pytest.warns(CheckpointWarning, match="Passed over the checkpoint 0004"):
        assert train(memory).w.tolist() == [-1.5, -0.5, -1.5, -0.5]


def test_a_file_at_an_address(memory: str) -> None:
    model = Probe(2)
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=1.0), watch=False, log=None)
    path = loop.save(f"{memory}/end.pt")
    assert isinstance(path, Address)
    assert str(path) == f"{memory.replace('memory://', 'memory:///')}/end.pt"
    assert (path.name, path.stem, path.suffix, repr(path)) == ("end.pt", "end", ".pt", f"Address({str(path)!r})")
    assert loop.resume(path=f"{memory}/end.pt")
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        loop.resume(f"{memory}/other.pt")
    path.unlink()
    path.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        path.unlink()


def test_file_addresses_are_paths(tmp_path: Path) -> None:
    assert place_of(f"file://{tmp_path}") == tmp_path
    assert place_of(tmp_path) == tmp_path
    train(f"file://{tmp_path}/run")
    assert len(list((tmp_path / "run").iterdir())) == 2


def test_an_unfinished_file_is_removed(memory: str) -> None:
    place = place_of(memory)
    place.mkdir()
    write(place / "a.pt", {"a": 1})
    with pytest.raises(TypeError, match="A checkpoint holds"):
        write(place / "a.pt", {"a": object()})
    assert read(place / "a.pt") == {"a": 1}
    (place / "empty.pt").touch()
    with pytest.raises(CorruptCheckpoint, match="is empty"):
        read(place / "empty.pt")


def test_what_fsspec_does_not_know_or_lacks_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="nosuch://run can't be opened: Protocol not known: nosuch"):
        place_of("nosuch://run")
    missing = {"class": "no_such_package.Fs", "err": "Install no_such_package"}
    monkeypatch.setitem(importlib.import_module("fsspec.registry").known_implementations, "lacking", missing)
    with pytest.raises(ValueError, match="lacking://run can't be opened: Install no_such_package"):
        place_of("lacking://run")
