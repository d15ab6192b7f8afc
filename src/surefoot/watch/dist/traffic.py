"""What ranks send each other: counted, never read, and never added to.

A process group numbers its collectives, also those that torch starts without Python, such as the reductions of
DistributedDataParallel. So nothing was sent where the numbers stand still. Small messages, such as a loss that is
averaged for the log, are known by their size and not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor

from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.probe import Probe
    from surefoot.watch.recorder import Recorder

# Of the bytes of the smallest optimizer's parameters: what is sent between two steps and is smaller than this part of
# them holds no gradients, not even compressed ones.
SMALL_SHARE = 1000
FEW_BYTES = 32  # a loss, an accuracy and a count: in small models, too, if not even one bit is sent of each element
LEAST_SHARE = 40
METHODS = (  # of process groups, by which Python sends something
    "broadcast", "allreduce", "allreduce_coalesced", "reduce", "allgather", "_allgather_base", "all_gather_single",
    "allgather_coalesced", "allgather_into_tensor_coalesced", "all_gather_single_coalesced", "gather", "scatter",
    "reduce_scatter", "_reduce_scatter_base", "reduce_scatter_single", "reduce_scatter_tensor_coalesced",
    "reduce_scatter_single_coalesced", "all_to_all_single", "alltoall_base", "alltoall", "send", "recv",
    "recv_anysource", "barrier",
)  # fmt: skip

COUNTING = ("gloo", "nccl")  # backends that number all collectives that they begin

Mark = tuple[int, int]  # numbers that move when something is sent that may hold gradients or weights


def num_ranks() -> int:
    """As `dist.get_world_size()`, but 1 without a process group, and several times faster."""
    group: Any = dist.distributed_c10d._world.default_pg if dist.is_available() else None
    return 1 if group is None else int(group.size())


class Traffic:
    def __init__(self) -> None:
        self.num_bytes = 0  # of the smallest optimizer's parameters
        self.sent: set[int] = set()  # where tensors lie that Python has sent since that step
        self._step = 0
        self._num_bytes_sent = 0  # by Python, since that step
        self._num_small = 0  # collectives that need not be counted
        self._num_large = 0  # messages sent by Python; sending to one rank is no collective
        self._last: int | None = None  # the number of all collectives, when there was a process group

    def install(self, recorder: Recorder, probe: Probe) -> None:
        from torch._C._distributed_c10d import ProcessGroup

        def make(original: Function) -> Function:
            def send(self: Any, *args: Any, **kwargs: Any) -> Any:
                if not recorder.tap.on or not recorder.tap.attempt(probe.name, is_small, args, recorder.num_steps):
                    return original(self, *args, **kwargs)
                before = number_of_all()
                sent = original(self, *args, **kwargs)
                leave_out(before)
                return sent

            return send

        is_small, leave_out = self._is_small, self.leave_out
        for name in METHODS:
            if name in vars(ProcessGroup):
                recorder.tap.replace(ProcessGroup, name, make)
        recorder.tap.listen(dist, "destroy_process_group", probe.name, before=lambda args, kwargs: self.mark())

    def _is_small(self, args: tuple[Any, ...], step: int) -> bool:
        """Gradients may be sent one by one: it is the sum that counts."""
        if step != self._step:
            self._step, self._num_bytes_sent, self.sent = step, 0, set()
        tensors = list(_tensors(args, depth=3))
        self.sent.update(tensor.data_ptr() for tensor in tensors if tensor.layout == torch.strided)
        num_bytes = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        self._num_bytes_sent += num_bytes
        share = LEAST_SHARE if self._num_bytes_sent <= FEW_BYTES else SMALL_SHARE
        is_small = not num_bytes or self._num_bytes_sent * share < self.num_bytes
        self._num_large += not is_small
        return is_small

    @property
    def is_left_to_torch(self) -> bool:
        """Python has sent nothing that may hold gradients, weights or what layers exchange."""
        return self._num_large == 0

    def leave_out(self, before: int | None) -> None:
        """What was sent since then is not counted."""
        now = None if before is None else number_of_all()
        if before is not None and now is not None:
            self._num_small += now - before

    def mark(self) -> Mark | None:
        """Equal to an earlier one if nothing was sent since. None where a group does not number what it sends."""
        if num_ranks() > 1:
            self._last = number_of_all()
        return None if self._last is None else (self._last - self._num_small, self._num_large)


def number_of_all() -> int | None:
    """How many collectives all process groups have begun; None where one of them does not count all it begins."""
    groups: Mapping[Any, tuple[str, Any]] = dist.distributed_c10d._world.pg_map
    number = 0
    try:
        for group, (backend, _) in groups.items():
            number += group._get_sequence_number_for_group() if backend in COUNTING else _number_of_parts(group)
    except (RuntimeError, AttributeError):
        return None
    return number


def _number_of_parts(group: Any) -> int:
    """Of a group that sends in different ways from different devices."""
    parts = [group._get_backend(device) for device in group._device_types]
    if any(part.name() not in COUNTING for part in parts):
        raise RuntimeError("a backend of which it is not known that it counts")
    return sum(part._get_sequence_number_for_group() for part in {id(part): part for part in parts}.values())


def _tensors(value: Any, depth: int) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif depth and isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one, depth - 1)
