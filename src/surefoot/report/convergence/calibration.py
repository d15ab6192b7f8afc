"""How often verdicts that look ahead were right, on trainings that did not choose their limits.

`make bench-verdict` counts them; `tests/benchmarks/test_verdict.py` holds these numbers to it.
"""

from __future__ import annotations

FURTHER = 0.02  # of the level: a loss that was called falling went on by at least as much
AT_REST = 0.1  # of the level: a loss that was called at rest went on by less

RIGHT = {"falling": (63, 66), "resting": (31, 31)}  # of how many, in as many steps again as it was cut after


def was_right(kind: str, further: float) -> bool:
    """`further` is by how much of its level the loss fell in as many steps again."""
    return further >= FURTHER if kind == "falling" else further < AT_REST
