"""The probes of this package."""

from surefoot.watch.graph.again import AgainProbe
from surefoot.watch.graph.checkpoint import CheckpointProbe
from surefoot.watch.graph.forward import ForwardProbe
from surefoot.watch.graph.gradcheck import GradcheckProbe
from surefoot.watch.graph.graph_probe import GraphProbe
from surefoot.watch.graph.live_target import LiveTargetProbe
from surefoot.watch.graph.mixed import MixedProbe
from surefoot.watch.graph.moved_probe import MovedProbe
from surefoot.watch.graph.term import TermProbe
from surefoot.watch.graph.untrained import FlowProbe
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
        ForwardProbe(),
        GradcheckProbe(),
        MixedProbe(),
        MovedProbe(),
        ZeroGradientProbe(),
    ]
