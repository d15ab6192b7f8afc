"""Facts to JSON text and back, exactly.

Dataclasses become objects tagged with their class name, fields at their default are left out, so that an older
file reads as a newer record with defaults. Non-finite floats are written as Python's `json` writes them.
"""

import dataclasses
import json
from functools import cache
from typing import Any

from surefoot.facts.clip import ClipFacts
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
from surefoot.facts.step import StepFacts
from surefoot.facts.validation import ValidationFacts

SCHEMA_VERSION = 1

Record = StepFacts | SetupFacts | EpochFacts | SignalFacts | ValidationFacts | EndFacts | RanksFacts

_CLASSES: dict[str, type] = {
    c.__name__: c
    for c in (
        ActivationFacts,
        AliasFacts,
        AveragedFacts,
        BackwardFacts,
        BirthFacts,
        CheckpointFacts,
        ClearFacts,
        ClipFacts,
        DeadTermFacts,
        DirectForwardFacts,
        DriftFacts,
        EndFacts,
        EpochEdgeFacts,
        EpochFacts,
        EvalModeFacts,
        EvaluationFacts,
        IdleCopyFacts,
        FeedFacts,
        GradcheckFacts,
        GradientFacts,
        GraphFacts,
        GroupFacts,
        HostReadFacts,
        InPlaceFacts,
        InputFacts,
        KeptGraphFacts,
        LiveTargetFacts,
        LossFacts,
        LostDropoutFacts,
        LostUpdateFacts,
        MixedFacts,
        MovedFacts,
        ModeFacts,
        MaskFacts,
        MisspellingFacts,
        ModelFacts,
        MomentumFacts,
        OpFacts,
        NonFiniteFacts,
        OptimizerFacts,
        OtherStepFacts,
        PaddingRowFacts,
        OverlapFacts,
        OverwrittenFacts,
        ParameterFacts,
        ParameterSignals,
        PassingFacts,
        RanksFacts,
        ReadFacts,
        RecompileFacts,
        RepeatedFacts,
        ReplicaFacts,
        ResumeFacts,
        SameBatchFacts,
        ScalerFacts,
        ScheduleFacts,
        ScheduleStepFacts,
        SchedulerFacts,
        SequenceFacts,
        SelfLoadFacts,
        SetupFacts,
        SharedGeneratorFacts,
        SignalFacts,
        Site,
        StalenessFacts,
        StepFacts,
        TargetFacts,
        TinyBatchFacts,
        UnderflowFacts,
        UninitialisedFacts,
        UnmatchedFacts,
        UnrestoredFacts,
        UnrestoredPartFacts,
        UnscaleFacts,
        UnsteppedFacts,
        UnsyncedFacts,
        UntrainedFacts,
        UntrainedSavedFacts,
        ValidationFacts,
        WorkerFacts,
        ZeroGradientFacts,
    )
}


@cache
def _fields(cls: type) -> tuple[tuple[str, Any], ...]:
    return tuple((f.name, f.default) for f in dataclasses.fields(cls))


def _plain(value: Any) -> Any:
    cls: type = type(value)
    if dataclasses.is_dataclass(cls):
        plain: dict[str, Any] = {"_": cls.__name__}
        for name, default in _fields(cls):
            item = getattr(value, name)
            if item is not default and item != default:
                plain[name] = _plain(item)
        return plain
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _record(value: Any) -> Any:
    if isinstance(value, dict):
        cls = _CLASSES[value["_"]]
        known = {name for name, _ in _fields(cls)}
        return cls(**{name: _record(item) for name, item in value.items() if name in known})
    if isinstance(value, list):
        return tuple(_record(item) for item in value)
    return value


def encode(record: Record) -> str:
    return json.dumps(_plain(record), separators=(",", ":"))


def decode(text: str) -> Record:
    plain = json.loads(text)
    version = plain.get("version", 1)
    if version > SCHEMA_VERSION:
        raise ValueError(
            f"this record has schema version {version}; this surefoot reads up to {SCHEMA_VERSION}. Upgrade surefoot."
        )
    record: Record = _record(plain)
    return record
