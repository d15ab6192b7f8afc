"""Follow values from some parameters towards the loss, through one step, and see where gradients stop.

A mode of `torch.overrides` sees every torch function that the program calls. Values computed from the parameters are
marked: *live* while a gradient can still come back through them, *cut* by the operation after which none can.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
import torch.overrides
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import CheckpointFunction

from surefoot.facts import Site
from surefoot.watch.graph.outside import Cut, Outside, Suspects

_NONE: Suspects = frozenset()
_DATA = vars(torch._C.TensorBase)["data"].__get__
_GRAD = vars(torch._C.TensorBase)["grad"].__get__
_KINDS: dict[Any, str] = {
    torch.Tensor.detach: "detach", torch.Tensor.detach_: "detach", torch.detach: "detach", _DATA: "data",
    torch.tensor: "copy", torch.Tensor.new_tensor: "copy",
    torch.Tensor.numpy: "numpy", torch.Tensor.__array__: "numpy", torch.Tensor.tolist: "numpy",
    torch.Tensor.item: "numpy", torch.Tensor.__float__: "numpy",
}  # fmt: skip
AVOIDABLE = frozenset((*_KINDS.values(), "no_grad", "checkpoint"))  # other kinds are operations without a derivative
_DRAWS = frozenset(
    (torch.normal, torch.multinomial, torch.bernoulli, torch.poisson, torch.binomial, torch.Tensor.multinomial,
     torch.Tensor.bernoulli)
)  # fmt: skip
_FROM_OUTSIDE = frozenset((torch.tensor, torch.as_tensor, torch.asarray))
_DEPTH = 3  # of containers in arguments


@dataclass(slots=True)
class FlowMark:
    """What is known of one tensor."""

    of: Callable[[], Any]  # a weak reference
    in_graph: bool
    live: Suspects = _NONE
    cuts: dict[Cut, Suspects] = field(default_factory=dict)


class Flow(TorchFunctionMode):
    """Follows `params` while it is entered."""

    def __init__(
        self, params: Sequence[Tensor], here: Callable[[], Site | None], is_busy: Callable[[], bool] = lambda: False
    ) -> None:
        super().__init__()
        self._is_busy = is_busy  # our own code is running, which is not followed
        self.paused = False
        self.failure: Exception | None = None
        self.used: Suspects = _NONE
        self.live: Suspects = _NONE  # reached a loss, and a gradient can come back
        self.cuts: dict[Cut, Suspects] = {}  # reached a loss, and none can
        self._here = here
        self._index = {id(p): i for i, p in enumerate(params)}
        self._marks: dict[int, FlowMark] = {}
        self._from_numpy: Any = torch.from_numpy
        self._our_from_numpy: Any = None
        self._thread = 0  # each has its own stack of modes
        self._outside = Outside()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not self.paused and self.failure is None and not self._is_busy():
            try:
                self._note(func, args, kwargs or {}, result)
            except Exception as error:
                self.failure = error
        return result

    def reach(self, losses: Iterable[Tensor]) -> None:
        """Note what has arrived at losses that are about to be backwarded."""
        for loss in losses:
            live, cuts = self._read([loss])
            self.live |= live
            _merge(self.cuts, cuts)

    def _note(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        inputs = list(tensors_in((*args, *kwargs.values())))
        if func in _FROM_OUTSIDE and not inputs:
            self._come_back(result)
            return
        for given in inputs:
            self._recognise(given)
        live, cuts = self._read(inputs)
        if not live and not cuts:
            return
        if func == torch.Tensor.__setitem__:
            result = args[0]
        elif func == _GRAD:
            return
        kind = _KINDS.get(func, "")
        outputs = list(tensors_in((result,)))
        if not outputs and kind == "numpy":
            self._go_outside(result, inputs[0].numel(), live, cuts)
        if outputs and not kind and torch.is_grad_enabled():
            self.used |= {self._index[id(t)] for t in inputs if id(t) in self._index}
        for output in outputs:
            self._mark(output, func, kind, live, cuts)

    def _go_outside(self, values: Any, numel: int, live: Suspects, cuts: dict[Cut, Suspects]) -> None:
        cut = {Cut("numpy", self._here()): live} if live else {}
        for one, suspects in _merged(cuts, cut).items():
            self._outside.leave(one, suspects, values, numel)

    def _recognise(self, tensor: Tensor) -> None:
        """Constructors such as `torch.FloatTensor(array)` are not seen by modes; their results are, when used."""
        if not self._outside.left or id(tensor) in self._marks or id(tensor) in self._index:
            return
        if not tensor.requires_grad and _has_derivatives(tensor):
            self._marks[id(tensor)] = FlowMark(weakref.ref(tensor), False, cuts=self._outside.equal_to(tensor))

    def _read(self, tensors: Iterable[Tensor]) -> tuple[Suspects, dict[Cut, Suspects]]:
        live = _NONE
        cuts: dict[Cut, Suspects] = {}
        for tensor in tensors:
            index = self._index.get(id(tensor))
            if index is not None:
                live |= {index}
            mark = self._marks.get(id(tensor))
            if mark is None or mark.of() is not tensor:
                continue
            live |= mark.live
            if not mark.in_graph and tensor.grad_fn is not None:  # the result of a custom autograd function
                live = live.union(*mark.cuts.values())
            else:
                _merge(cuts, mark.cuts)
        return live, cuts

    def _mark(self, output: Tensor, func: Any, kind: str, live: Suspects, cuts: dict[Cut, Suspects]) -> None:
        if id(output) in self._index:
            return
        in_graph = output.grad_fn is not None
        if in_graph:
            self._marks[id(output)] = FlowMark(weakref.ref(output), True, live, cuts)
            return
        if func in _DRAWS or not _has_derivatives(output):  # it ends here, whatever was done before
            by_nature = Cut(_name(func), self._here() if live else next(iter(cuts)).site)
            cuts = {by_nature: live.union(*cuts.values())}
        elif live:
            kind = kind or _without_gradients() or _name(func)
            cuts = _merged(cuts, {Cut(kind, self._here()): live})
        self._marks[id(output)] = FlowMark(weakref.ref(output), False, cuts=cuts)

    def _come_back(self, result: Any) -> None:
        """A tensor made of plain numbers: of those that left, if it has as many elements."""
        for tensor in tensors_in((result,)):
            if not _has_derivatives(tensor):
                continue
            back = self._outside.as_large_as(tensor)
            self._marks[id(tensor)] = FlowMark(weakref.ref(tensor), False, cuts=back)

    # --- on the stack of modes

    def enter(self) -> bool:
        """Enter, unless a mode of the program is on, whose end would take ours for its own."""
        default = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
        if any(mode is not default for mode in _modes()):
            return False
        original = self._from_numpy = torch.from_numpy

        def from_numpy(array: Any) -> Tensor:  # the one way back that modes do not see
            tensor = original(array)
            if not self.paused:
                self._come_back(tensor)
            return tensor

        self._our_from_numpy = from_numpy
        setattr(torch, "from_numpy", from_numpy)  # noqa: B010 - mypy knows it by the names of its arguments
        self._thread = threading.get_ident()
        super().__enter__()  # type: ignore[no-untyped-call]
        return True

    def leave(self) -> bool:
        """Leave the stack, if this is on top of it; whether that is done."""
        self.paused = True
        if self._thread != threading.get_ident():
            return False
        if torch.from_numpy is self._our_from_numpy:
            torch.from_numpy = self._from_numpy
        stack = _modes()
        if stack and stack[-1] is self:
            super().__exit__(None, None, None)  # type: ignore[no-untyped-call]
            return True
        return self not in stack


def _has_derivatives(tensor: Tensor) -> bool:
    """Whole numbers and truth values have none."""
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _name(func: Any) -> str:
    return getattr(func, "__name__", "operation")


def _without_gradients() -> str:
    if torch.is_grad_enabled():
        return ""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not CheckpointFunction.forward.__code__:
        frame = frame.f_back
    return "no_grad" if frame is None else "checkpoint"


def _modes() -> list[Any]:
    stack: list[Any] = torch.overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    return stack


def tensors_in(values: Iterable[Any], depth: int = _DEPTH) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif depth and isinstance(value, (list, tuple)):
            yield from tensors_in(value, depth - 1)
        elif depth and isinstance(value, dict):
            yield from tensors_in(value.values(), depth - 1)


def _merge(into: dict[Cut, Suspects], more: dict[Cut, Suspects]) -> None:
    for cut, suspects in more.items():
        into[cut] = into.get(cut, _NONE) | suspects


def _merged(one: dict[Cut, Suspects], other: dict[Cut, Suspects]) -> dict[Cut, Suspects]:
    both = dict(one)
    _merge(both, other)
    return both
