"""On request: check custom autograd functions of the program against finite differences.

The arguments of each function's first calls are copied; just before the next step the function is called on them
again. Random number generators are put back as they were.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd import Function as AutogradFunction
from torch.optim import Optimizer

from surefoot.facts import GradcheckFacts, Site
from surefoot.watch.compiler import leave_alone
from surefoot.watch.graph.difference import Comparison, Subject, kept_generators
from surefoot.watch.graph.scope import backward_line
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

ENOUGH = 4096  # elements of all arguments of a call; beyond it, the leading rows of a batch are tried first
TOO_MANY = 2_000_000  # elements that are not copied
ROWS = 4
# Functions whose gradient is not meant to be that of their forward, by the names people give them.
_ON_PURPOSE = re.compile(
    r"straight.?through|surrogate|grad\w*.?revers|revers\w*.?grad|\bgrl|\bste(?![a-z])|(?-i:STE|Ste(?=[A-Z]))",
    re.IGNORECASE,
)


class GradcheckProbe(Probe):
    name = "gradcheck"

    def __init__(self) -> None:
        self._waiting: dict[type, tuple[Any, ...]] = {}
        self._done: set[type] = set()
        self._facts: tuple[GradcheckFacts, ...] = ()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if not recorder.settings.gradcheck:
            recorder.tap.off[self.name] = "--gradcheck was not given"
            return
        stored = vars(AutogradFunction)["apply"]
        original: Callable[..., Any] = stored.__func__

        def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
            if not torch.compiler.is_compiling() and cls not in self._done and not kwargs:
                recorder.tap.run(self.name, self._note, cls, args)
            return original(cls, *args, **kwargs)

        leave_alone(apply.__code__, and_all_they_call=False)
        replacement: Any = classmethod(apply)
        setattr(AutogradFunction, "apply", replacement)  # noqa: B010 - mypy knows it as a method

        def undo() -> None:
            if vars(AutogradFunction)["apply"] is replacement:
                setattr(AutogradFunction, "apply", stored)  # noqa: B010

        recorder.tap.on_removal(undo)

    def _note(self, cls: type, args: tuple[Any, ...]) -> None:
        self._done.add(cls)
        if not self._recorder.sites.is_user(_file(cls)):
            return
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if not torch.is_grad_enabled() or not any(t.requires_grad for t in tensors):
            self._done.discard(cls)  # a call in training is still to come
            return
        if sum(t.numel() for t in tensors) <= TOO_MANY:
            self._waiting[cls] = tuple(_copy(arg) for arg in args)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        if not self._waiting:
            return None
        waiting, self._waiting = self._waiting, {}
        with kept_generators(arg for args in waiting.values() for arg in args):
            self._facts = tuple(self._check(cls, args) for cls, args in waiting.items())
        return self._facts

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        facts, self._facts = self._facts, ()
        return {"gradchecks": facts} if facts else {}

    def _check(self, cls: type, args: tuple[Any, ...]) -> GradcheckFacts:
        apply: Callable[..., Any] = getattr(cls, "apply")  # noqa: B009 - not known of a plain type
        site = Site(_file(cls), backward_line(_file(cls), _line(cls)), f"{cls.__qualname__}.backward")
        few = _leading_rows(args)
        # The rows may not be a batch, and a kernel of the user's own may take single precision only.
        for some, dtype in ((few, torch.float64), (args, torch.float64), (few, torch.float32), (args, torch.float32)):
            try:
                subject = Subject(apply, some, dtype)
                if not subject.is_repeatable():
                    why = "two calls with the same numbers differ"
                    break
                return _judge(cls, site, subject, list(subject.compare()))
            except Exception as error:
                why = f"calling it again raised {type(error).__name__}: {error}"
        return GradcheckFacts(cls.__name__, "unchecked", site, why)


def _judge(cls: type, site: Site, subject: Subject, comparisons: list[Comparison]) -> GradcheckFacts:
    wrong = [comparison for comparison in comparisons if comparison.wrong]
    if wrong and not any(comparison.wrong for comparison in subject.compare(coarse=True)):
        wrong = []  # inside it computes in single precision, too coarse for tiny steps
    if not wrong:
        compared = sum(len(comparison.numeric) for comparison in comparisons)
        why = "" if compared else "it has no smooth point to compare at"
        return GradcheckFacts(cls.__name__, "right" if compared else "unchecked", site, why, num_compared=compared)
    on_purpose = meant_otherwise(cls, subject, wrong)
    if on_purpose:
        return GradcheckFacts(cls.__name__, "unchecked", site, on_purpose)
    first = max(wrong, key=lambda comparison: len(comparison.wrong))
    at = first.worst
    return GradcheckFacts(
        cls.__name__, "wrong", site, "", first.input, first.analytic[at], first.numeric[at], len(first.wrong),
        len(first.numeric),
    )  # fmt: skip


def meant_otherwise(function: Any, subject: Subject, wrong: list[Comparison]) -> str:
    """Why a gradient that is not that of the forward may be on purpose; "" if nothing speaks for it."""
    if all(comparison.is_flat for comparison in wrong):
        return "its forward is flat: a straight-through estimator"
    if subject.is_identity():
        return "its forward changes nothing: only gradients are meant"
    if _ON_PURPOSE.search(f"{function.__name__} {function.__doc__ or ''}"):
        return "by its name its gradient is not meant to be exact"
    return ""


def _copy(arg: Any) -> Any:
    return arg.detach().clone().requires_grad_(arg.requires_grad) if isinstance(arg, Tensor) else arg


def _leading_rows(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of a big batch, the first rows; else the arguments as they are."""
    tensors = [arg for arg in args if isinstance(arg, Tensor)]
    rows = tensors[0].shape[:1]
    if sum(t.numel() for t in tensors) <= ENOUGH or not rows:
        return args
    return tuple(_copy(a[:ROWS]) if isinstance(a, Tensor) and a.shape[:1] == rows else a for a in args)


def _file(cls: type) -> str:
    backward = inspect.unwrap(vars(cls).get("backward", cls.backward))  # type: ignore[attr-defined]
    code = getattr(getattr(backward, "__func__", backward), "__code__", None)
    return "" if code is None else str(code.co_filename)


def _line(cls: type) -> int:
    backward = inspect.unwrap(cls.backward)  # type: ignore[attr-defined]
    return int(backward.__code__.co_firstlineno)
