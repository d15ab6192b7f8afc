"""What modules put out, in recorded windows only: a hook on all forwards is in place for their length."""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import Module
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from surefoot.facts import ActivationFacts
from surefoot.signals.tensors import can_read_now, is_readable, plain_torch
from surefoot.watch.graph.compiling import switch_off_when_compiling
from surefoot.watch.inventory.module import named_modules
from surefoot.watch.name import Names
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

NO_BUDGET = "no overhead is allowed"
MOST_MODULES = 64  # in one window
MOST_ELEMENTS = 16384  # of an output that are read, in whole rows
DEAD_SAMPLES = 8  # in a row in which a unit was never above zero and got no gradient
FEW_ELEMENTS = 1024  # below which one call is cheaper than four
FEW_COLUMNS = 8  # of a gradient: those of most units are not zero there already
FEWEST_ROWS = 16  # of fewer rows all may be below zero by chance
SUSPICIOUS = 0.25  # share of units not above zero from which on their gradients are looked at

LAYERS = (nn.Linear, _ConvNd, _BatchNorm)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
RANGES = {nn.Sigmoid: (0.0, 1.0), nn.Tanh: (-1.0, 1.0)}  # functions that saturate, and where
NODES = {"SigmoidBackward0": nn.Sigmoid, "TanhBackward0": nn.Tanh}  # the same without a module
FLAT = 0.01  # this share of the range from its ends is flat
THROUGH = (nn.Dropout, nn.Identity, nn.Flatten, nn.AlphaDropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)
LOOKED_AT = (*LAYERS, *THROUGH, *RANGES)


@dataclass(slots=True)
class Output:
    """Of one module in the window; numbers stay on the device until they are all read at once."""

    module: Module  # or, of a function that was called without one, the layer before it
    num_rows: int
    means: Tensor  # by unit
    variances: Tensor
    num_filled: Tensor  # elements that are not zero
    is_active: Tensor | None = None  # by unit: whether it was above zero in some row
    num_flat: Tensor | None = None  # elements in the flat part
    function: type[Module] | None = None  # that saturates
    fed_by: Module | None = None
    is_passed_on: bool = False
    given: list[Tensor] = field(default_factory=list)  # mean and spread of the input of the first layer

    @property
    def num_units(self) -> int:
        return len(self.means)


