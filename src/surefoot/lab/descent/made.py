"""The optimizer and the schedule that settings name: torch's classes, and one of `sf.schedule`."""

from __future__ import annotations

from typing import Any

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, ExponentialLR, LRScheduler, OneCycleLR, StepLR

from surefoot.lab.descent.settings import Settings
from surefoot.loop.schedule import warmup_cosine


def make_optimizer(settings: Settings, weights: torch.Tensor) -> torch.optim.Optimizer:
    options: dict[str, Any] = dict(settings.options)
    if "beta1" in options:
        options["betas"] = (options.pop("beta1"), options.pop("beta2"))
    if "line_search" in options:
        options["line_search_fn"] = "strong_wolfe" if options.pop("line_search") else None
    made: torch.optim.Optimizer = getattr(torch.optim, settings.optimizer)([weights], lr=settings.rate, **options)
    return made


def make_schedule(settings: Settings, optimizer: torch.optim.Optimizer) -> LRScheduler | None:
    """Advanced once per update, and made for as many as there are."""
    rate, steps, shape = settings.rate, settings.steps, settings.shape
    match settings.schedule:
        case "step":
            return StepLR(optimizer, shape["step_size"], shape["gamma"])
        case "exponential":
            return ExponentialLR(optimizer, shape["decay"])
        case "cosine":
            return CosineAnnealingLR(optimizer, steps, eta_min=shape["floor"] * rate)
        case "warmup_cosine":
            return warmup_cosine(optimizer, warmup=shape["warmup"], updates=steps, floor=shape["floor"])
        case "one_cycle":
            return OneCycleLR(optimizer, rate, steps, **shape)
    return None
