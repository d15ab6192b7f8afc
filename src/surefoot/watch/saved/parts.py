"""Parts of a checkpoint that fit a module and never got there, though the optimizer was restored from it.

Only values are compared, so that it does not matter how a program restores: a part is left where the module has other
values than the part, and other ones than any model that an optimizer holds.
"""

from __future__ import annotations

import weakref
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from surefoot.facts import Site, UnrestoredPartFacts
from surefoot.watch.inventory.module import named_parameters

KEPT = 4  # files
SAMPLED = 16  # elements of a parameter
MOST_TENSORS = 4096  # of a part

Samples = dict[str, tuple[tuple[int, ...], Tensor]]  # shape and some elements, by name


@dataclass(slots=True)
class File:
    name: str
    parts: dict[str, Samples]
    sources: dict[int, weakref.ref[Module]]  # that had these values when the file was read: of the run that saved it


class CheckpointParts:
    def __init__(self) -> None:
        self._files: list[File] = []

    def note(self, loaded: Any, name: str, alive: list[Module]) -> None:
        """The file was read. Its tensors may be gone before the first step."""
        if not isinstance(loaded, Mapping):
            return
        parts = {str(key): samples for key, value in loaded.items() if (samples := _samples_of(value))}
        if len(parts) > 1:
            models = [(module, _samples_of(dict(named_parameters(module)))) for module in _candidates(alive)]
            sources = [m for m, samples in models if any(samples and _equal(samples, part) for part in parts.values())]
            self._files.append(File(name, parts, {id(module): weakref.ref(module) for module in sources}))
            del self._files[:-KEPT]

    def unrestored(
        self, name: str, alive: list[Module], owned: Container[int], site: Site | None
    ) -> list[UnrestoredPartFacts]:
        """At the first step of an optimizer whose state is from this file; `owned` are parameters that one holds."""
        file = next((known for known in reversed(self._files) if known.name == name), None)
        if file is None:
            return []
        models = [m for m in map(Model, _candidates(alive)) if m.samples and not _is_source(m.module, file)]
        trained = [m.samples for m in models if all(key in owned for key in m.ids)]
        if not any(_equal(samples, part) for samples in trained for part in file.parts.values()):
            return []  # the weights are not from here
        found = []
        for key, part in file.parts.items():
            if any(_equal(samples, part) for samples in trained):
                continue
            left = [m for m in models if not any(key in owned for key in m.ids) and _fits(m.samples, part)]
            if left and not any(_equal(m.samples, one) for m in left for one in (part, *trained)):
                kind = type(left[0].module).__name__
                found.append(UnrestoredPartFacts(name, key, kind, len(left[0].samples), site))
        return found


class Model:
    def __init__(self, module: Module) -> None:
        named = dict(named_parameters(module))
        self.module, self.samples, self.ids = module, _samples_of(named), [id(param) for param in named.values()]


def _is_source(module: Module, file: File) -> bool:
    ref = file.sources.get(id(module))
    return ref is not None and ref() is module


def _samples_of(value: Any) -> Samples:
    """Of a state dict; {} of anything else."""
    if not isinstance(value, Mapping) or not 1 < len(value) <= MOST_TENSORS:
        return {}
    if not all(isinstance(name, str) and _is_plain(one) for name, one in value.items()):
        return {}
    return {name: (tuple(one.shape), _sample(one)) for name, one in value.items()}


def _is_plain(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_cpu and value.layout == torch.strided and not value.is_quantized


@torch.no_grad()
def _sample(tensor: Tensor) -> Tensor:
    flat = tensor.detach().reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLED)][:SAMPLED].clone()


def _fits(samples: Samples, part: Samples) -> bool:
    """The part has every parameter of the module, and little else."""
    return all(name in part and part[name][0] == shape for name, (shape, _) in samples.items()) and (
        len(part) <= 3 * len(samples)  # batch-norm has three buffers for its two parameters
    )


def _equal(samples: Samples, part: Samples) -> bool:
    return _fits(samples, part) and all(torch.equal(one, part[name][1]) for name, (_, one) in samples.items())


def _candidates(alive: list[Module]) -> Iterator[Module]:
    """Modules that no other one holds, and their direct children."""
    held = {id(child) for module in alive for child in module._modules.values()}
    for module in alive:
        if id(module) not in held:
            yield module
            yield from (child for child in module._modules.values() if child is not None)
