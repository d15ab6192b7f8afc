"""Watch `torch.autograd.backward`, through which every `loss.backward()` goes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import BackwardFacts, BirthFacts, LossFacts, Site
from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


@dataclass(slots=True)
class Backward:
    """One backward while it runs. Probes fill in what they know."""

    ordinal: int
    site: Site | None
    roots: Sequence[Tensor]  # emptied when it ends, so that nothing is kept alive
    gradient: Any
    retain_graph: bool
    create_graph: bool
    root: int = 0
    value: float | None = None
    given: float | None = 1.0
    loss: LossFacts | None = None
    under_autocast: bool = False
    autocast_dtype: str = ""
    scaled_by: int | None = None
    reached: tuple[tuple[int, int], ...] = ()
    num_unowned: int = 0
    inside_step: int | None = None
    birth: BirthFacts | None = None
    loss_key: Hashable = None  # of `loss`, what does not differ from step to step
    shape: list[Any] = field(default_factory=list)  # what probes add to the step's shape

    def key(self) -> tuple[Any, ...]:
        return (
            "backward", self.site, self.reached, self.num_unowned, self.retain_graph, self.create_graph,
            self.scaled_by, self.under_autocast, self.loss_key, *self.shape,
        )  # fmt: skip

    def fact(self, at: int) -> BackwardFacts:
        return BackwardFacts(
            at, self.ordinal, self.site, self.loss, self.value, self.root, self.retain_graph, self.create_graph,
            self.under_autocast, self.autocast_dtype, self.scaled_by, self.reached, self.num_unowned,
            inside_step=self.inside_step, birth=self.birth, given=self.given,
        )  # fmt: skip


class BackwardProbe(Probe):
    name = "backward"

    def install(self, recorder: Recorder) -> None:
        sleep = recorder.sleep

        def make(original: Function) -> Function:
            def backward(
                tensors: Any, grad_tensors: Any = None, retain_graph: Any = None, create_graph: bool = False,
                grad_variables: Any = None, inputs: Any = None,
            ) -> None:  # fmt: skip
                nap = sleep.nap
                if nap is not None and nap.goes_on("backward", tensors, depth=3):
                    original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
                    if sleep.on_backward is not None:
                        sleep.on_backward()
                    return
                begun = recorder.guarded(
                    "backward", recorder.backward_begins, tensors, grad_tensors, retain_graph, create_graph
                )
                try:
                    original(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)
                finally:
                    recorder.finish("backward", recorder.backward_ends, begun)

            return backward

        recorder.patches.wrap(torch.autograd, "backward", make)
