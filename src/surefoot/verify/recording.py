"""What one process of a run computed: plain values, written to a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

SUFFIX = ".recording"


@dataclass
class Activation:
    """The output of one call of a module inside a call of the model.

    `rows` has one line a sample: for each dimension along which samples may lie, the shape of the rest and the values.
    """

    name: str
    kind: str  # class of the module
    index: int  # of the call of this module inside the model's call
    rows: dict[int, tuple[tuple[int, ...], Tensor]]


@dataclass
class ModelCall:
    """An outermost call of a module with parameters."""

    samples: list[int] = field(default_factory=list)  # a digest of each sample's inputs
    inputs: Tensor | None = None  # floating-point inputs, one line a sample
    activations: list[Activation] = field(default_factory=list)
    masks: list[tuple[str, int]] = field(default_factory=list)  # of dropout: the module, and a digest


@dataclass
class Step:
    """One optimizer step. Tensors are sketches (`child/sketch.py`), by the name of the parameter."""

    number: int = 1
    optimizer: int = 0
    calls: list[ModelCall] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    weights_before: dict[str, Tensor] = field(default_factory=dict)
    unclipped: dict[str, Tensor] = field(default_factory=dict)  # gradients when clipping first begins
    norms: list[float] = field(default_factory=list)  # before each clipping
    clip_factors: list[float] = field(default_factory=list)
    gradients: dict[str, Tensor] = field(default_factory=dict)  # that the update uses
    rates: list[float] = field(default_factory=list)  # of the groups
    updates: dict[str, Tensor] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    buffers: dict[str, Tensor] = field(default_factory=dict)


@dataclass
class Recording:
    rank: int = 0
    num_ranks: int = 1
    steps: list[Step] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)  # of outputs of modules
    param_dtypes: list[str] = field(default_factory=list)
    wrappers: list[str] = field(default_factory=list)  # DistributedDataParallel and the like
    notes: list[str] = field(default_factory=list)  # what could not be recorded, and why
    error: str = ""  # a preset could not be applied

    def write(self, file: Path) -> None:
        """Whole or not at all."""
        unfinished = file.with_suffix(".part")
        torch.save(self, unfinished)
        unfinished.replace(file.with_suffix(SUFFIX))

    @staticmethod
    def read(file: Path) -> Recording:
        found: Any = torch.load(file, weights_only=False)
        assert isinstance(found, Recording)
        return found
