"""How much memory training takes."""

import os
from pathlib import Path

import torch

_STATM = Path("/proc/self/statm")


def memory_bytes(device: torch.device) -> int | None:
    """Allocated on the device; on the host what the process holds, where that is cheap to tell."""
    if device.type == "cuda":
        return int(torch.cuda.memory_allocated(device))
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None
