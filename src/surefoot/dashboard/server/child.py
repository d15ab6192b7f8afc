"""What a process of ours that another one starts needs to know."""

import os
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]


def environment(**more: str) -> dict[str, str]:
    """Our own package is found wherever this process has found it; `more` yields to what the user has set."""
    paths = [str(SOURCE), os.environ.get("PYTHONPATH", "")]
    return {**more, **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
