"""The modules of this process that make one model of the copies or parts on several ranks."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module
from torch.nn.parallel import DistributedDataParallel

from surefoot.watch.data.batch_mark import mark_of, tensors_in
from surefoot.watch.dist.note import is_noted
from surefoot.watch.inventory.module import named_parameters
from surefoot.watch.tracked_optimizer import TrackedOptimizer

OTHERS = ("FullyShardedDataParallel", "FSDPModule", "DeepSpeedEngine")  # by name: not all of them are torch's
MARKED_FORWARDS = 8  # of one window
MARKED_TENSORS = 4  # of one forward
SAMPLED = 64  # elements


class Wrapper:
    """A DistributedDataParallel, and what its forwards have done since the last backward that reached it."""

    def __init__(self, module: DistributedDataParallel, number: int) -> None:
        self.number = number  # from 1
        self.module = weakref.ref(module)
        self.kind = type(module.module).__name__
        # A subclass may synchronise in a way of its own.
        self.is_plain = type(module).forward is DistributedDataParallel.forward
        self.num_ranks: int = module.process_group.size()
        self.ids: frozenset[int] = frozenset()
        self.look(module)
        self._hears = {id(param): _memory_of(param) for param in getattr(module, "_module_parameters", ())}
        self.num_forwards = 0
        self.forward_syncs = True  # at the last forward
        self.tracked: TrackedOptimizer | None = None  # of the optimizer that steps it, once it has done so
        self.trained_by: set[int] = set()  # ids of optimizers that have stepped on synchronised gradients
        self.marks: list[int] = []  # of what the forwards of a window were given, if its update is noted
        self._marked_update = 0

    def look(self, module: DistributedDataParallel) -> None:
        """Learn which parameters it holds now."""
        ignored = set(getattr(module, "parameters_to_ignore", ()))
        params = [param for name, param in named_parameters(module.module) if name not in ignored]
        self.ids = frozenset(id(param) for param in params)

    @property
    def is_hollow(self) -> bool:
        """None of the parameters that it was built with is in the model any more."""
        built_with = getattr(self.module(), "_module_parameters", None)
        return built_with is not None and self.ids.isdisjoint(id(param) for param in built_with)

    @property
    def is_deaf(self) -> bool:
        """Its hooks were lost with the memory of all parameters that it was built with."""
        return not self._hears and self.module() is not None and not self.is_hollow

    def converted(self, module: Module) -> None:
        """Parameters of this module may have memory of another type or device: torch then drops what hooks hang on."""
        for param in module._parameters.values():
            memory = self._hears.get(id(param))
            if param is not None and memory is not None and memory != _memory_of(param):
                del self._hears[id(param)]

    @property
    def syncs(self) -> bool:
        module = self.module()
        return module is None or bool(module.require_backward_grad_sync)

    @property
    def has_hooks(self) -> bool:
        """Somebody decides otherwise what ranks send each other."""
        module = self.module()
        return module is None or bool(getattr(module, "_comm_hooks", ()))

    def forward(self, inputs: Any) -> None:
        self.num_forwards += 1
        self.forward_syncs = self.syncs
        update = 1 if self.tracked is None else self.tracked.num_updates + 1
        if not is_noted(update):
            return
        if update != self._marked_update:
            self._marked_update, self.marks = update, []
        if len(self.marks) < MARKED_FORWARDS * MARKED_TENSORS:
            self.marks += [mark for mark, _ in zip(_marks(inputs), range(MARKED_TENSORS), strict=False)]


class Wrappers:
    def __init__(self) -> None:
        self._known: dict[int, Wrapper] = {}  # by the identity of the module
        self._num_known = 0
        self.has_others = False  # that share parameters or gradients in ways of their own

    def of(self, module: DistributedDataParallel) -> Wrapper:
        known = self._known.get(id(module))
        if known is None or known.module() is not module:
            self._num_known += 1
            known = self._known[id(module)] = Wrapper(module, self._num_known)
        return known

    def find(self, modules: list[Module]) -> None:
        """Look through all live modules."""
        for module in modules:
            if isinstance(module, DistributedDataParallel):
                wrapper = self.of(module)
                wrapper.look(module)
                self.has_others |= not wrapper.is_plain
            elif any(cls.__name__ in OTHERS for cls in type(module).__mro__):
                self.has_others = True

    def all(self) -> list[Wrapper]:
        return [wrapper for wrapper in self._known.values() if wrapper.is_plain and wrapper.module() is not None]


def _memory_of(param: Tensor) -> tuple[torch.dtype, torch.device]:
    return param.dtype, param.device


def _marks(inputs: Any) -> Iterator[int]:
    """Marks of what a forward is given. Here, at a few updates of a run, other devices may be waited for."""
    for tensor in tensors_in(inputs, 3):
        if tensor.is_cpu:
            yield mark_of(tensor)
        elif tensor.is_cuda and torch.cuda.is_current_stream_capturing():
            yield 0
        elif tensor.numel() and tensor.layout == torch.strided:
            with torch.no_grad():
                yield mark_of(tensor.detach().reshape(-1)[:: max(1, tensor.numel() // SAMPLED)][:SAMPLED].cpu())
