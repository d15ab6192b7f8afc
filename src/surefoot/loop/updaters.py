"""One updater for each optimizer or list of them, from settings that may differ between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from surefoot.loop.clip import Limits
from surefoot.loop.closure import needs_closure
from surefoot.loop.joint import JointOptimizer, join_optimizers
from surefoot.loop.precision import Precision, make_scaler
from surefoot.loop.schedulers import make_schedulers
from surefoot.loop.setup import name_rest
from surefoot.loop.spikes import SpikeLimit
from surefoot.loop.update import Updater
from surefoot.loop.window import Window

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from torch.optim import Optimizer

    from surefoot.loop.parallel.alone import Alone


def make_updaters(
    optimizers: Mapping[str, Sequence[Optimizer]], accumulate: Mapping[str, int], ranks: Alone, precision: Precision,
    device: torch.device, scheduler: Any, clip_norm: Any, clip_value: Any, clip_spikes: Any,
) -> dict[str, Updater]:  # fmt: skip
    names = list(optimizers)
    schedulers = make_schedulers(scheduler, optimizers)
    norms, values = name_rest("clip_norm", clip_norm, names), name_rest("clip_value", clip_value, names)
    factors = name_rest("clip_spikes", clip_spikes, names)
    made = {}
    for name, parts in optimizers.items():
        optimizer = join_optimizers(parts)
        made[name] = Updater(
            name,
            optimizer,
            list(parts),
            Window(
                partial(params_of, optimizer), accumulate[name], agree=ranks.unit if ranks.size > 1 else None, name=name
            ),
            Limits(optimizer, norms[name], values[name]),
            None if factors[name] is None else SpikeLimit(factors[name]),
            make_scaler(precision, device),
            schedulers[name],
            ranks,
            needs_closure=any(map(needs_closure, parts)),
            is_one_of_several=len(names) > 1,
        )
    return made


def params_of(optimizer: Optimizer | JointOptimizer) -> list[Tensor]:
    """As they are now: groups may be added while training."""
    return [p for group in optimizer.param_groups for p in group["params"]]