class ActivationProbe(Probe):
    name = "activations"

    def __init__(self) -> None:
        self.batch_size: int | None = None  # of the first layer that ran in the last window looked at
        self._outputs: dict[tuple[int, bool], Output] = {}  # by the module's id, and whether of a function after it
        # What the next module may be given: the tensor, the number of the node that made it, and what is known of it.
        self._newest: tuple[weakref.ref[Tensor], int, Output] | None = None
        self._last_layer: Output | None = None
        self._streaks: dict[int, tuple[weakref.ref[Module], Tensor]] = {}  # by the identity of the module
        self._is_open = False

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        if recorder.settings.overhead <= 0:
            recorder.tap.off.setdefault(self.name, NO_BUDGET)
        switch_off_when_compiling(recorder, self.name, self.close)
        recorder.tap.on_removal(self.close)
        self.open()

    def open(self) -> None:
        """Look at the window that begins now."""
        self._forget()
        if not self._is_open and self.name not in self._recorder.tap.off:
            self._is_open = True
            self._recorder.forwards.listen(self.name, after=self._ran)

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._recorder.forwards.leave(self.name)
        self._forget()

    def _forget(self) -> None:
        self._outputs.clear()
        self._newest = self._last_layer = None

    def _ran(self, module: Module, given: Any, output: Any) -> None:
        if torch.is_grad_enabled() and len(self._outputs) < MOST_MODULES and can_read_now():
            if not issubclass(type(module), LOOKED_AT) and _has_no_function(given):
                return
            self._look(module, given, output)

    @plain_torch()
    def _look(self, module: Module, given: Any, output: Any) -> None:
        if not _is_real(output) or self._recorder.thread_states.here().backward_stack:
            return  # inside a backward a checkpoint runs its block again
        source = given[0] if isinstance(given, tuple) and given and isinstance(given[0], Tensor) else None
        before = self._maker_of(source)
        if issubclass(type(module), THROUGH):
            if before is not None:
                self._newest = (weakref.ref(output), _node_number(output), before)
            return
        function = type(module) if type(module) in RANGES else None
        is_layer = issubclass(type(module), LAYERS)
        if not (is_layer or function) or (id(module), False) in self._outputs or output.ndim < 2:
            return
        seen = _measure(module, output, function)
        if before is not None:
            before.is_passed_on = True
            seen.fed_by = before.module
        if is_layer:
            if self._last_layer is None:
                self.batch_size = output.shape[0]
                seen.given = _mean_and_spread(source)
            self._last_layer = seen
        self._outputs[id(module), False] = seen
        self._newest = (weakref.ref(output), _node_number(output), seen)

    def _maker_of(self, source: Tensor | None) -> Output | None:
        """What made the input of a module: the last module, or a function that was called upon its output."""
        if self._newest is None or source is None:
            return None
        output, made_by, seen = self._newest
        if output() is source:
            return seen
        function = _function_between(made_by, source)
        if function is None or not isinstance(seen.module, LAYERS) or source.ndim < 2:
            return None
        seen.is_passed_on = True
        made = _measure(seen.module, source, function)
        made.fed_by = seen.module
        self._outputs[id(seen.module), True] = made
        return made

    # --- facts

    def facts(self, owned: Collection[int], names: Names) -> tuple[ActivationFacts, ...]:
        """Of modules with parameters among these ids, and of functions between them."""
        chosen = [output for output in self._outputs.values() if _belongs(output.module, owned)]
        if not chosen:
            return ()
        named = _names(chosen, names)
        return tuple(self._fact(*numbered, named) for numbered in zip(chosen, _numbers(chosen), strict=True))

    def _fact(self, output: Output, numbers: Sequence[float], named: Mapping[int, str]) -> ActivationFacts:
        mean, between, within, unit_spread, num_filled, num_special = numbers
        num_elements = output.num_rows * output.num_units
        size = math.sqrt(within + between + mean * mean)
        name, kind = named[id(output.module)], type(output.module).__name__
        if output.function is not None and output.fed_by is output.module:
            name, kind = f"the {output.function.__name__.lower()} after {name}", "function"
        given = [float(number) for number in output.given]
        return ActivationFacts(
            module=name,
            kind=kind,
            num_rows=output.num_rows,
            num_units=output.num_units,
            mean=mean,
            spread=math.sqrt(within + between),
            variation=unit_spread / max(size, 1e-30),
            zeros=1 - num_filled / num_elements,
            flat=num_special / num_elements if output.function is not None else None,
            is_passed_on=output.is_passed_on,
            fed_by="" if output.fed_by is None else named.get(id(output.fed_by), ""),
            num_dead=self._num_dead(output, output.num_units - num_special),
            input_mean=given[0] if given else None,
            input_spread=given[1] if given else None,
            is_last=output is self._last_layer,
        )

    def _num_dead(self, output: Output, num_inactive: float) -> int:
        """Units below zero in every row and without gradient, in the last samples one after the other."""
        weight = output.module._parameters.get("weight")  # asking for one that is computed would compute it
        if output.is_active is None or weight is None or weight.grad is None or not is_readable(weight.grad):
            return 0
        if num_inactive < SUSPICIOUS * output.num_units or output.num_rows < FEWEST_ROWS:
            self._streaks.pop(id(output.module), None)
            return 0
        grad = weight.grad.transpose(0, 1) if isinstance(output.module, TRANSPOSED) else weight.grad
        if grad.shape[0] != output.num_units:  # groups of a transposed convolution
            return 0
        rows = grad.reshape(output.num_units, -1)
        dead = ~output.is_active & _has_no_gradient(rows[:, :FEW_COLUMNS])
        if rows.shape[1] > FEW_COLUMNS and dead.any():
            dead &= _has_no_gradient(rows)
        known = self._streaks.get(id(output.module))
        before = known[1] if known is not None and known[0]() is output.module else None
        streak = dead.int() if before is None or before.shape != dead.shape else (before + 1) * dead
        self._streaks[id(output.module)] = (weakref.ref(output.module), streak)
        return int((streak >= DEAD_SAMPLES).sum())


def _has_no_gradient(rows: Tensor) -> Tensor:
    return rows.abs().amax(1) == 0


def _is_real(output: Any) -> bool:
    return isinstance(output, Tensor) and is_readable(output) and not output.is_complex()


def _has_no_function(given: Any) -> bool:
    """Whether what a module is given surely does not come from a function that saturates."""
    source = given[0] if type(given) is tuple and given else None
    return type(source) is Tensor and ((node := source.grad_fn) is None or type(node).__name__ not in NODES)


def _node_number(output: Tensor) -> int:
    """Of the node that made it; -1 without one. Holding the node would keep its graph alive."""
    return -1 if output.grad_fn is None else output.grad_fn._sequence_nr()


