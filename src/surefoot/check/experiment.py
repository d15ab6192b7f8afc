"""One run of the program in a process of its own: what is done to it, and what is written down."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

Kind = Literal["watch", "rerun", "repeat", "inputs", "operations", "gradients", "course", "kill"]


@dataclass(frozen=True)
class Experiment:
    """What to run, and how.

    - watch: as it is, under the rules; the last step is looked at closely.
    - rerun: as it is once more.
    - repeat: every step trains on the first batch.
    - inputs: some steps, without an update, get inputs that belong to other targets, or zeros.
    - operations: every operation of the last steps is written down, after `skipped` ones.
    - gradients: dropout is off; the gradients of the first update are written to a file.
    - course: what each step begins with: weights, state of the optimizer, rate, batch, random numbers.
    - kill: as course; killed after the first step that follows a checkpoint.
    """

    kind: Kind
    steps: int
    name: str
    args: tuple[str, ...] = ()
    is_module: bool = False
    seconds: float = 3600.0  # then it ends with the steps that it has taken
    is_shared: bool = False  # in a fork of a process that makes several; else in one of its own
    seed: int | None = None  # set from outside before the program begins
    train_steps: int = 0  # of "inputs": updates before inputs are changed
    skipped: int = 0  # of "operations": steps before the first that is written down
    kept: int = 0  # of "inputs": batches of each loader, which are given in turn
    by_hand: bool = False  # no DataLoader gives the batches: what models and losses are given is changed instead

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Experiment:
        fields = json.loads(text)
        return Experiment(**{**fields, "args": tuple(fields["args"])})


@dataclass
class Step:
    """One optimizer step. Digests are numbers that are equal for equal values."""

    loss: float | None = None  # the mean of what was backwarded for it
    optimizer: int = 0
    rate: float | None = None
    inputs: str = ""  # what was done to them: "", "shuffled", "zeros"
    is_update: bool = True
    digests: dict[str, int] = field(default_factory=dict)


@dataclass
class Result:
    """What an experiment wrote down; `ended` is how it ended: max-steps, finished, raised, timeout, killed, died."""

    ended: str = "died"
    error: str = ""
    seconds: float = 0.0
    steps: list[Step] = field(default_factory=list)
    num_optimizers: int = 0
    has_closure: bool = False
    has_moved: bool = False  # any parameter of any optimizer
    seeds: list[str] = field(default_factory=list)  # functions by which it seeded itself
    loaded: list[str] = field(default_factory=list)  # functions by which it loaded something before its first step
    num_saves: int = 0
    uses_loader: bool = False
    losses: list[dict[str, Any]] = field(default_factory=list)  # calls of loss functions in the first step
    is_replaced: bool = False  # inputs and targets of every step were those of the first
    is_moved_by_hand: bool = False  # the program sets rates itself
    findings: list[dict[str, Any]] = field(default_factory=list)
    reads: list[dict[str, Any]] = field(default_factory=list)  # what predictions of next tokens depend on
    measured: dict[str, Any] = field(default_factory=dict)  # at the last step: samples, future, modes
    operations: list[tuple[str, str, int, str]] = field(default_factory=list)  # module, operation, digest, line
    samples: list[int] = field(default_factory=list)  # digests of rows that the first update used
    norms: list[str] = field(default_factory=list)  # layers that compute with the whole batch

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_file(file: Path) -> Result:
        fields = json.loads(file.read_text(encoding="utf-8"))
        return Result(**{**fields, "steps": [Step(**step) for step in fields["steps"]]})

    @property
    def trained(self) -> list[Step]:
        return [step for step in self.steps if step.loss is not None]
