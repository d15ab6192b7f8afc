"""One updater for each optimizer, from settings that may differ between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surefoot.loop.clip import Limits
from surefoot.loop.precision import Precision, make_scaler
from surefoot.loop.setup import name_rest
from surefoot.loop.update import Updater
from surefoot.loop.window import Window

if TYPE_CHECKING:
    import torch
    from torch.optim import Optimizer

    from surefoot.loop.parallel.alone import Alone


def make_updaters(
    optimizers: Mapping[str, Optimizer], accumulate: Mapping[str, int], ranks: Alone, precision: Precision,
    device: torch.device, scheduler: Any, clip_norm: Any, clip_value: Any,
) -> dict[str, Updater]:  # fmt: skip
    names = list(optimizers)
    schedulers = name_rest("scheduler", scheduler, names)
    norms, values = name_rest("clip_norm", clip_norm, names), name_rest("clip_value", clip_value, names)
    made = {}
    for name, optimizer in optimizers.items():
        params = [p for group in optimizer.param_groups for p in group["params"]]
        made[name] = Updater(
            name,
            optimizer,
            Window(params, accumulate[name], agree=ranks.unit if ranks.size > 1 else None),
            Limits(optimizer, norms[name], values[name]),
            make_scaler(precision, device),
            schedulers[name],
            ranks,
            # With one optimizer a backward goes everywhere, as in any loop; with several only to its parameters.
            inputs=[p for p in params if p.requires_grad] if len(names) > 1 else None,
        )
    return made
