"""One optimizer step, as facts."""

from dataclasses import replace

from surefoot.facts.clip import ClipFacts
from surefoot.facts.data import SameBatchFacts
from surefoot.facts.dist import ReplicaFacts, UnsyncedFacts
from surefoot.facts.event import BackwardFacts, ClearFacts, EpochEdgeFacts, OtherStepFacts
from surefoot.facts.finite import NonFiniteFacts
from surefoot.facts.frozen import frozen
from surefoot.facts.gradient import GradientFacts, StalenessFacts
from surefoot.facts.graph import (
    CheckpointFacts,
    DeadTermFacts,
    DirectForwardFacts,
    GradcheckFacts,
    GraphFacts,
    LiveTargetFacts,
    MixedFacts,
    MovedFacts,
    UntrainedFacts,
    ZeroGradientFacts,
)
from surefoot.facts.half import LostUpdateFacts, UnderflowFacts
from surefoot.facts.mode import EvaluationFacts, ModeFacts
from surefoot.facts.saved import ResumeFacts, UnrestoredFacts
from surefoot.facts.scaler import ScalerFacts, UnscaleFacts
from surefoot.facts.schedule import ScheduleFacts, ScheduleStepFacts
from surefoot.facts.seq import MaskFacts, PaddingRowFacts, SequenceFacts
from surefoot.facts.site import Site

Event = BackwardFacts | ClearFacts | ClipFacts | UnscaleFacts | ScheduleStepFacts | OtherStepFacts | EpochEdgeFacts


@frozen
class StepFacts:
    """An attempted step of one optimizer, with all that happened since its previous one.

    Steps of the same shape are not all written down: `repeats` tells how many of this optimizer's steps
    before this one, since its last record, had the shape of one recorded earlier, and `alike` of which one.
    """

    at: int
    index: int  # counts attempted steps of all optimizers, from 1
    optimizer: int
    update: int  # counts attempted steps of this optimizer, from 1
    site: Site | None = None
    repeats: int = 0
    alike: tuple[tuple[int, int], ...] = ()  # (index of a recorded step, how many had its shape)
    skipped: bool = False  # a GradScaler decided against it
    closure: bool = False
    inside_backward: bool = False
    inside_step: int | None = None  # id of the optimizer whose step called this one (SAM)
    scaler: ScalerFacts | None = None  # None when `optimizer.step()` was called directly
    scale: float = 1.0  # the GradScaler's scale still in the gradients
    events: tuple[Event, ...] = ()
    gradients: tuple[GradientFacts, ...] = ()
    unowned: tuple[GradientFacts, ...] = ()  # gradients on parameters that no optimizer holds
    lrs: tuple[float, ...] = ()
    schedules: tuple[ScheduleFacts, ...] = ()  # those that drive this optimizer
    frozen_moved: tuple[str, ...] = ()  # parameters that this optimizer's previous step moved though they are frozen
    staleness: StalenessFacts | None = None  # measured once, where old gradients are used again
    non_finite: NonFiniteFacts | None = None
    underflow: UnderflowFacts | None = None
    lost_updates: LostUpdateFacts | None = None
    graph: GraphFacts | None = None
    checkpoints: tuple[CheckpointFacts, ...] = ()
    direct_forwards: tuple[DirectForwardFacts, ...] = ()
    untrained: tuple[UntrainedFacts, ...] = ()
    gradchecks: tuple[GradcheckFacts, ...] = ()
    zero_gradients: tuple[ZeroGradientFacts, ...] = ()
    dead_terms: tuple[DeadTermFacts, ...] = ()
    live_targets: tuple[LiveTargetFacts, ...] = ()
    mode: ModeFacts | None = None
    evaluations: tuple[EvaluationFacts, ...] = ()  # that ended since the previous step of any optimizer
    same_batch: SameBatchFacts | None = None  # that fed this step and many before it
    unrestored: UnrestoredFacts | None = None
    resume: ResumeFacts | None = None  # where this optimizer's state was loaded
    unsynced: tuple[UnsyncedFacts, ...] = ()
    sequences: tuple[SequenceFacts, ...] = ()  # targets that were compared with token ids in this window
    masks: tuple[MaskFacts, ...] = ()  # losses of this window with inverted padding masks behind them
    padding_rows: tuple[PaddingRowFacts, ...] = ()  # that losses of this window depend on
    mixed: tuple[MixedFacts, ...] = ()  # losses of this window whose predictions mix samples
    moved: tuple[MovedFacts, ...] = ()  # views that were meant to swap dimensions, told once
    replica: ReplicaFacts | None = None  # at fixed updates of a model of which every rank has a copy
    version: int = 1

    @property
    def note(self) -> ReplicaFacts | None:
        """What this rank notes of the step, for those who join the notes of several."""
        return None if self.replica is None else replace(self.replica, site=self.site)

    @property
    def backwards(self) -> tuple[BackwardFacts, ...]:
        return tuple(e for e in self.events if isinstance(e, BackwardFacts))

    @property
    def clears(self) -> tuple[ClearFacts, ...]:
        return tuple(e for e in self.events if isinstance(e, ClearFacts))

    @property
    def clips(self) -> tuple[ClipFacts, ...]:
        return tuple(e for e in self.events if isinstance(e, ClipFacts))

    @property
    def window(self) -> tuple[BackwardFacts, ...]:
        """The backwards whose gradients this step uses."""
        used = {source for g in self.gradients if g.present for source in g.sources}
        return tuple(b for b in self.backwards if b.ordinal in used)
