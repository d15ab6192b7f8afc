"""Checkpoints written in a thread, from copies, while training goes on."""

from collections.abc import Mapping
from threading import Thread
from typing import Any

from torch import Tensor

from surefoot.loop.checkpoint.address import Place
from surefoot.loop.checkpoint.file import refuse_unloadable
from surefoot.loop.checkpoint.folder import Folder


class BackgroundWriter:
    """One checkpoint at a time: the next one waits for the last. The program's end waits, too, as for any thread."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._thread: Thread | None = None
        self._error: BaseException | None = None

    def save(self, state: Mapping[str, Any], *about: Any, best: bool) -> Place | None:
        """Where it will be; None if the disk would not take it."""
        self.wait()
        refuse_unloadable(state)  # here, where the program hears of it
        path = self._folder.begin(*about, best=best)
        if path is not None:
            self._thread = Thread(target=self._write, args=(path, copied(state, {})), name="surefoot-checkpoint")
            self._thread.start()
        return path

    def wait(self) -> None:
        """Until nothing is being written. Errors of the thread are raised here."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        error, self._error = self._error, None
        if isinstance(error, OSError):
            self._folder.tell_failure(error)
        elif error is not None:
            raise error

    def _write(self, path: Place, state: Mapping[str, Any]) -> None:
        try:
            self._folder.finish(path, state)
        except BaseException as error:
            self._error = error


def copied(value: Any, clones: dict[Any, Tensor]) -> Any:
    """With tensors of its own, on the CPU. What was one tensor, such as a tied weight, is one tensor again."""
    if isinstance(value, Tensor):
        key = (value.data_ptr(), value.dtype, value.shape, value.stride()) if value.numel() else id(value)
        if key not in clones:
            clones[key] = value.detach().to("cpu", copy=True)
        return clones[key]
    if isinstance(value, Mapping):
        made: Any = type(value)((key, copied(item, clones)) for key, item in value.items())  # type: ignore[call-arg]
        if hasattr(value, "_metadata"):
            made._metadata = value._metadata  # torch keeps versions of modules there
        return made
    if type(value) in (list, tuple):
        return type(value)(copied(item, clones) for item in value)
    return bytearray(value) if isinstance(value, bytearray) else value
