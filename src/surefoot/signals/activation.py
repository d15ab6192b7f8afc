"""What modules put out, looked at in sampled windows only: a hook on all forwards is in place for their length."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import Module
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.module import register_module_forward_hook

from surefoot.facts import ActivationFacts
from surefoot.watch.beside import run_beside
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.name import Names
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

NO_BUDGET = "no overhead is allowed"
MOST_MODULES = 64  # in one window
MOST_ELEMENTS = 65536  # of an output that are looked at, in whole rows
DEAD_SAMPLES = 8  # in a row in which a unit was never above zero and got no gradient
FEWEST_ROWS = 16  # of fewer rows all may be below zero by chance
SUSPICIOUS = 0.25  # share of units not above zero from which on their gradients are looked at

LAYERS = (nn.Linear, _ConvNd, _BatchNorm)
BENT = {nn.Sigmoid: (0.0, 1.0), nn.Tanh: (-1.0, 1.0)}  # functions with flat parts, and where these are
CALLED = {"SigmoidBackward0": nn.Sigmoid, "TanhBackward0": nn.Tanh}  # the same without a module, by their nodes
FLAT = 0.01  # this share of the whole range from its ends is flat
THROUGH = (nn.Dropout, nn.Identity, nn.Flatten, nn.AlphaDropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)


@dataclass(slots=True)
class Seen:
    """One module's output in the window; numbers stay on the device until they are all read at once."""

    module: Module  # or, of a function that was called without one, the layer before it
    num_rows: int
    num_units: int
    numbers: list[Tensor]
    lit: Tensor | None  # by unit: whether it was above zero in some row
    bend: type[Module] | None = None  # the function with flat parts
    fed_by: Module | None = None
    is_passed_on: bool = False
    given: list[Tensor] = field(default_factory=list)  # mean and spread of the input of the first layer


