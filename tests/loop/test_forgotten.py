"""A loop that is forgotten, not closed: the garbage collector ends its watch, whatever the program does then."""

import gc
from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook

import surefoot as sf
from tests.loop.training import make_model


@pytest.fixture
def collected_while_registering() -> Iterator[list[int]]:
    """The collector runs as each parameter is registered, as it does now and then."""
    num: list[int] = []
    handle = register_module_parameter_registration_hook(lambda *_: num.append(gc.collect()))
    yield num
    handle.remove()


def forget() -> None:
    model = make_model()
    loop = sf.Loop(model, torch.optim.SGD(model.parameters(), lr=0.1), log=None)
    loop.itself = loop  # type: ignore[attr-defined]


def test_a_watch_that_ends_while_a_module_is_made(collected_while_registering: list[int]) -> None:
    forget()
    collected_while_registering.clear()
    layer = nn.Linear(3, 2)
    assert collected_while_registering
    assert list(layer.state_dict()) == ["weight", "bias"]
    forget()
    assert list(nn.Linear(3, 2).state_dict()) == ["weight", "bias"]
