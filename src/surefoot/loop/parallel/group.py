"""The process group: the one that runs, or one made from what torchrun says; and which way of several processes."""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
import torch.distributed as dist
from torch.nn import Module

from surefoot.loop.parallel import slurm
from surefoot.loop.parallel.alone import Alone
from surefoot.loop.parallel.start import start
from surefoot.loop.plan import LoopWarning

WAYS = ("ddp", "fsdp")
OPTIONS = ("mp_policy", "offload_policy", "reshard_after_forward")  # of fully_shard
WRAPPERS = ("DistributedDataParallel", "FullyShardedDataParallel")
TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def check(parallel: Any, fsdp_units: Sequence[str] | None, num_optimizers: int, fsdp_options: Any = None) -> None:
    if parallel is not None and parallel not in WAYS:
        raise ValueError(f'parallel must be "ddp", "fsdp" or None, got {parallel!r}.')
    if fsdp_units is not None and parallel != "fsdp":
        raise ValueError(f'fsdp_units is for parallel="fsdp", got parallel={parallel!r}. Leave it out.')
    if fsdp_options is not None:
        _check_options(parallel, fsdp_options)
    if isinstance(fsdp_units, str):
        raise TypeError(f"fsdp_units is a list of patterns, got {fsdp_units!r}: write a list.")
    if parallel == "fsdp" and num_optimizers > 1:
        raise ValueError(
            f'parallel="fsdp" trains one optimizer, got {num_optimizers}: a sharded backward can\'t be kept to the '
            'parameters of one of them. Use parallel="ddp", or a list of optimizers that step together.'
        )


def _check_options(parallel: Any, options: Any) -> None:
    if parallel != "fsdp":
        raise ValueError(f'fsdp_options is for parallel="fsdp", got parallel={parallel!r}. Leave it out.')
    unknown = [name for name in options if name not in OPTIONS] if isinstance(options, Mapping) else [options]
    if unknown:
        raise ValueError(
            f"fsdp_options takes a dict of what fully_shard takes: {', '.join(OPTIONS)}; got {unknown[0]!r}. The loop "
            "makes the mesh, of all ranks."
        )


def _is_sharded(models: Mapping[str, Module]) -> bool:
    """By the program, over several ranks: parameters are parts of what they stand for."""
    params: list[Any] = [p for model in models.values() for p in model.parameters()]
    return any(hasattr(p, "_local_tensor") and p.device_mesh.size() > 1 for p in params)


def refuse_sharded_already(models: Mapping[str, Module], parallel: str | None) -> None:
    if parallel is not None and _is_sharded(models):
        raise ValueError(
            f'the model is sharded already, and parallel="{parallel}" would do so again. Give the loop the whole '
            'model: with parallel="fsdp" it calls fully_shard itself.'
        )


def refuse_own_sharding(models: Mapping[str, Module], ranks: Alone) -> None:
    """Each rank would write its own part of the weights into the same file."""
    if ranks.size == 1 and _is_sharded(models):
        raise ValueError(
            "the model is sharded by the program (fully_shard or a tensor-parallel plan), and the loop does not know "
            'of the other ranks: all of them would write the same checkpoint. Use parallel="fsdp" without your own '
            "fully_shard, or save with torch.distributed.checkpoint."
        )


def refuse_wrapped(models: Mapping[str, Module]) -> None:
    """A wrapper weights all ranks and micro-batches alike, and sends gradients before the loop has weighted them."""
    if not dist.is_available() or not dist.is_initialized() or dist.get_world_size() == 1:
        return
    for model in models.values():
        kind = type(model).__name__
        if kind in WRAPPERS:
            way = "ddp" if kind == "DistributedDataParallel" else "fsdp"
            raise ValueError(
                f"the model is wrapped in {kind}, which averages over ranks whatever their numbers of items are. Give "
                f'the loop the model inside, and it does the rest: sf.Loop(model.module, optimizer, parallel="{way}").'
            )


def say_alone(models: Mapping[str, Module], parallel: str | None, is_edited: bool) -> None:
    """Several ranks that train one model each may be what is meant; mostly it is not."""
    if parallel is not None or is_edited or not dist.is_available() or not dist.is_initialized():
        return
    if dist.get_world_size() > 1 and dist.get_rank() == 0 and not _is_sharded(models):
        warnings.warn(
            f"a process group of {dist.get_world_size()} ranks runs, and the loop has no parallel=: each rank trains a "
            'model of its own, and all write the same checkpoints. Pass parallel="ddp" or "fsdp".',
            LoopWarning,
            stacklevel=4,
        )


def check_models(models: Mapping[str, Module], parallel: str | None, *, is_edited: bool) -> None:
    """What the program has done about ranks by itself. `is_edited`: it has a hook that may add up gradients."""
    refuse_sharded_already(models, parallel)
    refuse_wrapped(models)
    say_alone(models, parallel, is_edited)


def own_device(parallel: str | None, device: torch.device | str | None) -> torch.device | str | None:
    """`cuda` means each rank's own one; torchrun and Slurm number the ranks of a machine."""
    if parallel is not None:
        slurm.take_up()
    asked = torch.device("cpu" if device is None else device)
    local_rank = os.environ.get("LOCAL_RANK")
    if parallel is None or local_rank is None or asked.type == "cpu" or ":" in str(asked):
        return device
    mine = torch.device(asked.type, int(local_rank))
    torch.accelerator.set_device_index(mine.index)
    return mine


class Group:
    """A process group that a loop started: it ends with the last loop that is closed, or with the program."""

    num_loops: ClassVar[int] = 0
    is_ours: ClassVar[bool] = False

    @classmethod
    def start(cls, device: torch.device) -> None:
        start("nccl" if device.type == "cuda" else "gloo")
        cls.is_ours = True
        atexit.register(cls.end)

    @classmethod
    def end(cls) -> None:
        if cls.is_ours and dist.is_initialized():
            dist.destroy_process_group()
        cls.is_ours = False
        atexit.unregister(cls.end)

    @classmethod
    def destroy(cls) -> None:
        """Whoever made it: this rank has failed, and the others are not to wait for it."""
        if dist.is_initialized():
            dist.destroy_process_group()
        cls.is_ours = False

    @classmethod
    def leave(cls) -> None:
        cls.num_loops -= 1
        if cls.num_loops == 0:
            cls.end()
