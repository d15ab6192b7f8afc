"""Captured states give the same random numbers again, also after a trip through a file."""

import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from surefoot.loop.checkpoint import generator, read, rng, write


def draw() -> list[float]:
    return [random.random(), random.gauss(0, 1), *np.random.randn(3), *torch.randn(3).tolist(), torch.rand(()).item()]


def test_the_same_numbers_come_again(tmp_path: Path) -> None:
    draw()  # leaves half a pair of normal numbers in each library
    write(tmp_path / "file", rng.capture())
    expected = draw()
    draw()
    rng.restore(read(tmp_path / "file"))
    assert draw() == expected


def test_capturing_draws_nothing() -> None:
    before = rng.capture()
    expected = draw()
    rng.restore(before)
    rng.capture()
    assert draw() == expected


def test_nothing_moves() -> None:
    state = rng.capture()
    expected = draw()
    rng.restore(state)
    with rng.unmoved():
        draw()
    assert draw() == expected


def test_numpy_is_left_out_where_nobody_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    state = rng.capture()
    assert "numpy" not in state
    rng.restore(state)


class Device:
    """Stands in for torch.cuda, torch.xpu and torch.mps."""

    def __init__(self, numbers: int) -> None:
        self.states = [torch.tensor([index]) for index in range(numbers)]
        self.started = True

    def is_initialized(self) -> bool:
        return self.started

    def get_rng_state(self, index: int = 0) -> torch.Tensor:
        return self.states[index]

    def set_rng_state(self, state: torch.Tensor, index: int = 0) -> None:
        self.states[index] = state


@pytest.mark.parametrize(("kind", "number"), [("cuda", 3), ("mps", 1)])
def test_accelerators(monkeypatch: pytest.MonkeyPatch, kind: str, number: int) -> None:
    device: Any = Device(number)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: torch.device(kind))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: number)
    monkeypatch.setattr(torch, "get_device_module", lambda _: device)
    state = rng.capture()
    device.states = [torch.tensor([99])] * number
    rng.restore(state)
    assert device.states == [torch.tensor([index]) for index in range(number)]
    device.started = False
    assert rng.capture()["accelerator"] == {}
    rng.restore(state)


def test_generators_are_found_where_programs_keep_them() -> None:
    mine = random.Random(1)

    class Part:
        def __init__(self) -> None:
            self.rng = np.random.default_rng(1)
            self.same = mine
            self.samples = [object()] * 1000 + [random.Random(2)]
            self.module = np
            self.self = self

        def method(self) -> None: ...

    part = Part()

    def function() -> object:
        return mine, part, MODULE_GENERATOR

    assert generator.find(part) == {"rng": part.rng, "same": mine}
    assert generator.find(part.method) == {"self.rng": part.rng, "self.same": mine}
    assert generator.find(partial(draw, mine, by={"rng": part.rng})) == {"args.0": mine, "keywords.by.rng": part.rng}
    assert generator.find(function) == {"mine": mine, "part.rng": part.rng, "MODULE_GENERATOR": MODULE_GENERATOR}


MODULE_GENERATOR = torch.Generator()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_every_bit_generator_of_numpy(tmp_path: Path, bits: Any) -> None:
    found = {"g": np.random.Generator(bits(3))}
    found["g"].random(5)
    write(tmp_path / "file", generator.states(found))
    expected = found["g"].random(5).tolist()
    generator.put(found, read(tmp_path / "file"))
    assert found["g"].random(5).tolist() == expected
