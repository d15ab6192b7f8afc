"""Watch a training program through hooks and thin wrappers, and tell what it does as facts."""

from surefoot.watch.probe import Probe
from surefoot.watch.recorder import Recorder

__all__ = ["Probe", "Recorder"]
