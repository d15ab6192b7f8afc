"""Rows that change while a batch with them is put together."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from surefoot.watch.data.in_place import InPlace
from surefoot.watch.data.write import first_write


class Held(Dataset[Any]):
    def __init__(self, x: Any) -> None:
        self.x = x

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> Any:
        return self.x[index]


ROWS = torch.randn(20, 8)
MADE = [lambda: ROWS.clone(), lambda: ROWS.numpy().copy(), lambda: [r.clone() for r in ROWS], lambda: [*ROWS.numpy()]]


def watch(data: Any) -> InPlace:
    return InPlace(DataLoader(data), lambda file: file == __file__)


@pytest.mark.parametrize("make", MADE)
def test_rows_that_are_given_and_changed(make: Any) -> None:
    data = Held(make())
    watched = watch(data)
    watched.fetches()
    data.x[0][:] = data.x[0] * 2
    watched.fetched([torch.stack([torch.as_tensor(data.x[0])] * 2)])
    facts = watched.facts()
    assert facts is not None and (facts.name, facts.num_rows, facts.num_changed) == ("Held.x", 16, 1)
    assert facts.site is not None and facts.site.function == "Held.__getitem__"


def test_what_is_changed_between_batches_or_is_not_given_does_not_count() -> None:
    data = Held(ROWS.clone())
    watched = watch(data)
    data.x[0] *= 2
    watched.fetches()
    assert watched.blocks == []
    watched = watch(data)
    watched.fetches()
    data.x[0] *= 2
    watched.fetched([torch.randn(4, 8)])
    assert watched.facts() is None


def test_what_can_not_be_read_is_left_alone() -> None:
    class Stream(IterableDataset[Any]):
        def __iter__(self) -> Any:
            return iter(())

    for data in (Held([1, 2, 3, 4]), Held([ROWS[0], ROWS[0][:3], 1, 2]), Held(np.array(["a"] * 8)), Stream()):
        assert watch(data).blocks == []
    assert [block.name for block in watch(TensorDataset(ROWS, ROWS[:, 0])).blocks] == ["TensorDataset.tensors[0]"]
    assert [block.name for block in watch(list(ROWS)).blocks] == ["list"]


SOURCES = {
    "x = self.x[index]\n        x += noise(x)": 2,
    "index += 1\n        self.calls += 1\n        return self.x[index].clamp_(0)": 3,
    "item = {}\n        item['x'] = x = self.x[index]\n        x[x > 1] = 1": 3,
    "x = np.subtract(self.x[index], 1, out=self.x[index])": 1,
    "x = self.x[index]\n        return self.transform(x)": 0,
}


@pytest.mark.parametrize(("body", "offset"), SOURCES.items())
def test_the_line_that_writes_to_a_sample(body: str, offset: int, tmp_path: Path) -> None:
    file = tmp_path / "data.py"
    file.write_text(f"class Data:\n    def __getitem__(self, index):\n        {body}\n")
    assert first_write(str(file), 2) == (2 + offset if offset else None)
