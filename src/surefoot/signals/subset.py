"""Which elements of a tensor are looked at: all of a small one, fixed blocks spread over a big one.

Reading every weight before and after every update would cost several per cent of a step. The blocks are the same at
every step, so that differences between steps are exact for the elements looked at; sums are scaled up.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

WHOLE = 16384  # elements up to which a tensor is read in full
BLOCKS, LENGTH = 32, 128  # of a bigger one


def local_part(tensor: Tensor) -> Tensor:
    """What this process holds of it, outside the graph, in real numbers."""
    part: Tensor = getattr(tensor, "_local_tensor", tensor).detach()
    return torch.view_as_real(part.resolve_conj()) if part.is_complex() else part


def is_measurable(tensor: Tensor) -> bool:
    part = getattr(tensor, "_local_tensor", tensor)
    kind = part.dtype.is_complex or (part.dtype.is_floating_point and part.dtype.itemsize > 1)
    return kind and part.layout is torch.strided and not part.is_meta and part.numel() > 0


class Subset:
    """The elements of one tensor that are looked at, and of others of its shape."""

    def __init__(self, part: Tensor) -> None:
        self.shape = part.shape
        self.num_elements = part.numel()
        strides = part.stride()
        self._order = sorted(range(part.ndim), key=lambda dim: -strides[dim])  # as it lies in memory
        self._is_plain = self._order == list(range(part.ndim))
        if self.num_elements <= WHOLE:
            self.view_shape: Sequence[int] = (self.num_elements,)
        else:
            self.view_shape = (BLOCKS, LENGTH)
        spacing = max(1, (self.num_elements - LENGTH) // (BLOCKS - 1))
        self._strides = (spacing - (spacing % 2 == 0), 1)  # odd: the blocks do not all begin in the same column

    @property
    def size(self) -> int:
        return self.num_elements if len(self.view_shape) == 1 else BLOCKS * LENGTH

    @property
    def weight(self) -> float:
        """How many elements each of those looked at stands for."""
        return self.num_elements / self.size

    def of(self, part: Tensor) -> Tensor:
        """A view where the memory allows it."""
        if not self._is_plain:
            part = part.permute(self._order)
        if len(self.view_shape) == 1 or not part.is_contiguous():
            part = part.reshape(-1)
        if len(self.view_shape) == 1:
            return part
        return part.as_strided(self.view_shape, self._strides, part.storage_offset())
