"""Presets: the second command, derived from the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.verify.runner import PYTHON, CannotCompareError

IN_PROCESS = ("compile", "bf16", "fused")
WRAPPERS = {"ddp": "DistributedDataParallel", "fsdp": "DTensor"}


@dataclass(frozen=True)
class Other:
    """What is compared with the reference: a command, what is done to it while it runs, what must wrap its model."""

    command: list[str]
    preset: str = ""
    wrapper: str = ""


def in_process(name: str, command: Sequence[str]) -> Other:
    """The same command; the model or the optimizer is changed while it runs."""
    return Other(list(command), name)


def on_ranks(name: str, num_ranks: int, command: Sequence[str]) -> Other:
    """The same script under torchrun: it must wrap its model itself, as it would in a real run."""
    first, *rest = command
    if first not in PYTHON and not first.endswith(".py"):
        raise CannotCompareError(f"--{name} runs a Python script under torchrun, got {first!r}. Give a second command.")
    script = rest if first in PYTHON else [first, *rest]
    return Other(["torchrun", "--nproc-per-node", str(num_ranks), *script], wrapper=WRAPPERS[name])


def accumulated(num: int, command: Sequence[str], accumulate_option: str | None, batch_option: str | None) -> Other:
    """The same script with smaller micro-batches, by its own options."""
    if accumulate_option is None or batch_option is None:
        raise CannotCompareError(
            f"--accumulate needs the script's own options: add --accumulate-option=--accumulate and "
            f"--batch-option=--batch-size, or what they are called there, or a second command that accumulates {num}."
        )
    batch = _value_of(command, batch_option)
    if batch is None or not batch.isdecimal() or int(batch) % num:
        got = "which is not given" if batch is None else f"got {batch}"
        raise CannotCompareError(
            f"--accumulate {num} divides the value of {batch_option}, {got}. Give the script a multiple of {num}."
        )
    smaller = _with_option(command, batch_option, str(int(batch) // num))
    return Other(_with_option(smaller, accumulate_option, str(num)))


def _value_of(words: Sequence[str], option: str) -> str | None:
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _with_option(words: Sequence[str], option: str, value: str) -> list[str]:
    """Given last, an option overrides what was given before."""
    return [*words, option, value]
