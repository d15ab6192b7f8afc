"""What all ranks must have alike: the place of the program where they meet, models, optimizers and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from torch.nn import Module
    from torch.optim import Optimizer


def refuse_apart(places: Sequence[str]) -> NoReturn:
    """`places` are those of all ranks."""
    first = places[0]
    rank, other = next((rank, place) for rank, place in enumerate(places) if place != first)
    raise RuntimeError(
        f"rank 0 is at {first}, and rank {rank} at {other}. What a loop does, it does on all ranks at once: call "
        "save(), resume(), evaluate(), step() and so on everywhere, not on one rank only. Only rank 0 prints anyway."
    )


def described(
    models: Mapping[str, Module], optimizers: Mapping[str, Optimizer], settings: Mapping[str, Any]
) -> list[str]:
    """A line for each thing that ranks must have alike."""
    return [*_tensors(models), *_groups(optimizers), *(f"{name} is {value!r}" for name, value in settings.items())]


def _tensors(models: Mapping[str, Module]) -> Iterator[str]:
    for name, model in models.items():
        lead = f"{name}." if name else ""
        for key, tensor in (*model.named_parameters(), *model.named_buffers()):
            yield f"{lead}{key} is {tensor.dtype} of shape {tuple(tensor.shape)}"


def _groups(optimizers: Mapping[str, Optimizer]) -> Iterator[str]:
    for name, optimizer in optimizers.items():
        for number, group in enumerate(optimizer.param_groups):
            of = f"of group {number} of {name or 'the'} {type(optimizer).__name__}"
            yield f"the number of parameters {of} is {len(group['params'])}"
            plain = {key: value for key, value in group.items() if isinstance(value, bool | int | float | str)}
            yield from (f"{key} {of} is {value!r}" for key, value in plain.items())


def difference(first: Sequence[str], own: Sequence[str], rank: int) -> str | None:
    """In words; None if there is none."""
    for there, here in zip_longest(first, own, fillvalue="there is no more"):
        if there != here:
            return f"ranks must have the same model, optimizer and settings. On rank 0 {there}; on rank {rank} {here}."
    return None
