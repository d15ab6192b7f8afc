"""`sf.schedule`: the loop's schedules, and what any schedule will do, before training."""

from surefoot.lab.preview import Preview, preview
from surefoot.loop.schedule import (
    inverse_time,
    length_of,
    mismatch,
    step_decay,
    warmup_constant_decay,
    warmup_cosine,
)
from surefoot.loop.schedulers import on_metric, per_epoch

__all__ = [
    "Preview", "inverse_time", "length_of", "mismatch", "on_metric", "per_epoch", "preview", "step_decay",
    "warmup_constant_decay", "warmup_cosine",
]  # fmt: skip
