"""What a loop is made of, checked when it is made: a mistake here costs seconds, later it costs days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from os import PathLike
from typing import Any, NoReturn

import torch
from torch.nn import Module
from torch.optim import Optimizer

from surefoot.loop.stop import Condition

ONE = ""  # the name of an only model or optimizer


def name_models(given: Any) -> dict[str, Module]:
    if isinstance(given, Module):
        return {ONE: given}
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"the model must be a torch module, or several in a list or dict, got {type(given).__name__}.")
    named = dict(given) if isinstance(given, Mapping) else {str(i): model for i, model in enumerate(given)}
    for name, model in named.items():
        if not isinstance(model, Module):
            raise TypeError(f"models must be torch modules, got {type(model).__name__} for {name!r}.")
    if not named:
        raise ValueError("a loop needs at least one model, got none.")
    return named


def name_optimizers(given: Any) -> dict[str, list[Optimizer]]:
    """By name; those in one list step together, on one backward."""
    named = dict(given) if isinstance(given, Mapping) else {ONE: given}
    groups = {name: [one] if isinstance(one, Optimizer) else one for name, one in named.items()}
    for name, group in groups.items():
        if not isinstance(group, list | tuple):
            of = f" for {name!r}" if name != ONE else ""
            raise TypeError(
                f"the optimizer must be a torch optimizer, a list of those that step together, or a dict of them by "
                f"name, got {type(group).__name__}{of}."
            )
        for one in group:
            if not isinstance(one, Optimizer):
                raise TypeError(f"optimizers must be torch optimizers, got {type(one).__name__}.")
    if not groups or not all(groups.values()):
        raise ValueError("a loop needs at least one optimizer, got none.")
    return {name: list(group) for name, group in groups.items()}


def flat_names(groups: Mapping[str, Sequence[Optimizer]]) -> dict[str, Optimizer]:
    """Each optimizer by a name of its own: those of a list are numbered."""
    named = {}
    for name, group in groups.items():
        for index, one in enumerate(group):
            number = str(index) if len(group) > 1 else ""
            named["/".join(filter(None, (name, number)))] = one
    return named


def name_rest(what: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """One setting for each optimizer: a dict by its names, or the same for all."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"{what} names {unknown[0]!r}, but the optimizers are {', '.join(map(repr, names))}.")
    return {name: given.get(name) for name in names}


def refuse_name(name: str | None, names: Sequence[str]) -> NoReturn:
    """For a micro-batch that names no optimizer, or one that is not there."""
    if name is None:
        raise ValueError(
            f"several optimizers: name one, loop.step({names[0]!r}). Those that step together, on one backward, go in "
            "a list: sf.Loop(model, [first, second])."
        )
    raise ValueError(f"no optimizer {name!r}; there are {', '.join(map(repr, names))}.")


def check_apart(models: Mapping[str, Module], optimizers: Mapping[str, Optimizer]) -> None:
    """Each optimizer trains parameters of its own, and of these models."""
    held = {id(p) for model in models.values() for p in model.parameters()}
    owner: dict[int, str] = {}
    for name, optimizer in optimizers.items():
        params = [p for group in optimizer.param_groups for p in group["params"]]
        if not any(id(p) in held for p in params):
            raise ValueError(
                f"the optimizer{f' {name!r}' if name else ''} holds no parameter of the given model. It was made from "
                "another model, or from this one before its parameters were replaced: make it from this model's "
                "parameters()."
            )
        for p in params:
            if owner.setdefault(id(p), name) != name:
                raise ValueError(
                    f"optimizers {owner[id(p)]!r} and {name!r} hold the same parameter, of shape {tuple(p.shape)}. "
                    "Give each parameter to one of them."
                )


def check_accumulate(accumulate: Any) -> int:
    if isinstance(accumulate, bool) or not isinstance(accumulate, int) or accumulate < 1:
        raise ValueError(
            f"accumulate must be at least 1, got {accumulate!r}. Leave it out to update after every batch."
        )
    return accumulate


def name_accumulate(given: Any, names: Sequence[str]) -> dict[str, int]:
    named = name_rest("accumulate", given, names)
    return {name: 1 if num is None else check_accumulate(num) for name, num in named.items()}


def device_of(models: Mapping[str, Module], given: torch.device | str | None) -> torch.device:
    """Where the models are; they are moved first if `given` says so."""
    if given is not None:
        device = torch.device(given)
        for model in models.values():
            model.to(device)
    for model in models.values():
        for tensor in (*model.parameters(), *model.buffers()):
            return tensor.device
    return torch.device("cpu")


def use_fused(optimizer: Optimizer) -> None:
    """Have torch's own optimizer run as one kernel, where it has one."""
    for group in optimizer.param_groups:
        if "fused" not in group:
            raise ValueError(f"fused=True: {type(optimizer).__name__} has no fused form. Leave it out.")
        group["fused"], group["foreach"] = True, False


def any_of(given: Any) -> Condition | None:
    """One condition that is met when one of those given is."""
    conditions = list(given) if isinstance(given, list | tuple) else [given]
    for condition in conditions:
        if not isinstance(condition, Condition):
            raise TypeError(f'stop takes conditions, such as sf.stop.below("loss", 0.1), got {condition!r}.')
    return reduce(or_, conditions) if conditions else None


def check_choices(on_nonfinite: Any, checkpoint: Any, checkpoint_every: Any, keep_best: Any, save: Any) -> None:
    if on_nonfinite not in ("raise", "skip"):
        raise ValueError(f'on_nonfinite must be "raise" or "skip", got {on_nonfinite!r}.')
    if save not in ("all", "trainable"):
        raise ValueError(f'save must be "all" or "trainable", got {save!r}.')
    if checkpoint is not None and not isinstance(checkpoint, str | PathLike):
        raise TypeError(f"checkpoint must be a folder or an address, got {checkpoint!r}.")
    if checkpoint_every is not None and checkpoint is None:
        raise ValueError("checkpoint_every needs a folder: sf.Loop(..., checkpoint=folder, checkpoint_every=100).")
    if keep_best is not None and checkpoint is None:
        raise ValueError('keep_best needs a folder: sf.Loop(..., checkpoint=folder, keep_best=("val/loss", "min")).')


def name_hooks(what: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """A function for each optimizer, or None."""
    named = name_rest(what, given, names)
    for hook in named.values():
        if hook is not None and not callable(hook):
            raise TypeError(f"{what} must be a function of the loop, or a dict of them by optimizer, got {hook!r}.")
    return named