class ActivationProbe(Probe):
    name = "activations"

    def __init__(self) -> None:
        self._seen: dict[tuple[int, bool], Seen] = {}  # by the module's id and whether it is the function after it
        self._made_by: tuple[Tensor, Seen] | None = None  # the output that the next module may be given
        self._last_layer: Seen | None = None
        self._streaks: weakref.WeakKeyDictionary[Module, Tensor] = weakref.WeakKeyDictionary()
        self._unhook: Callable[[], None] | None = None
        self.seconds = 0.0  # spent in the window
        self.batch_size: int | None = None  # of the first module that ran in the last window looked at

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if recorder.settings.overhead <= 0:
            recorder.off.setdefault(self.name, NO_BUDGET)
        switch_off_when_compiling(recorder, self.name, self.close)
        recorder.patches.on_removal(self.close)
        self.open()

    def open(self) -> None:
        """Look at the window that begins now."""
        self.forget()
        if self._unhook is None and self.name not in self._recorder.off:
            self._unhook = register_module_forward_hook(self._ran).remove

    @property
    def is_open(self) -> bool:
        return self._unhook is not None

    def forget(self) -> None:
        self._seen.clear()
        self._made_by = self._last_layer = None
        self.seconds = 0.0

    def close(self) -> None:
        if self._unhook is not None:
            self._unhook()
        self._unhook = None
        self.forget()

    def _ran(self, module: Module, given: Any, output: Any) -> None:
        if torch.is_grad_enabled() and not torch.compiler.is_compiling() and len(self._seen) < MOST_MODULES:
            begun = perf_counter()
            run_beside(self._recorder, self.name, self._look, module, given, output)
            self.seconds += perf_counter() - begun

    def _look(self, module: Module, given: Any, output: Any) -> None:
        if not _is_plain(output) or _is_recorded() or self._recorder.lanes.here().backward_stack:
            return  # inside a backward a checkpoint runs its block again
        source = given[0] if isinstance(given, tuple) and given and isinstance(given[0], Tensor) else None
        before = self._giver(source)
        bend = type(module) if type(module) in BENT else None
        if isinstance(module, THROUGH):
            if before is not None:
                self._made_by = (output, before)
            return
        is_new = (id(module), False) not in self._seen
        if not (isinstance(module, LAYERS) or bend) or not is_new or output.ndim < 2:
            return
        seen = _measure(module, output, bend)
        if before is not None:
            before.is_passed_on = True
            seen.fed_by = before.module
        if isinstance(module, LAYERS):
            if self._last_layer is None:
                self.batch_size = output.shape[0]
                seen.given = _size_of(source)
            self._last_layer = seen
        self._seen[id(module), False] = seen
        self._made_by = (output, seen)

    def _giver(self, source: Tensor | None) -> Seen | None:
        """What made the input of a module: the last module, or a function that was called upon its output."""
        if self._made_by is None or source is None:
            return None
        output, seen = self._made_by
        if output is source:
            return seen
        bend = _function_between(output, source)
        if bend is None or not isinstance(seen.module, LAYERS) or source.ndim < 2:
            return None
        seen.is_passed_on = True
        function = _measure(seen.module, source, bend)
        function.fed_by = seen.module
        self._seen[id(seen.module), True] = function
        return function

    # --- telling

    def facts(self, owned: Collection[int], names: Names) -> tuple[ActivationFacts, ...]:
        """What was seen of modules with parameters among these ids, and of functions between them."""
        chosen = [s for s in self._seen.values() if _belongs(s.module, owned)]
        if not chosen:
            return ()
        numbers: list[list[float]] = torch.stack([torch.stack([n.float() for n in s.numbers]) for s in chosen]).tolist()
        called = _names(chosen, names)
        return tuple(self._fact(seen, values, called) for seen, values in zip(chosen, numbers, strict=True))

    def _fact(self, seen: Seen, values: list[float], called: Mapping[int, str]) -> ActivationFacts:
        mean, spread, variation, zeros, flat, dark = values
        name, kind = called[id(seen.module)], type(seen.module).__name__
        if seen.bend is not None and seen.fed_by is seen.module:
            name, kind = f"the {seen.bend.__name__.lower()} after {name}", "function"
        given = [float(number) for number in seen.given]
        return ActivationFacts(
            module=name,
            kind=kind,
            num_rows=seen.num_rows,
            num_units=seen.num_units,
            mean=mean,
            spread=spread,
            variation=variation,
            zeros=zeros,
            flat=flat if seen.bend is not None else None,
            is_passed_on=seen.is_passed_on,
            fed_by="" if seen.fed_by is None else called.get(id(seen.fed_by), ""),
            num_dead=self._num_dead(seen, dark),
            input_mean=given[0] if given else None,
            input_spread=given[1] if given else None,
            is_last=seen is self._last_layer,
        )

    def _num_dead(self, seen: Seen, dark: float) -> int:
        """Units below zero in every row and without gradient, in the last samples one after the other."""
        if seen.lit is None:
            return 0
        weight = seen.module._parameters.get("weight")  # asking for one that is computed would compute it
        if weight is None or type(weight.grad) is not Tensor or weight.grad.layout is not torch.strided:
            return 0
        if dark < SUSPICIOUS * seen.num_units or seen.num_rows < FEWEST_ROWS:
            self._streaks.pop(seen.module, None)
            return 0
        grad = weight.grad.detach()
        if _is_transposed(seen.module):
            grad = grad.transpose(0, 1)
        if grad.shape[0] != seen.num_units:  # groups of a transposed convolution
            return 0
        dead = ~(seen.lit | (grad.reshape(seen.num_units, -1) != 0).any(1))
        streak = self._streaks.get(seen.module)
        streak = dead.int() if streak is None or streak.shape != dead.shape else (streak + 1) * dead
        self._streaks[seen.module] = streak
        return int((streak >= DEAD_SAMPLES).sum())


