"""Frozen, versioned records of what a training program did. Rules see nothing else."""

from surefoot.facts.clip import ClipFacts
from surefoot.facts.codec import SCHEMA_VERSION, Record, decode, encode
from surefoot.facts.data import (
    FeedFacts,
    InPlaceFacts,
    OverlapFacts,
    SameBatchFacts,
    SharedGeneratorFacts,
    WorkerFacts,
)
from surefoot.facts.dist import RanksFacts, ReplicaFacts, UnsyncedFacts
from surefoot.facts.end import EndFacts
from surefoot.facts.epoch import EpochFacts
from surefoot.facts.event import BackwardFacts, ClearFacts, EpochEdgeFacts, OtherStepFacts
from surefoot.facts.finite import BirthFacts, NonFiniteFacts
from surefoot.facts.gradient import GradientFacts, StalenessFacts, UnsteppedFacts
from surefoot.facts.graph import (
    CheckpointFacts,
    DeadTermFacts,
    DirectForwardFacts,
    GradcheckFacts,
    GraphFacts,
    KeptGraphFacts,
    LiveTargetFacts,
    MixedFacts,
    MovedFacts,
    UntrainedFacts,
    ZeroGradientFacts,
)
from surefoot.facts.half import LostUpdateFacts, UnderflowFacts
from surefoot.facts.loss import InputFacts, LossFacts, OpFacts, TargetFacts
from surefoot.facts.mode import (
    AveragedFacts,
    DriftFacts,
    EvalModeFacts,
    EvaluationFacts,
    IdleCopyFacts,
    LostDropoutFacts,
    ModeFacts,
    MomentumFacts,
    PlainAverageFacts,
    TinyBatchFacts,
)
from surefoot.facts.saved import (
    AliasFacts,
    OverwrittenFacts,
    ResumeFacts,
    SelfLoadFacts,
    UnmatchedFacts,
    UnrestoredFacts,
    UnrestoredPartFacts,
    UntrainedSavedFacts,
)
from surefoot.facts.scaler import ScalerFacts, UnscaleFacts
from surefoot.facts.schedule import ScheduleFacts, SchedulerFacts, ScheduleStepFacts
from surefoot.facts.seq import MaskFacts, PaddingRowFacts, ReadFacts, SequenceFacts
from surefoot.facts.setup import (
    GroupFacts,
    MisspellingFacts,
    ModelFacts,
    OptimizerFacts,
    ParameterFacts,
    PassingFacts,
    RepeatedFacts,
    SetupFacts,
    UninitialisedFacts,
)
from surefoot.facts.signal import ActivationFacts, ParameterSignals, SignalFacts
from surefoot.facts.site import Site
from surefoot.facts.speed import HostReadFacts, RecompileFacts
from surefoot.facts.step import Event, StepFacts
from surefoot.facts.validation import ValidationFacts

__all__ = [
    "SCHEMA_VERSION",
    "ActivationFacts",
    "AliasFacts",
    "AveragedFacts",
    "BackwardFacts",
    "BirthFacts",
    "CheckpointFacts",
    "ClearFacts",
    "ClipFacts",
    "DeadTermFacts",
    "DirectForwardFacts",
    "DriftFacts",
    "EndFacts",
    "EpochEdgeFacts",
    "EpochFacts",
    "EvalModeFacts",
    "EvaluationFacts",
    "Event",
    "FeedFacts",
    "GradcheckFacts",
    "GradientFacts",
    "GraphFacts",
    "GroupFacts",
    "HostReadFacts",
    "IdleCopyFacts",
    "InPlaceFacts",
    "InputFacts",
    "KeptGraphFacts",
    "LiveTargetFacts",
    "LossFacts",
    "LostDropoutFacts",
    "LostUpdateFacts",
    "MaskFacts",
    "MisspellingFacts",
    "MixedFacts",
    "ModeFacts",
    "ModelFacts",
    "MomentumFacts",
    "MovedFacts",
    "NonFiniteFacts",
    "OpFacts",
    "OptimizerFacts",
    "OtherStepFacts",
    "OverlapFacts",
    "OverwrittenFacts",
    "PaddingRowFacts",
    "ParameterFacts",
    "ParameterSignals",
    "PassingFacts",
    "PlainAverageFacts",
    "RanksFacts",
    "ReadFacts",
    "RecompileFacts",
    "Record",
    "RepeatedFacts",
    "ReplicaFacts",
    "ResumeFacts",
    "SameBatchFacts",
    "ScalerFacts",
    "ScheduleFacts",
    "ScheduleStepFacts",
    "SchedulerFacts",
    "SelfLoadFacts",
    "SequenceFacts",
    "SetupFacts",
    "SharedGeneratorFacts",
    "SignalFacts",
    "Site",
    "StalenessFacts",
    "StepFacts",
    "TargetFacts",
    "TinyBatchFacts",
    "UnderflowFacts",
    "UninitialisedFacts",
    "UnmatchedFacts",
    "UnrestoredFacts",
    "UnrestoredPartFacts",
    "UnscaleFacts",
    "UnsteppedFacts",
    "UnsyncedFacts",
    "UntrainedFacts",
    "UntrainedSavedFacts",
    "ValidationFacts",
    "WorkerFacts",
    "ZeroGradientFacts",
    "decode",
    "encode",
]
