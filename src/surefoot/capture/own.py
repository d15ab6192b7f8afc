"""Names of series that surefoot writes itself: what a logger calls so gets the logger's name before it."""

from __future__ import annotations

import re

_OWN = re.compile(
    r"(?:optimizer-\d+/)?(?:loss|lr|lr/\d+|loss_factor|grad_norm|param_norm|update_norm|update_ratio|clip_factor"
    r"|step_seconds|items_per_second|descent|overshoot|noise_scale|noise_signal|noise_trace|update_items|grad_scale"
    r"|num_skipped|memory_bytes|(?:grad_norm|param_norm|update_ratio|grad_zeros|grad_nonfinite)/.*)",
    re.DOTALL,
)


def own_name(name: str, source: str) -> str:
    """One series has one writer: values and steps of two could not be told apart."""
    return f"{source}/{name}" if _OWN.fullmatch(name) else name
