"""Wrappers that `warnings.warn(stacklevel=2)` passes over."""

from pathlib import Path
from types import CodeType


def unseen(code: CodeType) -> CodeType:
    """The same code under a file name with two words by which Python knows its own import machinery.

    Without this, warnings would name our wrapper instead of the line that called it. The path still leads to the same
    file.
    """
    file = Path(code.co_filename)
    return code.replace(co_filename=str(file.parent / "importlib_bootstrap" / ".." / file.name))
