"""Which of the processes of a run that see the same tells it."""

import hashlib
from pathlib import Path


def claim(folder: Path, cause: str) -> bool:
    """Whether nobody else has told it."""
    name = hashlib.sha256(cause.encode(errors="backslashreplace")).hexdigest()[:32]
    try:
        (folder / f"told-{name}").touch(exist_ok=False)
    except OSError:
        return False
    return True
