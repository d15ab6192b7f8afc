"""One file: what goes in comes out, with torch alone too, and nothing that runs code is ever loaded."""

import hashlib
import os
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch

from surefoot.loop.checkpoint import CorruptCheckpoint, file, read, write
from surefoot.loop.checkpoint.file import MARK, TAIL

STATE: dict[str, Any] = {
    "numbers": [1, -(2**100), 2.5, float("inf"), True, None, 1j],
    "words": ("text", b"\x00\xff", OrderedDict(a=1), {3: {}}),
    "torch": [torch.float32, torch.device("cpu"), torch.Size([2])],
}


def test_what_goes_in_comes_out(tmp_path: Path) -> None:
    tensors = {"a": torch.randn(3), "b": torch.zeros(2, dtype=torch.bfloat16), "p": torch.nn.Parameter(torch.ones(1))}
    write(tmp_path / "file", {**STATE, "tensors": tensors})
    state = read(tmp_path / "file")
    assert {name: value for name, value in state.items() if name != "tensors"} == STATE
    assert all(torch.equal(state["tensors"][name], tensor) for name, tensor in tensors.items())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_torch_alone_opens_it(tmp_path: Path) -> None:
    write(tmp_path / "file.pt", STATE)
    assert torch.load(tmp_path / "file.pt", weights_only=True) == STATE


@pytest.mark.parametrize("value", [object(), {1: print}, [lambda: 0], {"nested": ({1, 2},)}, {object(): 1}])
def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, value: Any) -> None:
    with pytest.raises(TypeError, match=r"A checkpoint holds dicts.*state\['bad'\]"):
        write(tmp_path / "file", {"bad": value})
    assert list(tmp_path.iterdir()) == []


class Permitted:
    """Allowed by the user."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Permitted)

    __hash__ = None  # type: ignore[assignment]


def test_what_the_user_allowed_is_saved(tmp_path: Path) -> None:
    with torch.serialization.safe_globals([Permitted]):
        write(tmp_path / "file", {"mine": Permitted()})
        assert read(tmp_path / "file") == {"mine": Permitted()}


def put_together(payload: bytes) -> bytes:
    both = payload + b"{}"
    return both + TAIL.pack(len(payload), 2, hashlib.sha256(both).digest(), MARK)


class Evil:
    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('ran')",))


def test_nothing_runs_when_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(put_together(pickle.dumps(Evil())))
    with pytest.raises(CorruptCheckpoint, match="can't be loaded"):
        read(tmp_path / "file")


def test_something_else_than_a_state(tmp_path: Path) -> None:
    torch.save([1], tmp_path / "list")
    (tmp_path / "file").write_bytes(put_together((tmp_path / "list").read_bytes()))
    with pytest.raises(CorruptCheckpoint, match="holds list"):
        read(tmp_path / "file")


def test_a_file_of_another_program(tmp_path: Path) -> None:
    torch.save({}, tmp_path / "file")
    with pytest.raises(CorruptCheckpoint, match="no checkpoint of surefoot"):
        read(tmp_path / "file")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "file")


def test_windows_can_not_open_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Windows:
        name = "nt"

        def __getattr__(self, name: str) -> Any:
            assert name != "open"
            return getattr(os, name)

    monkeypatch.setattr(file, "os", Windows())
    write(tmp_path / "file", STATE)
    assert read(tmp_path / "file") == STATE
