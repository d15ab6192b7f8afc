"""Write down every operation of the first steps, to find the first that differs between two runs."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from surefoot.check.experiment import Result
from surefoot.check.tensors import digest, leaves

MOST_OPERATIONS = 60_000
MOST_ELEMENTS = 1 << 22  # of a result that is read


class Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Entered when torch is imported; the module is the innermost that is being called."""

    def __init__(self, result: Result) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._result = result
        self._modules: list[str] = []
        self._names: dict[int, str] = {}

    def install(self) -> None:
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
            self._result.operations.append((self._modules[-1] if self._modules else "", name, total))
        return output

    def _name(self, module: nn.Module) -> str:
        if id(module) not in self._names:
            for name, inner in module.named_modules():
                self._names.setdefault(id(inner), f"{name} ({type(inner).__name__})" if name else type(inner).__name__)
        return self._names[id(module)]


def _is_read(tensor: Tensor) -> bool:
    return type(tensor) is Tensor and tensor.device.type == "cpu" and tensor.numel() <= MOST_ELEMENTS
