"""A checkpoint of another number of processes, or of another way of several: its parts put together for these."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.loop.parallel.copies import PARTS, complete, is_copy
from surefoot.loop.parallel.shard import MARK, Pieces, is_shard
from surefoot.loop.plan import LoopWarning


def joined(states: Sequence[Mapping[str, Any]], rank: int) -> dict[str, Any]:
    """For `rank` of the processes now. Nothing of a sharded tensor is read before it is known which part is needed."""
    own = dict(states[rank % len(states)])
    parts = {key: _joined([state[key] for state in states], own[key]) for key in PARTS if key in own}
    own = complete({**own, **parts}, lambda: states[0])
    if rank >= len(states):
        own["rng"] = None  # those of another rank, which would draw the same
    return own


def _joined(values: Sequence[Any], own: Any) -> Any:
    if is_copy(own) and is_shard(values[0]):
        own = values[0]
    if is_shard(own):
        found = [values[0] if is_copy(value) else value for value in values]
        return Pieces(tuple(own["whole"]), [(value["at"], value[MARK]) for value in found])
    if isinstance(own, Mapping) and not is_copy(own):
        made: Any = type(own)((key, _joined([_at(value, key) for value in values], item)) for key, item in own.items())  # type: ignore[call-arg]
        if hasattr(own, "_metadata"):
            made._metadata = own._metadata
        return made
    if type(own) in (list, tuple) and own and isinstance(own[0], Mapping):
        return type(own)(_joined([_at(value, i) for value in values], item) for i, item in enumerate(own))
    return own


def _at(value: Any, key: Any) -> Any:
    """A rank whose state was the same as rank 0's as a whole has nothing below."""
    return value[key]


def refusal(state: Mapping[str, Any], size: int) -> str | None:
    """Why the run can't go on with another number of processes from here."""
    before = state["ranks"]["size"]
    if any(window["num_micro_batches"] for window in state["windows"].values()):
        return f"was saved inside a window of {_processes(before)}, whose gradients can't be shared out anew"
    data = state["data"]
    if data is None or data["has_ended"] or not data["num_drawn"]:
        return None
    is_shared_out = data["traits"].get("sampler") == "DistributedSampler" and "loader" not in data
    if is_shared_out and not data["earlier"] and data["num_drawn"] * before % size == 0:
        return None
    return (
        f"was saved in the middle of an epoch, after {data['num_drawn']} batches on each of {_processes(before)}. "
        f"Which samples are left for {_processes(size)} is only known of a DistributedSampler whose batches can be "
        "shared out evenly"
    )


def adapt(state: dict[str, Any], size: int, rank: int) -> None:
    """The place in the data: as many samples of the epoch as were trained on are passed over."""
    before, data = state["ranks"]["size"], state["data"]
    if data is not None:
        num_drawn = data["num_drawn"] * before // size
        state["data"] = {**{k: v for k, v in data.items() if k != "length"}, "num_drawn": num_drawn}
    if rank == 0:
        warnings.warn(
            f"the run goes on with {_processes(size)}, and was saved with {_processes(before)}: weights, optimizers "
            "and the place in the data are those of the run; windows have other micro-batches, and random numbers, "
            "such as those of dropout, are shared out otherwise.",
            LoopWarning,
            stacklevel=6,
        )


def _processes(num: int) -> str:
    return "1 process" if num == 1 else f"{num} processes"
