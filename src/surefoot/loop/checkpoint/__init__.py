"""Checkpoints: random states, atomic files with checksums, a folder that always holds a good one."""

from surefoot.loop.checkpoint.difference import first_difference
from surefoot.loop.checkpoint.file import CorruptCheckpoint, read, write
from surefoot.loop.checkpoint.folder import CheckpointWarning, Folder
from surefoot.loop.checkpoint.signal import Termination

__all__ = ["CheckpointWarning", "CorruptCheckpoint", "Folder", "Termination", "first_difference", "read", "write"]
