"""Addends of a loss, or of each of its elements, that were computed from what is trained and have no gradient.

Most programs add none. Where the graph of a loss shows a sum with an addend that has no gradient, which may well be a
constant, values are followed through a few windows to see where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

from surefoot.facts import DeadTermFacts, Site
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.graph.cutsite import locate
from surefoot.watch.graph.outside import Cut, Suspects
from surefoot.watch.graph.value_flow import Flow, tensors_in
from surefoot.watch.lossgraph.node import children, is_scalar, name_of
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.backward import Backward
    from surefoot.watch.recorder import Recorder

FOLLOWED = frozenset((3, 5, 6, 7, 9))  # updates after which values are followed; others are FlowProbe's
WINDOWS = 3  # in each of which the addend must be seen
MAX_NODES = 64  # of the sum at the root
# What is subtracted is often a baseline, which must have no gradient.
SUMS = frozenset(
    (torch.add, torch.Tensor.add, torch.Tensor.add_, torch.Tensor.__add__, torch.Tensor.__iadd__,
     torch.Tensor.__radd__)
)  # fmt: skip
DIFFERENCES = frozenset(
    (torch.sub, torch.Tensor.sub, torch.Tensor.sub_, torch.Tensor.__sub__, torch.Tensor.__isub__,
     torch.Tensor.__rsub__)
)  # fmt: skip
MEANT = frozenset(("detach", "checkpoint"))  # who writes detach() wants no gradient
# But nobody trains on a loss of what was detached before: of one that is only to be logged the result is detached.
LOSSES = frozenset((  # by name, in torch.nn.functional and below it
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd", "kl_div", "soft_margin_loss",
))  # fmt: skip
LINEAR = frozenset(("Add", "Sub", "Rsub", "Neg", "Mean", "Sum", "View", "Squeeze", "Unsqueeze", "Mul", "Div"))


class SumFlow(Flow):
    """Follows parameters, and notes which values without a gradient are added to a scalar that has one."""

    def __init__(self, params: list[Tensor], here: Callable[[], Site | None], is_busy: Callable[[], bool]) -> None:
        super().__init__(params, here, is_busy)
        self.added: dict[int, tuple[Cut, float]] = {}  # by the sequence number of the sum
        self.uses: dict[Cut, set[int]] = {}  # sequence numbers of all that has a gradient and was computed from it
        self.in_graph: set[Cut] = set()  # by which values that had a gradient lost it under `no_grad`
        self.through_modules: set[Cut] = set()  # of these: they met parameters after that
        self.judged: set[Cut] = set()  # by detach(), before a loss function whose result has no gradient

    def _note(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        if func in SUMS or func in DIFFERENCES:
            self._note_sum(func, args, result)
        super()._note(func, args, kwargs, result)
        if isinstance(result, Tensor) and not torch.is_grad_enabled():
            self._note_prediction((*args, *kwargs.values()), result)
        elif getattr(func, "__name__", "") in LOSSES and isinstance(result, Tensor) and not result.requires_grad:
            self.judged |= {cut for cut in self._read([result])[1] if cut.kind == "detach"}

    def _note_sum(self, func: Any, args: Any, result: Any) -> None:
        if not isinstance(result, Tensor) or result.grad_fn is None:
            return
        for given in args:
            if isinstance(given, Tensor) and given.numel() == result.numel() and not given.requires_grad:
                is_term = func in SUMS and result.numel() == 1
                self._note_addend(given, result.grad_fn._sequence_nr(), is_term)

    def _note_addend(self, addend: Tensor, number: int, is_term: bool) -> None:
        live, cuts = self._read([addend])
        if not live and len(cuts) == 1 and addend.device.type == "cpu":
            (cut,) = cuts
            if is_term or cut in self.through_modules:
                self.added[number] = (cut, float(addend.detach().mean()))

    def _note_prediction(self, inputs: tuple[Any, ...], result: Tensor) -> None:
        """A value in the graph, or what became of one, goes through an operation under `no_grad`."""
        mark = self._marks.get(id(result))
        cuts = {cut for cut in mark.cuts if cut.kind == "no_grad"} if mark is not None else set()
        given = list(tensors_in(inputs)) if cuts else []
        if any(one.grad_fn is not None and self._read([one])[0] for one in given):
            self.in_graph |= cuts
        if any(isinstance(one, Parameter) for one in given):
            self.through_modules |= cuts & self.in_graph

    def _mark(self, output: Tensor, func: Any, kind: str, live: Suspects, cuts: dict[Cut, Suspects]) -> None:
        super()._mark(output, func, kind, live, cuts)
        if output.grad_fn is not None:
            for cut in cuts:
                self.uses.setdefault(cut, set()).add(output.grad_fn._sequence_nr())


class TermProbe(Probe):
    name = "terms"

    def __init__(self) -> None:
        self._flow: SumFlow | None = None
        self._tracked = 0  # whose parameters are followed: of the first optimizer that steps on such a loss
        self._is_suspicious = False
        self._num_windows = 0
        self._values: dict[Cut, list[float]] = {}  # of addends that no other part of the loss uses
        self._predictions: set[Cut] = set()  # of these: through modules
        self._found: tuple[DeadTermFacts, ...] = ()

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        switch_off_when_compiling(recorder, self.name, self._leave)
        recorder.tap.on_removal(self._leave)

    def backward_begins(self, backward: Backward) -> None:
        roots = [root.grad_fn for root in backward.roots if root.numel() == 1 and root.grad_fn is not None]
        trunk = [node for root in roots for node in _trunk(root)]
        is_suspicious = any(name_of(node) in ("Add", "Sub", "Rsub") and None in children(node) for node in trunk)
        self._is_suspicious |= is_suspicious
        flow = self._flow
        if flow is None or flow.paused or not is_suspicious:  # other losses of the window come before
            return
        flow.paused = True
        numbers = {node._sequence_nr() for node in trunk}
        self._num_windows += 1
        for number, (cut, value) in flow.added.items():
            is_meant = cut.kind in MEANT and cut not in flow.judged
            if number in numbers and flow.uses.get(cut, set()) <= numbers and not is_meant:
                self._values.setdefault(cut, []).append(value)
                if cut in flow.through_modules:
                    self._predictions.add(cut)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        tracked = self._recorder.optimizers.get(optimizer)
        if self._flow is not None and tracked is not None and self._tracked == tracked.id:
            flow = self._flow
            self._leave()
            if flow.failure is not None:
                raise flow.failure
        if not self._found and self._num_windows >= WINDOWS:
            self._found = tuple(self._facts())
        return bool(self._found)

    def step_ends(self, optimizer: Optimizer) -> None:
        tracked = self._recorder.optimizers.get(optimizer)
        if tracked is None or not self._is_suspicious or self._flow is not None or self._num_windows >= WINDOWS:
            return
        self._tracked = self._tracked or tracked.id
        is_next_armed = tracked.num_updates < tracked.windows.num_first
        if self._tracked == tracked.id and tracked.num_updates in FOLLOWED and is_next_armed:
            here = self._recorder.sites.here
            params = [p for p in tracked.ledger.params if p.requires_grad]
            flow = SumFlow(params, lambda: here(2), self._recorder.tap.is_deaf)
            if flow.enter():
                self._flow = flow

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        tracked = self._recorder.optimizers.get(optimizer)
        is_mine = tracked is not None and tracked.id == self._tracked
        return {"dead_terms": self._found} if self._found and is_mine else {}

    def _facts(self) -> Iterator[DeadTermFacts]:
        for cut, values in self._values.items():
            if len(values) >= WINDOWS and len(set(values)) > 1 and all(values):
                site, conditional = locate(cut)
                if not conditional:
                    yield DeadTermFacts(cut.kind, site, tuple(values[:WINDOWS]), cut in self._predictions)

    def _leave(self) -> None:
        if self._flow is not None and self._flow.leave():
            self._flow = None


def _trunk(root: Any) -> Iterator[Any]:
    """The nodes at the root that add up, scale or view: what is added there has no part in any gradient."""
    todo, seen = [root], 0
    while todo and seen < MAX_NODES:
        node = todo.pop()
        seen += 1
        yield node
        if name_of(node) in LINEAR:
            below = [child for child in children(node) if child is not None]
            is_linear = name_of(node) not in ("Mul", "Div") or len(below) == 1
            todo += [child for child in below if is_scalar(child) or (is_linear and name_of(child) in LINEAR)]
