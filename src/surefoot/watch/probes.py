"""All probes, in the order in which they are asked."""

from surefoot.watch.adapter.adapter_probe import AdapterProbe
from surefoot.watch.backward import BackwardProbe
from surefoot.watch.clear import ClearProbe
from surefoot.watch.clip import ClipProbe
from surefoot.watch.data.data_probe import DataProbe
from surefoot.watch.dist.dist_probe import DistProbe
from surefoot.watch.epoch import EpochProbe
from surefoot.watch.finite.finite_probe import FiniteProbe
from surefoot.watch.finite.origin.origin_probe import OriginProbe
from surefoot.watch.framework.framework_probe import FrameworkProbe
from surefoot.watch.graph.graph_probes import graph_probes
from surefoot.watch.half.autocast import AutocastProbe
from surefoot.watch.half.lost import LostUpdateProbe
from surefoot.watch.half.scale import Scales
from surefoot.watch.half.scaler import ScalerProbe
from surefoot.watch.half.underflow import UnderflowProbe
from surefoot.watch.inventory.frozen import FrozenProbe
from surefoot.watch.inventory.repeated import RepeatedProbe
from surefoot.watch.inventory.setup_probe import SetupProbe
from surefoot.watch.inventory.stale import StaleProbe
from surefoot.watch.inventory.uninitialised import UninitialisedProbe
from surefoot.watch.lossgraph.loss_probe import LossProbe
from surefoot.watch.mode.averaged import AveragedProbe
from surefoot.watch.mode.idle_copy import IdleCopyProbe
from surefoot.watch.mode.lost_dropout import LostDropoutProbe
from surefoot.watch.mode.mode_probe import ModeProbe
from surefoot.watch.mode.momentum import MomentumProbe
from surefoot.watch.probe import Probe
from surefoot.watch.saved.saved_probe import SavedProbe
from surefoot.watch.schedule.schedule_probe import ScheduleProbe
from surefoot.watch.seq.attention_mask import MaskProbe
from surefoot.watch.seq.padding_row import PaddingRowProbe
from surefoot.watch.seq.sequence_probe import SequenceProbe
from surefoot.watch.speed.host_read import HostReadProbe
from surefoot.watch.speed.recompile import RecompileProbe
from surefoot.watch.step import StepProbe
from surefoot.watch.unstepped import UnsteppedProbe
from surefoot.watch.validation import ValidationProbe


def all_probes() -> list[Probe]:
    steps, clears = StepProbe(), ClearProbe()
    origins, scales, epochs = OriginProbe(), Scales(), EpochProbe()
    finite = FiniteProbe(origins)
    validation = ValidationProbe(epochs)
    return [
        BackwardProbe(),
        clears,
        steps,
        AdapterProbe(steps, clears),
        FrameworkProbe(),
        UnsteppedProbe(),
        SetupProbe(),
        FrozenProbe(),
        StaleProbe(),
        RepeatedProbe(),
        UninitialisedProbe(),
        DataProbe(epochs),  # before passes are ended
        epochs,
        ScheduleProbe(epochs),
        SavedProbe(),
        LossProbe(validation.hear),
        SequenceProbe(),
        MaskProbe(),
        PaddingRowProbe(),
        DistProbe(),  # after the one that reads the loss
        validation,  # and the next after the one that reads the value of the loss
        origins,
        AutocastProbe(),
        ScalerProbe(scales),
        finite,
        ClipProbe(scales, finite),
        *graph_probes(),
        ModeProbe(epochs),
        MomentumProbe(),
        AveragedProbe(),
        IdleCopyProbe(),
        LostDropoutProbe(),
        UnderflowProbe(),  # after those that tell of scalers and autocast
        LostUpdateProbe(),
        RecompileProbe(),
        HostReadProbe(),
    ]
