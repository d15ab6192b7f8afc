"""An optimizer and its parameter groups, as facts."""

from typing import Any

from torch import Tensor
from torch.nn import Module
from torch.nn.parameter import is_lazy
from torch.optim import Optimizer

from surefoot.facts import GroupFacts, OptimizerFacts
from surefoot.watch.inventory.model_scan import ModelScan
from surefoot.watch.source import loop_around
from surefoot.watch.tracked_optimizer import TrackedOptimizer


def optimizer_facts(
    tracked: TrackedOptimizer, optimizer: Optimizer, scan: ModelScan, ancestors: tuple[int, ...] = ()
) -> OptimizerFacts:
    step: Any = type(optimizer).step
    return OptimizerFacts(
        id=tracked.id,
        kind=type(optimizer).__name__,
        builtin=str(getattr(step, "__module__", "")).startswith("torch.optim."),
        site=tracked.site,
        groups=tuple(_group_facts(group, scan) for group in optimizer.param_groups),
        made_in_loop=loop_around(tracked.site) if ancestors and tracked.site is not None else "",
        ancestors=ancestors,
    )


def _group_facts(group: dict[str, Any], scan: ModelScan) -> GroupFacts:
    params: list[Tensor] = group["params"]
    betas = group.get("betas")
    momentum = betas[0] if betas else group.get("momentum")
    return GroupFacts(
        lr=_number(group.get("lr")),
        weight_decay=_number(group.get("weight_decay")),
        momentum=_number(momentum),
        num_params=len(params),
        num_elements=sum(p.numel() for p in params if not is_lazy(p)),
        decoupled=bool(group.get("decoupled_weight_decay", False)),
        num_norm_or_bias=sum(is_norm_or_bias(p, scan) for p in params),
        initial_lr=_number(group["initial_lr"]) if "initial_lr" in group else None,
    )


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float, Tensor)) else 0.0


def is_norm_or_bias(param: Tensor, scan: ModelScan) -> bool:
    """Whether it is a bias or belongs to a normalisation layer."""
    place = scan.place(param)
    if place is None:
        return False
    module = place.module()
    return place.name.rpartition(".")[2].startswith("bias") or (module is not None and is_norm(module))


def is_norm(module: Module) -> bool:
    return "Norm" in type(module).__name__
