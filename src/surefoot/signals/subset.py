"""Which elements of a tensor are read: all of a small one, fixed blocks spread over a big one.

Reading every weight before and after every update would cost several per cent of a step. The blocks are the same at
every step, so that differences between steps are exact for the elements read; sums are scaled up.
"""

from collections.abc import Sequence

from torch import Tensor

WHOLE = 16384  # elements up to which a tensor is read in full
BLOCKS, LENGTH = 32, 128  # of a bigger one


class Subset:
    """The elements of one tensor that are read, and of others of its shape."""

    def __init__(self, part: Tensor) -> None:
        self.shape = part.shape
        self.num_elements = part.numel()
        strides = part.stride()
        self._order = sorted(range(part.ndim), key=lambda dim: -strides[dim])  # as it lies in memory
        self._is_plain = self._order == list(range(part.ndim))
        self._is_whole = self.num_elements <= WHOLE
        self.view_shape: Sequence[int] = (self.num_elements,) if self._is_whole else (BLOCKS, LENGTH)
        self.size = self.num_elements if self._is_whole else BLOCKS * LENGTH
        self.weight = self.num_elements / self.size  # how many elements each of those read stands for
        spacing = max(1, (self.num_elements - LENGTH) // (BLOCKS - 1))
        self._strides = (spacing - (spacing % 2 == 0), 1)  # odd: the blocks do not all begin in the same column

    def of(self, part: Tensor) -> Tensor:
        """A view where the memory allows it."""
        if not self._is_plain:
            part = part.permute(self._order)
        if self._is_whole or not part.is_contiguous():
            part = part.reshape(-1)
        return part if self._is_whole else part.as_strided(self.view_shape, self._strides, part.storage_offset())
