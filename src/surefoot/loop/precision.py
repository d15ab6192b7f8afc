"""Autocast around forwards, and the scaler of fp16."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

Precision = Literal["fp32", "bf16", "fp16"]
DTYPES = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}

FIRST_SCALE = 2.0**15  # torch's own 2**16 is beyond half precision: a loss in fp16 would overflow by itself


def check_precision(precision: str) -> None:
    if precision not in DTYPES:
        raise ValueError(f'precision must be "fp32", "bf16" or "fp16", got {precision!r}.')


def autocast(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """For the forward and the loss."""
    dtype = DTYPES[precision]
    return nullcontext() if dtype is None else torch.autocast(device.type, dtype)


def no_autocast(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """For the backward, whose operations run in the types of their forwards by themselves."""
    return nullcontext() if precision == "fp32" else torch.autocast(device.type, enabled=False)


def make_scaler(precision: Precision, device: torch.device) -> torch.amp.GradScaler | None:
    """One per optimizer: an overflow in one must not touch the scale that another's open window was made with."""
    if precision != "fp16":
        return None
    scaler = torch.amp.GradScaler(device.type, init_scale=FIRST_SCALE)
    scaler.scale(torch.ones((), device=device))  # it makes its state at first use, which may be another rank's
    return scaler
