"""Recordings of made-up runs."""

import torch
from torch import Tensor

from surefoot.verify.recording import Activation, ModelCall, Recording, Step

SAMPLES = torch.arange(8.0, dtype=torch.float64).reshape(8, 1) + 1


def call(rows: Tensor, factor: float = 1.0, kind: str = "Linear") -> ModelCall:
    outputs = rows * factor
    shape = (1, 1)
    acts = [Activation("body", kind, 0, {-1: (tuple(outputs.shape), outputs.reshape(1, -1)), 0: (shape, outputs)})]
    return ModelCall([int(row) for row in rows[:, 0]], rows, acts)


def step(
    number: int = 1, calls: list[ModelCall] | None = None, gradient: Tensor | None = None, **given: object
) -> Step:
    weights = {"body.weight": torch.ones(3, dtype=torch.float64)}
    grad = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64) if gradient is None else gradient
    fields: dict[str, object] = {
        "weights_before": dict(weights), "gradients": {"body.weight": grad}, "rates": [0.1], "weights": dict(weights),
        "updates": {"body.weight": -0.1 * grad}, **given,
    }  # fmt: skip
    return Step(number, 0, [call(SAMPLES)] if calls is None else calls, **fields)  # type: ignore[arg-type]


def run(*steps_of_ranks: Step) -> list[Recording]:
    """One step each."""
    num = len(steps_of_ranks)
    kinds = ["torch.float32"]
    return [Recording(rank, num, [one], kinds, kinds) for rank, one in enumerate(steps_of_ranks)]
