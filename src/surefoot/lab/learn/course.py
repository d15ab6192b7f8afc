"""What a program's training does: the loss of each backward, and a few weights after each step."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from surefoot.facts import Site
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from torch.optim import Optimizer

    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

WEIGHTS_OF_ONE = 3  # optimizer
MOST_WEIGHTS = 6
MOST_LOSSES = 3  # lines from which backward is called, each a curve of its own

Tell = Callable[[dict[str, Any]], None]


class CourseProbe(Probe):
    """`tell` gets a row for every backward and every step."""

    name = "course"

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._lines: list[Site | None] = []
        self._picked: list[tuple[str, Tensor, int]] = []
        self._optimizers: set[int] = set()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def backward_ends(self, backward: Backward) -> None:
        if backward.site not in self._lines:
            self._lines.append(backward.site)
        number = self._lines.index(backward.site)
        if number < MOST_LOSSES:
            at, step = backward.ordinal, self._recorder.num_steps
            self._tell({"kind": "loss", "at": at, "step": step, "curve": number, "value": _value(backward)})

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if id(optimizer) not in self._optimizers:
            self._optimizers.add(id(optimizer))
            self._pick([param for group in optimizer.param_groups for param in group["params"]])
            self._look(self._recorder.num_steps - 1)  # where they start
        return None

    def step_ends(self, optimizer: Optimizer) -> None:
        self._look(self._recorder.num_steps)

    def _pick(self, params: Sequence[Tensor]) -> None:
        """The first element of the first, last and middle parameter; where there are fewer, others of these."""
        known = {id(param) for _, param, _ in self._picked}
        new = [param for param in params if param.numel() and id(param) not in known and not param.is_complex()]
        some = [new[i] for i in dict.fromkeys((0, len(new) - 1, len(new) // 2))] if new else []
        places = [(param, element) for element in range(WEIGHTS_OF_ONE) for param in some if element < param.numel()]
        for param, element in places[: min(WEIGHTS_OF_ONE, MOST_WEIGHTS - len(self._picked))]:
            self._picked.append((f"{self._recorder.names.of(param)}{_place(param, element)}", param, element))

    def _look(self, step: int) -> None:
        values = {name: float(param.detach().flatten()[element]) for name, param, element in self._picked}
        self._tell({"kind": "weights", "step": step, "values": values})


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
