"""Signals: measurements that cost something, taken at sampled updates."""

from surefoot.signals.probe import SignalProbe, signal_probes

__all__ = ["SignalProbe", "signal_probes"]
