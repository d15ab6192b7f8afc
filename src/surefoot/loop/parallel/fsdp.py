"""`parallel="fsdp"`: each rank keeps a part of every parameter, its gradient and its optimizer state.

torch's `fully_shard` gathers a unit's parameters when its forward or backward comes, and adds up and shares out its
gradients in the backward of every micro-batch: a window's gradient then takes a rank's part of the memory, not all
of it, and is whole after any micro-batch, which short windows and checkpoints inside a window need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import Module, ModuleDict, ModuleList

from surefoot.loop.parallel.ranks import Ranks
from surefoot.loop.parallel.shard import local, pack, unpack

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.loop.window import Window


class Fsdp(Ranks):
    shares_backward = True

    def __init__(
        self, device: torch.device, units: Sequence[str] | None, options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(device)
        self._units = units
        self._options = dict(options or {})

    # --- the model

    def take(self, models: Mapping[str, Module], optimizers: Mapping[str, Optimizer]) -> None:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        refuse_state(optimizers)
        mesh = init_device_mesh(self.device.type, (self.size,))
        replaced: dict[int, Tensor] = {}
        for model in models.values():
            self.copy_from_first((*model.parameters(), *model.buffers()))
            before = dict(model.named_parameters())
            for unit in (*units_of(model, self._units), model):
                fully_shard(unit, mesh=mesh, **self._options)
            replaced |= {id(before[name]): p for name, p in model.named_parameters()}
        for optimizer in optimizers.values():
            for group in optimizer.param_groups:
                group["params"] = [replaced.get(id(p), p) for p in group["params"]]

    def settle(self, models: Iterable[Module]) -> None:
        """Without a backward the outermost unit keeps its parameters gathered."""
        for model in models:
            for module in model.modules():
                reshard = getattr(module, "reshard", None)
                if reshard is not None:
                    reshard()

    # --- a window

    def sum_over_ranks(self, window: Window) -> tuple[list[Tensor], float]:
        totals, _ = self.meet(window)
        total = window.merge(totals)
        # fully_shard has taken the mean over ranks: the division by the number of ranks is undone here.
        return self.gradients(window), total / self.size

    def gradients(self, window: Window) -> list[Tensor]:
        return [local(gradient) for gradient in window.gradients]

    def backward_of_nothing(self, loss: Tensor, retain_graph: bool) -> None:
        """The others wait in this backward. A mean over nothing is 0 / 0: what it sends on is made 0 again."""
        handles = [node.register_prehook(_to_zero) for node in _parameter_nodes(loss.grad_fn)]
        try:
            loss.nan_to_num().backward(torch.zeros_like(loss), retain_graph)  # type: ignore[no-untyped-call]
        finally:
            for handle in handles:
                handle.remove()

    def norm(self, gradients: list[Tensor]) -> Tensor:
        squared = super().norm(gradients).double() ** 2
        dist.all_reduce(squared)
        return squared.sqrt()

    def norm_of(self, gradients: list[Tensor]) -> Tensor:
        return self.norm([local(gradient) for gradient in gradients])

    # --- data

    def evaluated(self, batches: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
        return self._together.padded(iter(batches))

    # --- checkpoints

    def pack(self, state: dict[str, Any]) -> dict[str, Any]:
        sharded = ("models", "optimizers", "windows")
        return {key: pack(part) if key in sharded else part for key, part in state.items()}

    def unpack(
        self, state: dict[str, Any], models: Mapping[str, Module], optimizers: Mapping[str, Optimizer],
        params: Mapping[str, Sequence[Tensor]],
    ) -> None:  # fmt: skip
        for name, model in models.items():
            present = model.state_dict()
            saved = state["models"][name]
            state["models"][name] = {key: unpack(value, present[key]) for key, value in saved.items()}
        for name, optimizer in optimizers.items():
            own = [p for group in optimizer.param_groups for p in group["params"]]
            state["optimizers"][name]["state"] = {
                index: {key: unpack(value, own[index]) for key, value in kept.items()}
                for index, kept in state["optimizers"][name]["state"].items()
            }
        for name, sharded in params.items():
            window = state["windows"][name]
            for kept in (window, *window.get("further", ())):
                if kept["gradients"]:
                    kept["gradients"] = [unpack(g, p) for g, p in zip(kept["gradients"], sharded, strict=True)]


def _parameter_nodes(root: Any) -> list[Any]:
    todo, seen = [root], {root}
    while todo:
        for child, _ in todo.pop().next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                todo.append(child)
    return [node for node in seen if hasattr(node, "variable")]


def _to_zero(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
    return tuple(None if gradient is None else torch.zeros_like(gradient) for gradient in gradients)


def units_of(model: Module, patterns: Sequence[str] | None) -> list[Module]:
    """The modules that are gathered one by one: those whose names match, or else the model's blocks.

    Blocks are what its outermost lists hold, or else its children. One that shares a parameter with another part of
    the model is none: it would be gathered for one of them only.
    """
    if patterns is None:
        lists = [m for m in model.modules() if isinstance(m, ModuleList)]
        blocks = [block for one in lists[:1] for block in one] or list(model.children())
        return [block for block in blocks if _can_be_gathered(block) and not _shares(block, model)]
    named = {name: module for name, module in model.named_modules() if name}
    found: dict[str, Module] = {}
    for pattern in patterns:
        matching = {name: module for name, module in named.items() if fnmatchcase(name, pattern)}
        if not matching:
            raise ValueError(f"fsdp_units: no module is called {pattern!r}. There are {', '.join([*named][:5])}, …")
        found |= matching
    inner_first = sorted(found, key=lambda name: -name.count("."))
    return [found[name] for name in inner_first]


def _can_be_gathered(module: Module) -> bool:
    has_forward = not isinstance(module, ModuleList | ModuleDict)
    return has_forward and any(True for _ in module.parameters())


def _shares(block: Module, model: Module) -> bool:
    own = {id(p) for p in block.parameters()}
    inside = set(block.modules())
    rest = (p for module in model.modules() if module not in inside for p in module.parameters(recurse=False))
    return any(id(p) in own for p in rest)


def refuse_state(optimizers: Mapping[str, Optimizer]) -> None:
    for name, optimizer in optimizers.items():
        if optimizer.state:
            raise ValueError(
                f'parallel="fsdp" shards the parameters, but optimizer {name!r} has stepped already and has state for '
                "the whole ones. Make the loop before the first step; loop.resume() brings sharded state back."
            )
