"""The probes of this layer, around those of `watch`."""

from collections.abc import Sequence

from surefoot.signals.activation import ActivationProbe
from surefoot.signals.clipping import ClippingProbe
from surefoot.signals.probe import SignalProbe
from surefoot.watch.probe import Probe


def signal_probes(others: Sequence[Probe]) -> tuple[SignalProbe, list[Probe]]:
    """The probe that tells, and all probes in the order in which they are installed.

    Clipping comes first: its wrappers must lie below the others'. The hooks of the one that tells come last, when a
    step is accounted for.
    """
    clipping, activations = ClippingProbe(), ActivationProbe()
    signals = SignalProbe(clipping, activations)
    return signals, [clipping, *others, activations, signals]
