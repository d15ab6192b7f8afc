"""`save="trainable"`: checkpoints without the weights that no update changes, such as the base of an adapter."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.loop.parallel.shard import local

Digests = dict[str, dict[str, str]]  # by model and parameter


class FrozenWeights:
    """Those that have not changed since the loop was made. A checkpoint has their checksums instead.

    A frozen parameter that the program changes by itself, such as that of a teacher, is saved as any other.
    """

    def __init__(self, models: Mapping[str, Module]) -> None:
        self._models = models
        self._first = self._digests()

    def unchanged(self) -> Digests:
        now = self._digests()
        return {
            model: {name: digest for name, digest in digests.items() if self._first[model].get(name) == digest}
            for model, digests in now.items()
        }

    def _digests(self) -> Digests:
        return {
            name: {path: digest(p) for path, p in model.named_parameters(remove_duplicate=False) if not p.requires_grad}
            for name, model in self._models.items()
        }


def digest(tensor: Tensor) -> str:
    part = local(tensor.detach()).cpu().contiguous()
    summed = hashlib.sha256(f"{part.dtype} {tuple(part.shape)} ".encode())
    summed.update(part.reshape(-1).view(torch.uint8).numpy().data)
    return summed.hexdigest()


def leave_out(models: dict[str, Any], frozen: Digests) -> None:
    """From the models' state dicts, in place: torch keeps versions of modules in an attribute of them."""
    for model, digests in frozen.items():
        for name in digests:
            del models[model][name]


def fill_in(saved: dict[str, Any], frozen: Digests, models: Mapping[str, Module]) -> str | None:
    """Complete a checkpoint's weights, in place, by those of the models; or tell why these are not the same."""
    for model, digests in frozen.items():
        present = models[model].state_dict() if model in models else {}
        for name, expected in digests.items():
            path = ".".join(filter(None, (model, name)))
            if name not in present:
                return f"the frozen {path} is not here"
            if digest(present[name]) != expected:
                return f"the frozen {path} has other values than in the run: load the same weights before the loop"
            saved[model][name] = present[name]
    return None
