"""How much memory training takes."""

import os
from pathlib import Path

import torch

STATM = Path("/proc/self/statm")


def memory_bytes(device: torch.device) -> int | None:
    """Allocated on the device; on the host what the process holds, where that is cheap to tell."""
    if device.type == "cuda":
        return int(torch.cuda.memory_allocated(device))
    try:
        with STATM.open("rb", buffering=0) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None
