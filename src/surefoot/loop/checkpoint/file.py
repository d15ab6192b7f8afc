"""One checkpoint file: written whole or not at all, checked when read, never running code when loaded.

The file is what `torch.save` writes, so that `torch.load(path, weights_only=True)` opens it without surefoot, followed
by a few words about it (JSON) and a fixed tail: lengths of both, sha256 over both, and a mark.
"""

import hashlib
import json
import os
import struct
from collections import OrderedDict
from collections.abc import Mapping
from typing import IO, Any

import torch

from surefoot.loop.checkpoint.address import Address, Place, replace, size_of, sync

MARK = b"surefoot-ckpt-1\n"
TAIL = struct.Struct("<QQ32s16s")  # length of the state, length of the words about it, sha256, mark
CHUNK = 1 << 20
LEAVES = (
    type(None), bool, int, float, complex, str, bytes, bytearray, torch.Size, torch.dtype, torch.device, torch.Tensor,
    torch.nn.Parameter,
)  # fmt: skip


class CorruptCheckpoint(Exception):  # noqa: N818 - the state of a file, which is looked for and passed over
    """A file that is not, or not all of, what was written."""


def write(path: Place, state: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> None:
    """Write `state` to `path`, which at every moment holds either what it held before or all of the new file."""
    refuse_unloadable(state)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("wb") as file:
            _write_summed(file, state, json.dumps(about or {}).encode())
            sync(file, unfinished)
        replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def read(path: Place) -> dict[str, Any]:
    """The state in `path`, after its checksum was verified."""
    verify(path)
    return load(path)


def load(path: Place, *, lazily: bool = False) -> dict[str, Any]:
    """The state in a file that was verified, by this rank or another. `lazily` reads values as they are used."""
    try:
        if lazily and not isinstance(path, Address):
            state = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        else:
            with path.open("rb") as file:
                state = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:
        raise CorruptCheckpoint(f"{path} can't be loaded, though its checksum is right: {error}") from error
    if not isinstance(state, dict):
        raise CorruptCheckpoint(f"{path} holds {type(state).__name__}, a checkpoint is a dict")
    return state


def verify(path: Place) -> tuple[int, dict[str, Any]]:
    """The length of the state in `path` and the words about it; `CorruptCheckpoint` if a bit is not as written."""
    size = size_of(path)
    if size < TAIL.size:
        raise CorruptCheckpoint(f"{path} is {'empty' if size == 0 else f'cut short after {size} bytes'}")
    with path.open("rb") as file:
        file.seek(size - TAIL.size)
        length, about_length, expected, mark = TAIL.unpack(file.read(TAIL.size))
        if mark != MARK:
            raise CorruptCheckpoint(
                f"{path} is cut short, or no checkpoint of surefoot: the mark at its end is missing"
            )
        if length + about_length + TAIL.size != size:
            raise CorruptCheckpoint(f"{path} has {size} bytes, but {length + about_length + TAIL.size} were written")
        file.seek(0)
        digest, about = _digest(file, length, about_length)
    if digest != expected:
        raise CorruptCheckpoint(f"{path} was changed after it was written: its sha256 differs")
    return length, json.loads(about)


def refuse_unloadable(value: Any, path: str = "state") -> None:
    """Reports a value that `weights_only=True` would refuse when it is saved, not when it is needed."""
    if type(value) in (dict, OrderedDict):
        for key, item in value.items():
            refuse_unloadable(key, f"{path}, a key")
            refuse_unloadable(item, f"{path}[{key!r}]")
    elif type(value) in (list, tuple):
        for index, item in enumerate(value):
            refuse_unloadable(item, f"{path}[{index}]")
    elif not _is_leaf(value):
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise TypeError(
            f"A checkpoint holds dicts, lists, tuples, tensors, numbers, strings, bytes and None, but {path} is a "
            f"{kind}. Turn it into these in state_dict(), or allow it with torch.serialization.add_safe_globals."
        )


def _is_leaf(value: Any) -> bool:
    if type(value) in LEAVES or isinstance(value, torch.Tensor):
        return True
    return type(value) in torch.serialization.get_safe_globals()


class _Summed:
    """Passes on what is written and sums it up, and keeps an OSError: torch would turn it into a riddle."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sum = hashlib.sha256()
        self.length = 0
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        size = memoryview(data).nbytes
        if self.error is None:
            try:
                self._file.write(data)
            except OSError as error:
                self.error = error
            self.sum.update(data)
            self.length += size
        return size

    def flush(self) -> None:
        """The file is flushed at its end."""


def _write_summed(file: IO[bytes], state: Mapping[str, Any], about: bytes) -> None:
    summed = _Summed(file)
    torch.save(state, summed)  # type: ignore[arg-type]
    length = summed.length
    summed.write(about)
    if summed.error is not None:
        raise summed.error
    file.write(TAIL.pack(length, len(about), summed.sum.digest(), MARK))


def _digest(file: IO[bytes], length: int, about_length: int) -> tuple[bytes, bytes]:
    summed = hashlib.sha256()
    while length:
        chunk = file.read(min(CHUNK, length))
        summed.update(chunk)
        length -= len(chunk)
    about = file.read(about_length)
    summed.update(about)
    return summed.digest(), about
