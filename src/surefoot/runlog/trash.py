"""Deleted runs lie in `deleted` among the others, whole, until somebody deletes them there."""

from __future__ import annotations

from pathlib import Path

from surefoot.runlog.edits import EditError
from surefoot.runlog.read.disk import footprint
from surefoot.runlog.read.error import RunLogError

DELETED = "deleted"  # a folder that holds no database, so nobody takes it for a run


def discard(folder: Path) -> Path:
    """Where it is now."""
    try:
        run = footprint(folder)
    except RunLogError as error:
        raise EditError(str(error)) from None
    if run.in_use:
        raise EditError(f"run {run.name} is {run.status}: it is not deleted. Stop it first.")
    if folder.is_symlink():
        raise EditError(f"{folder} is a link to {folder.resolve()}. Delete that, or remove the link.")
    return _move(folder, folder.parent / DELETED / folder.name)


def restore(log: Path, name: str) -> Path:
    """Where it is again."""
    if not name or name != Path(name).name or not (log / DELETED / name).is_dir():
        raise EditError(f"there is no deleted run {name!r} in {log / DELETED}.")
    return _move(log / DELETED / name, log / name)


def _move(folder: Path, to: Path) -> Path:
    if to.exists():
        raise EditError(f"there is a run {to.name} in {to.parent} already.")
    try:
        to.parent.mkdir(exist_ok=True)
        folder.rename(to)
    except OSError as error:
        raise EditError(f"{folder} can't be moved to {to.parent}: {error.strerror or error}.") from None
    return to
