"""fastai's own optimizers; its `OptimWrapper` is around one of torch's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.watch.adapter.adapter import NO_PARAMETERS, EntryPoint, Groups, NotSeenError, parameters

ENTRY = EntryPoint("fastai.optimizer", "Optimizer", step="step", made="__init__", clear="zero_grad")


class Fastai:
    name = "fastai"

    def groups(self, optimizer: Any) -> Groups:
        found = [
            {"params": parameters(params), **{key: hyper[key] for key in ("lr",) if key in hyper}}
            for params, hyper in zip(optimizer.param_lists, optimizer.hypers, strict=True)
        ]
        if not any(group["params"] for group in found):
            raise NotSeenError(NO_PARAMETERS)
        return found

    def check(self, optimizer: Any, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        """It reads `.grad` itself."""
