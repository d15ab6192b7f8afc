"""What a program's training does: the loss of each backward, and a few weights after each step."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.facts import Site
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

MOST_WEIGHTS = 8
LEAST_WEIGHTS = 3
MOST_LOSSES = 3  # lines from which backward is called, each a curve of its own

Tell = Callable[[dict[str, Any]], None]


class CourseProbe(Probe):
    """`tell` gets a row for every backward and every step."""

    name = "course"

    def __init__(self, tell: Tell) -> None:
        self._report = tell
        self._lines: list[Site | None] = []
        self._picked: list[tuple[str, weakref.ref[Tensor], int]] = []  # nothing is kept alive
        self._optimizers: set[int] = set()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_ends(self, backward: Backward) -> None:
        if backward.site not in self._lines:
            self._lines.append(backward.site)
        number = self._lines.index(backward.site)
        if number < MOST_LOSSES:
            at, step = backward.ordinal, self._recorder.num_steps
            self._report({"kind": "loss", "at": at, "step": step, "curve": number, "value": _value(backward)})

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if id(optimizer) not in self._optimizers:
            self._optimizers.add(id(optimizer))
            params = [param for group in optimizer.param_groups for param in group["params"]]
            self._pick([*params, *self._recorder.unowned.alive()])  # what nobody trains is worth a look, too
            self._look(self._recorder.num_steps - 1)  # where they start
        return None

    def step_ends(self, optimizer: Optimizer) -> None:
        self._look(self._recorder.num_steps)

    def _pick(self, params: Sequence[Tensor]) -> None:
        """One element of each parameter, of many the first and last ones; of a few some more elements."""
        known = {id(ref()) for _, ref, _ in self._picked}
        new = [param for param in params if param.numel() and not param.is_complex() and id(param) not in known]
        named = {name: param for param in new if not (name := self._recorder.names.of(param)).startswith("<")}
        num = MOST_WEIGHTS - len(self._picked)
        some = list(named.items())
        if len(some) > num:
            some = some[: num // 2] + some[-num // 2 :]
        places = [(name, param, i) for i in range(LEAST_WEIGHTS) for name, param in some if i < param.numel()]
        for name, param, element in places[: min(num, max(len(some), LEAST_WEIGHTS))]:
            self._picked.append((f"{name}{_place(param, element)}", weakref.ref(param), element))

    def _look(self, step: int) -> None:
        alive = [(name, param, element) for name, ref, element in self._picked if (param := ref()) is not None]
        values = {name: float(param.detach().flatten()[element]) for name, param, element in alive}
        self._report({"kind": "weights", "step": step, "values": values})


def _value(backward: Backward) -> float:
    """As the watch has read it, without a scaler's factor; else of all roots together."""
    if backward.value is not None:
        return backward.value
    return float(sum(root.detach().double().sum() for root in backward.roots))


def _place(param: Tensor, element: int) -> str:
    """`[0, 1]`, as one writes it."""
    place: list[int] = []
    for size in reversed(param.shape):
        place.insert(0, element % size)
        element //= size
    return str(place) if place else ""
