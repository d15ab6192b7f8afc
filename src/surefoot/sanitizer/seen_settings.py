"""Settings as the watch sees them: optimizers, schedules, parameters, precision and batch size."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.facts import GroupFacts, OptimizerFacts, Record, SetupFacts, StepFacts
from surefoot.runlog.setting import SEEN, Value
from surefoot.runlog.write.run import Run

MOST_OPTIMIZERS = 4  # some programs make a new one again and again
MOST_GROUPS = 8


class SeenSettings:
    """Stores each as it was first seen; counts of what exists, as they are last."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._stored: dict[str, Value] = {}
        self._precision = ""  # of the parameters

    def record(self, record: Record) -> None:
        if isinstance(record, SetupFacts):
            self._setup(record)
        elif isinstance(record, StepFacts) and f"{SEEN}autocast" not in self._stored:
            self._autocast(record)

    def batch(self, batch_size: int, num_backwards: int) -> None:
        """Rows that the first layer was given in one forward, and backwards of one update."""
        if f"{SEEN}batch_size" not in self._stored:
            self._store({"batch_size": batch_size, "micro_batches": num_backwards})

    def _setup(self, facts: SetupFacts) -> None:
        for optimizer in facts.optimizers[:MOST_OPTIMIZERS]:
            known = {name: value for name, value in _optimizer(optimizer) if SEEN + name not in self._stored}
            self._store(known)
        schedules = [scheduler.kind for scheduler in facts.schedulers if not scheduler.owned]
        if schedules:
            kinds = list(dict.fromkeys(schedules))
            self._store({"schedule": kinds[0] if len(kinds) == 1 else list(kinds)})
        existing = [parameter for parameter in facts.parameters if not parameter.replaced_by]
        if existing:
            held = [parameter for parameter in existing if parameter.optimizers]
            dtypes = sorted({parameter.dtype for parameter in held or existing})
            self._store({
                "parameters": sum(parameter.num_elements for parameter in existing),
                "trained_parameters": sum(parameter.num_elements for parameter in held),
                "precision": dtypes[0] if len(dtypes) == 1 else list(dtypes),
            })  # fmt: skip

    def _autocast(self, facts: StepFacts) -> None:
        dtypes = [backward.autocast_dtype for backward in facts.backwards if backward.autocast_dtype]
        if dtypes:
            self._store({"autocast": dtypes[0]})

    def _store(self, values: dict[str, Value]) -> None:
        news = {SEEN + name: value for name, value in values.items() if self._stored.get(SEEN + name) != value}
        if news:
            self._stored |= news
            self._run.settings(news, "seen")


def _optimizer(facts: OptimizerFacts) -> Iterator[tuple[str, Value]]:
    lead = "" if facts.id == 1 else f"optimizer-{facts.id}/"
    yield f"{lead}optimizer", facts.kind
    groups = facts.groups[:MOST_GROUPS]
    yield f"{lead}lr", _shared([_first_rate(group) for group in groups])
    yield f"{lead}weight_decay", _shared([group.weight_decay for group in groups])
    if any(group.momentum for group in groups):
        yield f"{lead}momentum", _shared([group.momentum for group in groups])


def _first_rate(group: GroupFacts) -> float:
    return group.lr if group.initial_lr is None else group.initial_lr


def _shared(values: list[float]) -> Value:
    """One number where all groups have the same."""
    return values[0] if len(set(values)) == 1 else list(values)
