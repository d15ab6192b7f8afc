"""Signals: measurements that cost something, taken at sampled updates."""

from surefoot.signals.signal_probe import SignalProbe, signal_probes

__all__ = ["SignalProbe", "signal_probes"]
