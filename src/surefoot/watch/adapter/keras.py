"""Keras on torch: its optimizers apply gradients that its trainer has taken from `.grad`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from surefoot.watch.adapter.adapter import NO_PARAMETERS, EntryPoint, Groups, NotSeenError, parameters

ENTRY = EntryPoint("keras.src.optimizers.base_optimizer", "BaseOptimizer", step="apply", made="build")
LOSS_SCALE = "its gradients are scaled"
ACCUMULATES = "it accumulates gradients by itself"
ITERATOR = "what it is given can be read only once"
GIVEN = "it is given other gradients than those in .grad"


class Keras:
    name = "Keras"

    def groups(self, optimizer: Any) -> Groups:
        found = parameters([variable.value for variable in getattr(optimizer, "_trainable_variables", ())])
        if not found:
            raise NotSeenError(NO_PARAMETERS)
        return [{"params": found, "lr": _rate(optimizer)}]

    def check(self, optimizer: Any, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        if getattr(optimizer, "gradient_accumulation_steps", None):
            raise NotSeenError(ACCUMULATES)
        if getattr(optimizer, "loss_scale_factor", None):
            raise NotSeenError(LOSS_SCALE)
        gradients = args[0] if args else given.get("grads")
        variables = args[1] if len(args) > 1 else given.get("trainable_variables")
        variables = optimizer._trainable_variables if variables is None else variables
        if not isinstance(gradients, Sequence) or not isinstance(variables, Sequence):
            raise NotSeenError(ITERATOR)
        for gradient, variable in zip(gradients, variables, strict=False):  # Keras itself refuses what does not match
            if gradient is not None and variable.value.grad is not gradient:
                raise NotSeenError(GIVEN)


def _rate(optimizer: Any) -> Any:
    """A number, where reading it does not wait for a device."""
    rate = getattr(optimizer.learning_rate, "value", optimizer.learning_rate)
    if not isinstance(rate, Tensor):
        return float(rate)
    return float(rate) if rate.device.type == "cpu" else rate.detach()
