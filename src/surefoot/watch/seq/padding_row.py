"""See a padding row that an initialisation has overwritten, and whether the loss depends on it."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from surefoot.facts import PaddingRowFacts, Site
from surefoot.watch.inventory.module import modules_of, part
from surefoot.watch.lossgraph.node import Node, name_of, saved, signed
from surefoot.watch.lossgraph.values import is_readable
from surefoot.watch.probe import Probe
from surefoot.watch.seq.backprop import gradients_at, nodes_behind

if TYPE_CHECKING:
    from types import FrameType

    from torch.optim import Optimizer

    from surefoot.watch.lossgraph.loss_call import LossLine
    from surefoot.watch.recorder import Recorder

INITS = (
    "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "xavier_uniform_", "xavier_normal_",
    "kaiming_uniform_", "kaiming_normal_", "orthogonal_",
)  # fmt: skip
MAX_LOOKS = 4  # batches of each loss: the first may have no padding
MAX_INITS = 4096
CALLERS = 6  # between a listener and the layer that initialises itself
_MAKES = nn.Embedding.reset_parameters.__code__


@dataclass(slots=True)
class Init:
    """What an initialisation wrote into a matrix; its first column is enough to know it again."""

    function: str
    site: Site | None
    column: Tensor
    address: int
    is_by_layer: bool  # an embedding that makes itself, and sets its padding row to zero after that


class PaddingRowProbe(Probe):
    name = "padding-row"

    def __init__(self) -> None:
        self._inits: dict[tuple[int, ...], list[Init]] = {}  # by shape
        self._num_inits = 0
        self._depth = 0  # of `apply`
        self._writers: dict[int, Init | None] = {}  # by id of a weight, as it was before it was trained
        self._num_looks: dict[Site, int] = {}
        self._found: dict[Site, PaddingRowFacts] = {}  # by the line of the loss
        self._heard: set[Site] = set()  # in the window that is running

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.on_training_loss.append((self.name, self._hear))
        for name in INITS:
            recorder.tap.listen(nn.init, name, self.name, after=self._listener(name))
        recorder.tap.listen(nn.Module, "apply", self.name, before=self._applies, after=self._applied)

    def _listener(self, name: str) -> Any:
        def written(begun: Any, args: Any, kwargs: Any, result: Any) -> None:
            if not is_readable(result) or result.dim() != 2 or self._num_inits >= MAX_INITS or not result.numel():
                return
            self._num_inits += 1
            init = Init(
                name, self._recorder.sites.here(3), result.detach()[:, 0].clone(), result.data_ptr(), _is_by_layer()
            )
            self._inits.setdefault(tuple(result.shape), []).append(init)

        return written

    def _applies(self, args: Any, kwargs: Any) -> list[tuple[Tensor, int]]:
        self._depth += 1  # `apply` calls itself for children
        return list(_zero_rows(args[0])) if self._depth == 1 else []

    def _applied(self, begun: list[tuple[Tensor, int]], args: Any, kwargs: Any, result: Any) -> None:
        """`module.weight.data.normal_()` in a function that is applied to every module calls nothing of `nn.init`."""
        self._depth -= 1
        for weight, padding_idx in begun:
            if bool((weight[padding_idx] != 0).any()) and self._written_by(weight) is None:
                column = weight.detach()[:, 0].clone()
                init = Init("", self._recorder.sites.here(3), column, weight.data_ptr(), is_by_layer=False)
                self._inits.setdefault(tuple(weight.shape), []).append(init)

    def _hear(self, place: LossLine, given: dict[str, Any], prediction: Any, targets: Any) -> None:
        site = place.site
        num_looks = self._num_looks.get(site, 0)
        if num_looks < MAX_LOOKS and is_readable(prediction) and prediction.grad_fn is not None:
            self._num_looks[site] = num_looks + 1
            with torch.no_grad():
                self._look(site, prediction, targets, int(given.get("ignore_index", -100)))
        if site in self._found:
            self._heard.add(site)

    def _look(self, site: Site, prediction: Tensor, targets: Any, ignored: int) -> None:
        for node in nodes_behind(prediction.grad_fn) or ():
            padding_idx = signed(node._saved_padding_idx) if name_of(node) == "Embedding" else None
            weight = getattr(node.next_functions[0][0], "variable", None) if padding_idx is not None else None
            if padding_idx is None or padding_idx < 0 or not is_readable(weight) or weight is None:
                continue
            if id(weight) not in self._writers:
                self._writers[id(weight)] = self._written_by(weight)
            init = self._writers[id(weight)] if bool((weight[padding_idx] != 0).any()) else None
            if init is not None and _counts(prediction, targets, ignored, node, padding_idx):
                norm = float(weight[padding_idx].norm())
                name = self._recorder.names.of(weight)
                self._found[site] = PaddingRowFacts(init.site, site, name, padding_idx, norm, init.function)

    def _written_by(self, weight: Tensor) -> Init | None:
        """The initialisation whose values it still has: nothing was loaded since."""
        inits = self._inits.get(tuple(weight.shape), [])
        column = weight.detach()[:, 0]
        made = {init.address for init in inits if init.is_by_layer}
        written = [init for init in inits if not init.is_by_layer and init.address in made]
        return next((init for init in reversed(written) if torch.equal(init.column.to(column), column)), None)

    def step_begins(self, optimizer: Optimizer) -> Hashable:
        return tuple(sorted(map(hash, self._heard)))

    def step_facts(self, optimizer: Optimizer) -> dict[str, Any]:
        return {"padding_rows": tuple(facts for site, facts in self._found.items() if site in self._heard)}

    def step_ends(self, optimizer: Optimizer) -> None:
        self._heard.clear()


def _zero_rows(module: nn.Module) -> Iterator[tuple[Tensor, int]]:
    """Embeddings whose padding row is zero as yet."""
    for one in modules_of(module):
        padding_idx = one.padding_idx if type(one) is nn.Embedding else None
        weight: Tensor | None = part(one, "_parameters").get("weight")
        if padding_idx is None or weight is None or not is_readable(weight):
            continue
        if not bool((weight[padding_idx] != 0).any()):
            yield weight, padding_idx


def _is_by_layer() -> bool:
    frame: FrameType | None = sys._getframe(2)
    for _ in range(CALLERS):
        if frame is None:
            return False
        if frame.f_code is _MAKES:
            return True
        frame = frame.f_back
    return False


def _counts(prediction: Tensor, targets: Any, ignored: int, lookup: Node, padding_idx: int) -> bool:
    """What the loss counts depends on the padding that was looked up."""
    ids = saved(lookup, "indices")
    if not is_readable(ids) or not bool((ids == padding_idx).any()):
        return False
    outputs = torch.arange(prediction.numel(), device=prediction.device, dtype=torch.float32)
    seed = torch.cos(1.7 * outputs).reshape(prediction.shape).to(prediction.dtype)
    if is_readable(targets) and targets.dtype is torch.int64 and targets.dim() == prediction.dim() - 1:
        seed = seed * (targets != ignored).unsqueeze(1)
    arrived = gradients_at(prediction.grad_fn, prediction.output_nr, seed, [lookup])
    gradient = (arrived or {}).get(lookup)
    return gradient is not None and bool((gradient[ids == padding_idx] != 0).any())