def _is_plain(output: Any) -> bool:
    if type(output) is not Tensor or output.layout is not torch.strided or not output.is_floating_point():
        return False
    wrapped: bool = torch._C._functorch.is_functorch_wrapped_tensor(output)
    return not wrapped and not output.is_meta and output.numel() > 0


def _function_between(output: Tensor, source: Tensor) -> type[Module] | None:
    """The function with flat parts that makes one from the other, if nothing else does."""
    node, before = source.grad_fn, output.grad_fn
    bend = CALLED.get(node.name()) if node is not None else None
    if bend is None or node is None or before is None or node.next_functions[0][0] is not before:
        return None
    return bend if _is_plain(source) else None


def _is_recorded() -> bool:
    """Somebody takes down every operation, to run or count them again: ours must not be among them."""
    return torch._C._get_tracing_state() is not None or torch._C._len_torch_dispatch_stack() > 0


def _belongs(module: Module, owned: Collection[int]) -> bool:
    params = list(module.parameters(recurse=False))
    return not params or any(id(param) in owned for param in params)


def _is_transposed(module: Module) -> bool:
    return isinstance(module, nn.ConvTranspose1d | nn.ConvTranspose2d | nn.ConvTranspose3d)


def _rows(output: Tensor, unit_dim: int) -> Tensor:
    """Some rows of units, spread over the batch."""
    value = output.detach()
    if unit_dim != value.ndim - 1:
        value = value.flatten(2) if value.ndim > 2 else value.unsqueeze(2)
        batch, units, places = value.shape
        wanted = max(1, MOST_ELEMENTS // (units * batch))
        value = value[:, :, :: max(1, -(-places // wanted))].movedim(1, 2)
    rows = value.reshape(-1, value.shape[-1])
    wanted = max(FEWEST_ROWS, MOST_ELEMENTS // rows.shape[1])
    return rows[:: max(1, -(-rows.shape[0] // wanted))].float()


def _measure(module: Module, output: Tensor, bend: type[Module] | None) -> Seen:
    channels = isinstance(module, _ConvNd | _BatchNorm) and output.ndim > 2
    rows = _rows(output, 1 if channels else output.ndim - 1)
    num_rows, num_units = rows.shape
    mean, size = rows.mean(), rows.square().mean().sqrt()
    spread = (rows - mean).square().mean().sqrt()
    variation = (rows - rows.mean(0)).square().mean(0).sqrt().mean() / size.clamp(min=1e-30)
    zeros = (rows == 0).float().mean()
    lit, dark, flat = None, zeros.new_zeros(()), zeros.new_zeros(())
    if bend is not None:
        low, high = BENT[bend]
        edge = FLAT * (high - low)
        flat = ((rows < low + edge) | (rows > high - edge)).float().mean()
    elif isinstance(module, LAYERS):
        lit = (rows > 0).any(0)
        dark = (~lit).float().sum()
    return Seen(module, num_rows, num_units, [mean, spread, variation, zeros, flat, dark], lit, bend)


def _size_of(source: Any) -> list[Tensor]:
    if not _is_plain(source) or source.ndim < 2:
        return []
    rows = _rows(source, source.ndim - 1)
    return [rows.mean(), rows.std(unbiased=False)]


def _names(chosen: Sequence[Seen], names: Names) -> dict[int, str]:
    """Of modules, by id: those of their parameters without the end, else as the model has them."""
    called: dict[int, str] = {}
    for seen in chosen:
        param = next(iter(seen.module.parameters(recurse=False)), None)
        if param is not None:
            called[id(seen.module)] = names.of(param).rpartition(".")[0] or type(seen.module).__name__
    rest = {id(seen.module): type(seen.module).__name__ for seen in chosen if id(seen.module) not in called}
    for root in [root for ref in names.census.roots if rest and (root := ref()) is not None]:
        called |= {id(module): name for name, module in root.named_modules() if id(module) in rest and name}
    return rest | called
