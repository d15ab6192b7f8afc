"""Who trains a model is known by its parameters, not by ids that a new one may get when an old one is gone."""

from types import SimpleNamespace
from typing import Any

from torch import nn

from surefoot.watch.mode.optimizer_progress import OptimizerProgress


def stepped(progress: OptimizerProgress, number: int, model: nn.Module, ids: frozenset[int]) -> None:
    tracked: Any = SimpleNamespace(id=number, ids=ids, ledger=SimpleNamespace(params=list(model.parameters())))
    progress.step(tracked)


def test_a_parameter_with_the_id_of_one_that_is_gone_has_no_trainer() -> None:
    recorder: Any = SimpleNamespace(num_steps=1, updates={}, stepped_at={})
    progress, gone, new = OptimizerProgress(recorder), nn.Linear(2, 1), nn.Linear(2, 1)
    stepped(progress, 1, gone, frozenset(map(id, gone.parameters())))
    held = progress._params[1]
    progress._params[1] = dict(zip(map(id, new.parameters()), held.values(), strict=True))  # as if ids were used again
    assert progress.trainers([new]) == frozenset()
    stepped(progress, 2, new, frozenset(map(id, new.parameters())))
    assert progress.trainers([new]) == {2}
