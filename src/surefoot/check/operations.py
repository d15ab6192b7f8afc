"""Write down every operation of some steps, to find the first that differs between two runs."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from surefoot.check.experiment import Result
from surefoot.check.tensors import digest, leaves

MOST_OPERATIONS = 60_000
MOST_ELEMENTS = 1 << 22  # of a result that is read


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The module is the innermost that is being called, the line the nearest of the program's own."""

    def __init__(self, result: Result, folder: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._result = result
        self._folder = f"{folder}/"
        self._modules: list[str] = []
        self._names: dict[int, str] = {}

    def begin(self) -> None:
        """Write down what comes from now on."""
        original = nn.Module.__call__

        def __call__(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            self._modules.append(self._name(module))
            try:
                return original(module, *args, **kwargs)
            finally:
                self._modules.pop()

        nn.Module.__call__ = __call__  # type: ignore[method-assign]
        self.__enter__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        if len(self._result.operations) < MOST_OPERATIONS:
            name = str(func)
            read = [] if "empty" in name else [one for _, one in leaves((output,)) if _is_read(one)]  # not filled yet
            total = sum(map(digest, read)) & 0xFFFFFFFFFFFF
            module = self._modules[-1] if self._modules else ""
            self._result.operations.append((module, name, total, self._line()))
        return output

    def _line(self) -> str:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(self._folder) and "site-packages" not in file:
                return f"{file.removeprefix(self._folder)}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def _name(self, module: nn.Module) -> str:
        if id(module) not in self._names:
            for name, inner in module.named_modules():
                self._names.setdefault(id(inner), f"{name} ({type(inner).__name__})" if name else type(inner).__name__)
        return self._names[id(module)]


def _is_read(tensor: Tensor) -> bool:
    return type(tensor) is Tensor and tensor.device.type == "cpu" and tensor.numel() <= MOST_ELEMENTS
