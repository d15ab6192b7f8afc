"""Which parts of a checkpoint are found to be left where they were."""

import copy

import torch
from torch import nn

from surefoot.watch.saved.parts import CheckpointParts


def left(model: nn.Module, ema: nn.Module, file: dict[str, object], *sources: nn.Module) -> list[str]:
    parts = CheckpointParts()
    parts.note(file, "last.pt", list(sources))
    owned = {id(param) for param in model.parameters()}
    return [one.part for one in parts.unrestored("last.pt", [model, ema, *sources], owned, None)]


def test_a_part_that_is_not_in_its_module() -> None:
    saved, average = nn.Linear(3, 2), nn.Linear(3, 2)
    file = {"model": saved.state_dict(), "ema": average.state_dict(), "step": 7, "empty": {}}
    model = copy.deepcopy(saved)
    assert left(model, nn.Linear(3, 2), file) == ["ema"]
    assert left(model, nn.Linear(3, 2), file, saved, average) == ["ema"]  # those of the run that saved it
    assert left(model, copy.deepcopy(average), file) == []
    assert left(model, copy.deepcopy(saved), file) == []  # begins anew where the model stands
    assert left(model, nn.Linear(3, 4), file) == []
    assert left(nn.Linear(3, 2), nn.Linear(3, 2), file) == []  # the weights are not from here
    assert CheckpointParts().unrestored("last.pt", [model], set(), None) == []


def test_what_is_no_state_is_no_part() -> None:
    model = nn.Linear(3, 2)
    for other in ([torch.ones(2)], {"a": 1, "b": 2}, {1: torch.ones(2), 2: torch.ones(2)}):
        assert left(model, nn.Linear(3, 2), {"model": model.state_dict(), "other": other}) == []
    parts = CheckpointParts()
    parts.note([1], "list.pt", [])
    assert parts.unrestored("list.pt", [model], set(), None) == []
