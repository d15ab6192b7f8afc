"""Watch `torch.autograd.backward`, through which every `loss.backward()` goes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.facts import BackwardFacts, BirthFacts, LossFacts, Site
from surefoot.watch.probe import Probe
from surefoot.watch.tap import Undisturbed

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


KNOWN_SIZES = 8  # of the graphs of one line; a line with more has graphs of any size


class Backward:
    """One backward while it runs. Probes fill in what they know."""

    # Defaults, which an instance takes over only where something is known: one is made in every window.
    root = 0  # sequence number of the node that is backwarded
    size = 0  # nodes made since the last root
    value: float | None = None
    factor = 1.0  # the constant that the program multiplied its loss by
    num_rows = 0  # of what its loss was computed from, in programs that accumulate
    given: float | None = 1.0
    loss: LossFacts | None = None
    under_autocast = False
    autocast_dtype = ""
    scaled_by: int | None = None
    reached: tuple[tuple[int, int], ...] = ()
    num_unowned = 0
    inside_step: int | None = None
    birth: BirthFacts | None = None
    again: tuple[int, ...] = ()
    loss_key: Hashable = None  # of `loss`, what does not differ from step to step
    optimizers: Sequence[Any] = ()  # those that it may reach

    def __init__(
        self, ordinal: int, site: Site | None, roots: Sequence[Tensor], gradient: Any, retain: bool, create: bool
    ) -> None:
        self.ordinal, self.site = ordinal, site
        self.roots, self.gradient = roots, gradient  # emptied when it ends, so that nothing is kept alive
        self.retain_graph, self.create_graph = retain, create

    def fact(self, at: int) -> BackwardFacts:
        return BackwardFacts(
            at, self.ordinal, self.site, self.loss, self.value, self.root, self.retain_graph, self.create_graph,
            self.under_autocast, self.autocast_dtype, self.scaled_by, self.reached, self.num_unowned,
            inside_step=self.inside_step, birth=self.birth, again=self.again, given=self.given,
        )  # fmt: skip


class BackwardProbe(Probe):
    name = "backward"

    def install(self, recorder: Recorder) -> None:
        def begins(args: Any, kwargs: Any) -> Backward:
            return begin(recorder, args, kwargs)

        def ends(begun: Backward | None, args: Any, kwargs: Any, result: Any) -> None:
            if begun is not None:
                recorder.backward_ends(begun)

        observers = recorder.steady.begin_backward, recorder.steady.end_backward
        recorder.tap.listen(torch.autograd, "backward", self.name, before=begins, after=ends, observers=observers)


def begin(recorder: Recorder, args: Any, kwargs: Any) -> Backward:
    """Account for a backward that begins, from the arguments that it is called with."""
    tensors, gradient, retain_graph, create_graph = args[:4] if len(args) > 3 else _bind(args, kwargs)
    keeps = create_graph if retain_graph is None else retain_graph
    if type(tensors) is Tensor:
        return recorder.backward_begins((tensors,), gradient, bool(keeps), bool(create_graph))
    roots = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    with Undisturbed():  # a subclass would see what we ask it
        return recorder.backward_begins(roots, gradient, bool(keeps), bool(create_graph))


def _bind(args: Any, kwargs: Any) -> tuple[Any, ...]:
    """The first four arguments, by their places or by their names."""
    names = ("tensors", "grad_tensors", "retain_graph", "create_graph")
    given = dict(zip(names, args, strict=False)) | kwargs
    gradient = given.get("grad_tensors")
    return (
        given.get("tensors", ()), given.get("grad_variables") if gradient is None else gradient,
        given.get("retain_graph"), given.get("create_graph", False),
    )  # fmt: skip
