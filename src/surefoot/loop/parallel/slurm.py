"""Processes that Slurm's `srun` has started: what torchrun would have told them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

FIRST_PORT, NUM_PORTS = 20_000, 10_000
_NEEDED = ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST")


def take_up() -> None:
    """Into the environment, where torch looks. What is there already stays."""
    for name, value in variables(os.environ).items():
        os.environ.setdefault(name, value)


def variables(environ: Mapping[str, str]) -> dict[str, str]:
    """None if torchrun or the program has set them, or if there is one process: a batch script itself is no task."""
    if "RANK" in environ or not all(name in environ for name in _NEEDED) or environ["SLURM_STEP_NUM_TASKS"] == "1":
        return {}
    job, step = (int(environ.get(name, "0")) for name in ("SLURM_JOB_ID", "SLURM_STEP_ID"))
    return {
        "RANK": environ["SLURM_PROCID"],
        "WORLD_SIZE": environ["SLURM_STEP_NUM_TASKS"],
        "LOCAL_RANK": environ["SLURM_LOCALID"],
        "MASTER_ADDR": first_host(environ["SLURM_STEP_NODELIST"]),
        "MASTER_PORT": str(FIRST_PORT + (job + 101 * step) % NUM_PORTS),
    }


def first_host(nodes: str) -> str:
    """Of a list such as `node[003-007,12],gpu1`: rank 0 runs there."""
    first = re.match(r"(?:[^,\[]|\[[^\]]*\])*", nodes)
    return re.sub(r"\[([^\],-]*)[^\]]*\]", r"\1", first[0] if first else nodes)
