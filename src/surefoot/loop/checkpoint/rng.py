"""The random states of Python, numpy, torch and its accelerators, as values that load with `weights_only=True`.

Nothing here draws a random number or starts an accelerator.
"""

import random
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from surefoot.loop.checkpoint.generator import plain, unplain

State = dict[str, Any]


def capture() -> State:
    """The states now. numpy's only if the program uses numpy, an accelerator's only if it is in use."""
    state: State = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if "numpy" in sys.modules:
        state["numpy"] = plain(sys.modules["numpy"].random.get_state(legacy=False))
    state["accelerator"] = _accelerator_states()
    return state


def restore(state: Mapping[str, Any]) -> None:
    """Put the states back that `capture` gave."""
    random.setstate(state["python"])
    torch.set_rng_state(state["torch"])
    if "numpy" in state:
        import numpy

        numpy.random.set_state(unplain(state["numpy"]))
    _restore_accelerator(state["accelerator"])


@contextmanager
def unmoved() -> Iterator[None]:
    """Whatever is drawn inside, the states afterwards are those of before."""
    before = capture()
    try:
        yield
    finally:
        restore(before)


def _accelerator() -> tuple[str, Any] | None:
    """Kind and module of the accelerator in use. One that was never started has drawn nothing."""
    device = torch.accelerator.current_accelerator(check_available=True)
    if device is None:
        return None
    module = torch.get_device_module(device)
    is_started = getattr(module, "is_initialized", lambda: True)
    return (device.type, module) if is_started() else None


def _accelerator_states() -> dict[str, list[torch.Tensor]]:
    found = _accelerator()
    if found is None:
        return {}
    kind, module = found
    if kind == "mps":  # one device, and its functions take no number
        return {kind: [module.get_rng_state()]}
    return {kind: [module.get_rng_state(index) for index in range(torch.accelerator.device_count())]}


def _restore_accelerator(states: Mapping[str, list[torch.Tensor]]) -> None:
    found = _accelerator()
    if found is None:
        return
    kind, module = found
    if kind == "mps":
        for state in states.get(kind, ()):
            module.set_rng_state(state)
        return
    for index, state in zip(range(torch.accelerator.device_count()), states.get(kind, ()), strict=False):
        module.set_rng_state(state, index)
