"""Signals: measurements that cost something, taken on sampled steps within a budget."""

from surefoot.signals.probe import SignalProbe
from surefoot.signals.probes import signal_probes

__all__ = ["SignalProbe", "signal_probes"]
