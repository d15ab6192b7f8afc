"""How many bytes of tensors are alive, after each operation, while something runs."""

from __future__ import annotations

import weakref
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Beyond what was there before. What an operation needs inside, and frees again, is not seen."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.timeline: list[int] = []  # after each operation
        self._known: dict[int, weakref.ref[Any]] = {}

    @property
    def peak(self) -> int:
        return max(self.timeline, default=0)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for tensor in tree_leaves((args, kwargs)):
            if isinstance(tensor, Tensor):
                self._see(tensor, is_new=False)
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self._see(tensor, is_new=True)
        self.timeline.append(self.now)
        return result

    def _see(self, tensor: Tensor, *, is_new: bool) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._known:
            return
        num = storage.nbytes() if is_new else 0

        def gone(_: object) -> None:
            self._known.pop(key, None)
            self.now -= num

        self._known[key] = weakref.ref(storage, gone)
        self.now += num
