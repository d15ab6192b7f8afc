"""The probes of this package."""

from surefoot.watch.graph.again import AgainProbe
from surefoot.watch.graph.bare_forward import BareForwardProbe
from surefoot.watch.graph.gradcheck import GradcheckProbe
from surefoot.watch.graph.graph_probe import GraphProbe
from surefoot.watch.graph.live_target import LiveTargetProbe
from surefoot.watch.graph.loss_addend import TermProbe
from surefoot.watch.graph.missing_gradient import FlowProbe
from surefoot.watch.graph.mixed import MixedProbe
from surefoot.watch.graph.moved_probe import MovedProbe
from surefoot.watch.graph.reentrant_checkpoint import CheckpointProbe
from surefoot.watch.graph.zeros import ZeroGradientProbe
from surefoot.watch.probe import Probe


def graph_probes() -> list[Probe]:
    return [
        GraphProbe(),
        FlowProbe(),
        TermProbe(),
        AgainProbe(),
        LiveTargetProbe(),
        CheckpointProbe(),
        BareForwardProbe(),
        GradcheckProbe(),
        MixedProbe(),
        MovedProbe(),
        ZeroGradientProbe(),
    ]
