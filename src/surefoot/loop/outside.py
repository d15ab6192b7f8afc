"""What the program does to a window by itself, such as `loss.backward()` or `optimizer.step()`: refused.

A window is a sum of weighted parts until its end. Whatever is added to its gradients or taken from them meanwhile would
have another weight than the program means, and gradients that no `step.backward()` made are never applied.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from torch import Tensor
from torch.optim import Optimizer

if TYPE_CHECKING:
    from surefoot.loop.joint import JointOptimizer
    from surefoot.loop.micro_batch import MicroBatch
    from surefoot.loop.window import Window

NOT_BY_STEP = (
    "parameters have gradients that no step.backward() of this loop made: loss.backward() was called instead of it or "
    "beside it, or another loop trains the same model. Inside `with loop.step() as step` write step.backward(loss), as "
    "often as you like; two optimizers of one model belong in one loop."
)
CHANGED = (
    "gradients were changed inside an open window, by another backward(), by zero_grad() or by clipping. Write "
    "step.backward(loss) for each loss; the loop clears, and clips with clip_norm=. Edit gradients in before_update=."
)
ADDED = (
    "a parameter group was added inside an open window, and its parameters already have gradients of earlier windows. "
    "Add groups when loop.updated is true."
)
STEPPED = (
    "optimizer.step() was called inside an open window, after {} of its micro-batches. Leave it out: the loop steps by "
    "itself at the window's end."
)

# By optimizer, what listens to its steps: only the newest loop that was made for it does.
_LISTENING: MutableMapping[Optimizer, Any] = WeakKeyDictionary()


class OutsideChanges:
    """Looks at a few parameters of an optimizer: whatever the program does by habit, it does to all of them."""

    __slots__ = ("__weakref__", "_known", "_num_params", "_optimizer", "_seen", "_window", "is_updating", "open_step")

    def __init__(self, optimizer: Optimizer | JointOptimizer, parts: Sequence[Optimizer], window: Window) -> None:
        self._optimizer = optimizer
        self._window = window
        self.is_updating = False
        self.open_step: MicroBatch | None = None  # that the program is in
        self._num_params = -1
        self._known: set[int] = set()
        self._seen: list[tuple[Tensor | None, int]] = []
        for part in parts:
            _listen(part, self)

    def step_begins(self) -> None:
        """At the start of a micro-batch. Gradients from before the first window belong to nothing, as in any loop."""
        window = self._window
        num_params = sum(len(group["params"]) for group in self._optimizer.param_groups)
        if num_params != self._num_params:
            params = window.params
            if not window.is_open:
                for p in params:
                    p.grad = None
            elif self._known and any(p.grad is not None and id(p) not in self._known for p in params):
                raise RuntimeError(ADDED)
            self._num_params, self._known = num_params, {id(p) for p in params}
        elif not window.is_open and any(grad is not None for grad in self._gradients()):
            raise RuntimeError(NOT_BY_STEP)
        if not window.is_open:
            self.note()

    def refuse_changed(self) -> None:
        """Since the last `note`. Where nothing is weighted, the program may do as it likes inside a step."""
        now = self._gradients()
        if len(now) != len(self._seen):
            return
        for grad, (before, version) in zip(now, self._seen, strict=True):
            if grad is not before or (grad is not None and grad._version != version):
                raise RuntimeError(NOT_BY_STEP if before is None else CHANGED)

    def refuse_plain_backward(self) -> None:
        """At the end of a step without any backward, in a window that had none before."""
        if not self._window.is_open and any(grad is not None for grad in self._gradients()):
            raise RuntimeError(NOT_BY_STEP)

    def refuse_step(self) -> None:
        """By the program, while a window is open."""
        is_inside = self._window.is_open or self.open_step is not None
        if is_inside and not self.is_updating:
            raise RuntimeError(STEPPED.format(self._window.num_micro_batches))

    def note(self) -> None:
        """What is there now was made by the loop."""
        self._seen = [(grad, 0 if grad is None else grad._version) for grad in self._gradients()]

    def _gradients(self) -> list[Tensor | None]:
        """The first and the last of the first and the last group."""
        groups = self._optimizer.param_groups
        ends = groups if len(groups) < 2 else (groups[0], groups[-1])
        return [group["params"][place].grad for group in ends if group["params"] for place in (0, -1)]


def _listen(optimizer: Optimizer, changes: OutsideChanges) -> None:
    own = ref(changes)

    def before_step(*_: Any) -> None:
        changes = own()
        if changes is not None:
            changes.refuse_step()

    earlier = _LISTENING.pop(optimizer, None)
    if earlier is not None:
        earlier.remove()
    _LISTENING[optimizer] = optimizer.register_step_pre_hook(before_step)
