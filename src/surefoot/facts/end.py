"""The end of the run."""

from surefoot.facts.data import SameBatchFacts
from surefoot.facts.dist import UnsyncedFacts
from surefoot.facts.finite import NonFiniteFacts
from surefoot.facts.frozen import frozen
from surefoot.facts.gradient import UnsteppedFacts
from surefoot.facts.graph import UntrainedFacts
from surefoot.facts.mode import EvaluationFacts, IdleCopyFacts
from surefoot.facts.saved import UntrainedSavedFacts
from surefoot.facts.schedule import ScheduleFacts
from surefoot.facts.speed import HostReadFacts, RecompileFacts
from surefoot.facts.step import Event


@frozen
class EndFacts:
    at: int
    num_steps: int = 0
    reason: str = "finished"  # "finished", "raised", "interrupted", "max-steps", "stopped"
    pending: tuple[int, ...] = ()  # backwards whose gradients no step ever used
    tail: tuple[Event, ...] = ()  # the events since the last step
    non_finite: tuple[NonFiniteFacts, ...] = ()  # weights, by optimizer
    untrained: tuple[UntrainedFacts, ...] = ()
    evaluations: tuple[EvaluationFacts, ...] = ()  # the last at every line
    schedules: tuple[ScheduleFacts, ...] = ()
    same_batch: SameBatchFacts | None = None  # that fed all steps since it was taken
    untrained_saved: tuple[UntrainedSavedFacts, ...] = ()
    unsynced: tuple[UnsyncedFacts, ...] = ()  # up to the last step, and nothing was sent since
    unstepped: tuple[UnsteppedFacts, ...] = ()  # in a run without any step
    updates: tuple[tuple[int, int], ...] = ()  # (optimizer id, attempted steps)
    repeats: tuple[tuple[int, int], ...] = ()  # (optimizer id, steps since its last record)
    alike: tuple[tuple[int, int], ...] = ()  # of all optimizers, as in StepFacts
    idle_copies: tuple[IdleCopyFacts, ...] = ()  # that were to follow a model
    recompiles: tuple[RecompileFacts, ...] = ()
    host_reads: tuple[HostReadFacts, ...] = ()
    probes_off: tuple[tuple[str, str], ...] = ()  # (probe, why it was switched off)
    version: int = 1
