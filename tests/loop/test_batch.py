"""Batches of any make are moved, and counted."""

from collections import OrderedDict, UserDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch

from surefoot.loop.batch import size_of, to_device

META = torch.device("meta")


class Pair(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


@dataclass
class Sample:
    x: torch.Tensor
    name: str


class Encoding(UserDict[str, Any]):
    def to(self, device: Any) -> "Encoding":
        return Encoding({key: value.to(device) for key, value in self.items()})


class Own:
    def __init__(self, x: torch.Tensor) -> None:
        self.x = x

    def to(self, device: torch.device) -> "Own":
        return Own(self.x.to(device))


def x() -> torch.Tensor:
    return torch.zeros(3, 2)


def test_every_tensor_is_moved_and_the_rest_stays() -> None:
    batch = {"a": x(), "b": [x(), (x(), "text")], "c": Pair(x(), x()), "d": Sample(x(), "name"), "e": 5}
    moved = to_device(batch, META)
    assert moved["a"].device == moved["b"][0].device == moved["b"][1][0].device == META
    assert moved["b"][1][1] == "text"
    assert isinstance(moved["c"], Pair)
    assert moved["c"].y.device == META
    assert moved["d"].x.device == META
    assert (moved["d"].name, moved["e"]) == ("name", 5)


def test_mappings_and_objects_of_their_own_class() -> None:
    assert isinstance(to_device(OrderedDict(a=x()), META), OrderedDict)
    encoding = to_device(Encoding(a=x()), META)
    assert isinstance(encoding, Encoding)
    assert encoding["a"].device == META
    assert to_device(Own(x()), META).x.device == META


def test_what_is_there_already_is_the_same_tensor() -> None:
    batch = x()
    assert to_device(batch, torch.device("cpu")) is batch


@pytest.mark.parametrize(
    ("batch", "size"),
    [
        (x(), 3), ((x(), x()), 3), ({"a": "text", "b": x()}, 3), (Sample(x(), "n"), 3), ("text", None),
        (torch.zeros(()), None),
    ],
)  # fmt: skip
def test_the_number_of_samples(batch: Any, size: int | None) -> None:
    assert size_of(batch) == size
