"""What was seen of each parameter so far. Nothing is kept alive, nothing is attached to the tensors."""

import weakref
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from surefoot.facts import Site

SAMPLED_ELEMENTS = 8  # of a parameter, to see whether somebody changes it
SAMPLED_PARAMS = 256
MANY_STEPS = 6  # by which a program that moves a plain tensor itself has done so
LOOKS = 3  # at a parameter's values, by which a program that moves it itself has shown it


@dataclass(slots=True)
class Mark:
    param: "weakref.ref[Tensor]"
    seen_at: int  # the moment of the model scan that saw it first
    home: "tuple[weakref.ref[Module], str] | None" = None  # the root and the name under which it was last seen
    reached: bool = False
    before_trained: bool = False
    after_trained: bool = False
    trained: bool = False  # an optimizer has stepped it
    loaded: bool = False
    nonzero: bool = False
    by_hand: bool = False
    was_frozen: bool = False  # when last all modules were looked at, or before
    num_looks: int = 0  # at its values
    sample: str = ""  # a few of its values
    replaced_at: Site | None = None
    first_step: int = -1  # of the whole process, before which a plain tensor was seen first
    made_at: Site | None = None  # only of those made while training runs
    made_in: str = ""  # class name of the module for which it was made, likewise

    def sees(self, *, before: bool, after: bool) -> bool:
        """A loss reaches it; whether that is news."""
        old = (self.reached, self.before_trained, self.after_trained)
        self.reached = True
        self.before_trained |= before
        self.after_trained |= after
        return old != (self.reached, self.before_trained, self.after_trained)

    def is_seen_again(self, num_steps: int) -> bool:
        """Whether it was there before an earlier step already: an input would have been made anew."""
        if self.first_step < 0:
            self.first_step = num_steps
        return num_steps > self.first_step

    def stays(self, param: Tensor, num_steps: int) -> bool:
        """Whether it has been there for many steps. Its first values are kept, to see whether somebody moves it."""
        if self.first_step < 0:
            self.first_step, self.sample = num_steps, sample(param)
        return num_steps >= self.first_step + MANY_STEPS

    def inspect(self, param: Tensor) -> bool:
        """Look at values: whether the program moves it, whether its gradient is zero. Whether that is news."""
        old = (self.nonzero, self.by_hand, self.is_thawed(param))
        self.num_looks += 1
        seen = sample(param)
        self.by_hand |= bool(self.sample) and seen != self.sample
        self.sample = seen
        if not self.nonzero and param.grad is not None:
            grad = param.grad.coalesce().values() if param.grad.is_sparse else param.grad
            grad = getattr(grad, "_local_tensor", grad)
            self.nonzero = bool(grad.count_nonzero())
        return old != (self.nonzero, self.by_hand, self.is_thawed(param))

    def is_thawed(self, param: Tensor) -> bool:
        """It was frozen, is so no more, and the program had time to show that it moves it itself."""
        return self.was_frozen and param.requires_grad and self.num_looks >= LOOKS


class Marks:
    """Marks by identity. Moments count the times at which something was looked at or made."""

    def __init__(self) -> None:
        self._marks: dict[int, Mark] = {}
        self._copies: dict[int, weakref.ref[Module]] = {}
        self.moment = 0

    def of(self, param: Tensor) -> Mark:
        mark = self._marks.get(id(param))
        if mark is None or mark.param() is not param:
            mark = self._marks[id(param)] = Mark(weakref.ref(param), self.moment)
        return mark

    def forget_gone(self) -> None:
        self._marks = {key: mark for key, mark in self._marks.items() if mark.param() is not None}

    def note_trained(self, params: Iterable[Tensor]) -> bool:
        """An optimizer steps them; whether for the first time."""
        marks = [self.of(param) for param in params]
        news = any(not mark.trained for mark in marks)
        for mark in marks:
            mark.trained = True
        return news

    def note_copied(self, module: Module) -> None:
        self._copies[id(module)] = weakref.ref(module)

    def is_copy(self, module: Module | None) -> bool:
        """Whether a module is a deep copy, or was unpickled."""
        ref = self._copies.get(id(module))
        return module is not None and ref is not None and ref() is module

    def forget_order(self) -> None:
        """Other parameters are trained now: what lies before and behind them must be learned again."""
        for mark in self._marks.values():
            mark.before_trained = mark.after_trained = False

    def inspect(self, params: Iterable[Tensor]) -> bool:
        """Look at the values of some; whether there are news."""
        some = [p for p, _ in zip(params, range(SAMPLED_PARAMS), strict=False) if _has_values(p)]
        with torch.no_grad():
            news = [self.of(param).inspect(param) for param in some]
        return any(news)


def _has_values(param: Tensor) -> bool:
    """Not on the meta device, not gathered for a moment and freed again."""
    inner = getattr(param, "_local_tensor", param)
    return param.device.type != "meta" and (inner.numel() == 0 or inner.untyped_storage().nbytes() > 0)


def sample(param: Tensor) -> str:
    """A few values, in a form that compares equal also where they are not numbers."""
    part = getattr(param, "_local_tensor", param)
    if type(part) not in (Tensor, Parameter):  # a subclass would see what we ask it
        return ""
    try:
        flat = part.detach().reshape(-1)
        return str(flat[:: max(1, flat.numel() // SAMPLED_ELEMENTS)][:SAMPLED_ELEMENTS].tolist())
    except (RuntimeError, NotImplementedError, ValueError, TypeError):
        return ""  # a layout or a subclass that does not show single values