def _function_between(before: int, source: Tensor) -> type[Module] | None:
    """The function that saturates and makes a tensor from what the node of that number made, if nothing else does."""
    node = source.grad_fn
    function = NODES.get(node.name()) if node is not None else None
    below: Any = None if node is None or function is None else node.next_functions[0][0]
    if below is None or below._sequence_nr() != before:
        return None
    return function if _is_real(source) else None


def _belongs(module: Module, owned: Collection[int]) -> bool:
    params = [param for param in module._parameters.values() if param is not None]
    return not params or any(id(param) in owned for param in params)


def _rows(output: Tensor, unit_dim: int) -> Tensor:
    """Some rows of units, spread over the batch, in single precision."""
    value = output.detach()
    if unit_dim != value.ndim - 1:
        value = value.flatten(2) if value.ndim > 2 else value.unsqueeze(2)
        batch, units, places = value.shape
        wanted = max(1, MOST_ELEMENTS // (units * batch))
        value = value[:, :, :: max(1, -(-places // wanted))].movedim(1, 2)
    rows = value.reshape(-1, value.shape[-1])
    wanted = max(FEWEST_ROWS, MOST_ELEMENTS // rows.shape[1])
    return rows[:: max(1, -(-rows.shape[0] // wanted))].float()


def _measure(module: Module, output: Tensor, function: type[Module] | None) -> Output:
    has_channels = isinstance(module, _ConvNd | _BatchNorm) and output.ndim > 2
    rows = _rows(output, 1 if has_channels else output.ndim - 1)
    variances, means = _variances_and_means(rows)
    if function is None:
        is_active = rows.amax(0) > 0  # `any` takes ten times as long
        return Output(module, rows.shape[0], means, variances, rows.count_nonzero(), is_active)
    low, high = RANGES[function]
    reach = (high - low) * (0.5 - FLAT)
    flat = ((rows - (low + high) / 2).abs_() > reach).count_nonzero()
    return Output(module, rows.shape[0], means, variances, rows.count_nonzero(), None, flat, function)


def _numbers(outputs: Sequence[Output]) -> list[list[float]]:
    """Of each: mean, variance of the units' means, mean of their variances and of their spreads, and both counts."""
    device = outputs[0].means.device
    lengths = torch.tensor([output.num_units for output in outputs], device=device)
    owners = torch.arange(len(outputs), device=device).repeat_interleave(lengths)

    def averages(values: Tensor) -> Tensor:
        return values.new_zeros(len(outputs)).index_add_(0, owners, values) / lengths

    means = torch.cat([output.means for output in outputs])
    variances = torch.cat([output.variances for output in outputs])
    mean = averages(means)
    between = averages((means - mean[owners]).square_())
    moments = torch.stack([mean, between, averages(variances), averages(variances.sqrt())], 1).tolist()
    counts = [_counts(output) for output in outputs]
    both = iter(torch.stack([count for pair in counts for count in pair]).tolist())
    return [[*four, next(both), next(both)] for four in moments]


def _counts(output: Output) -> tuple[Tensor, Tensor]:
    """Of elements that are not zero, and of elements in the flat part or of units once above zero."""
    special = output.num_flat if output.is_active is None else output.is_active.count_nonzero()
    assert special is not None
    return output.num_filled, special


def _variances_and_means(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Of each unit. On a CPU torch takes ten times as long to do both in one go, unless there is little to read."""
    if rows.numel() <= FEW_ELEMENTS:
        return torch.var_mean(rows, 0, correction=0)
    means = rows.mean(0)
    return (rows - means).square_().mean(0), means


def _mean_and_spread(source: Tensor | None) -> list[Tensor]:
    if not _is_real(source) or source is None or source.ndim < 2:
        return []
    rows = _rows(source, source.ndim - 1)
    return [rows.mean(), rows.std(unbiased=False)]


def _names(chosen: Sequence[Output], names: Names) -> dict[int, str]:
    """Of modules, by id: those of their parameters without the end, else as the model has them."""
    named: dict[int, str] = {}
    for output in chosen:
        param = next((param for param in output.module._parameters.values() if param is not None), None)
        if param is not None:
            named[id(output.module)] = names.of(param).rpartition(".")[0] or type(output.module).__name__
    rest = {id(output.module): type(output.module).__name__ for output in chosen if id(output.module) not in named}
    for root in [root for ref in names.scan.roots if rest and (root := ref()) is not None]:
        named |= {id(module): name for name, module in named_modules(root) if id(module) in rest and name}
    return rest | named
