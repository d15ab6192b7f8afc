"""Keep what gradient clipping computes anyway: the norm of each gradient, their total and the limit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn.utils import clip_grad

from surefoot.watch.patch import Function
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder


Kept = float | Tensor  # a number that may lie on a device


class Ear:
    """Hears the norms that are computed inside the block. A torch function mode would, too, at a higher cost."""

    def __init__(self, norms: dict[int, tuple[Tensor, Tensor]]) -> None:
        self._norms = norms

    def __enter__(self) -> None:
        self._original = torch._foreach_norm
        torch._foreach_norm = self._hear  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        torch._foreach_norm = self._original

    def _hear(self, tensors: Any, ord: Any = 2, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        result = self._original(tensors, ord, *args, **kwargs)
        if ord == 2.0:
            for grad, norm in zip(tensors, result, strict=True):
                self._norms.setdefault(id(grad), (grad, norm))
        return result


class ClippingProbe(Probe):
    """Listens in sampled windows only. Its wrappers lie below those of `watch/clip.py`, whose frames count.

    The first norm of a gradient is kept: the one before any clipping.
    """

    name = "clipping"

    def __init__(self) -> None:
        self.is_listening = True
        self._norms: dict[int, tuple[Tensor, Tensor]] = {}  # by id of the gradient, which is kept so that it stays its
        self._limits: list[tuple[Any, Any]] = []
        self._num_backwards = 0  # when the last of them was heard

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        for owner, name in ((clip_grad, "_get_total_norm"), (torch.nn.utils, "get_total_norm")):
            if hasattr(owner, name):
                recorder.patches.wrap(owner, name, self._make_norm)
        for owner, name in ((clip_grad, "_clip_grads_with_norm_"), (torch.nn.utils, "clip_grads_with_norm_")):
            if hasattr(owner, name):
                recorder.patches.wrap(owner, name, self._make_clip)
        recorder.patches.on_removal(self.forget)

    def _make_norm(self, original: Function) -> Function:
        probe = self

        def get_total_norm(*args: Any, **kwargs: Any) -> Any:
            if not probe.is_listening or is_dynamo_compiling():
                return original(*args, **kwargs)
            probe._notice_window()
            with Ear(probe._norms):
                return original(*args, **kwargs)

        return get_total_norm

    def _make_clip(self, original: Function) -> Function:
        probe = self

        def clip_grads_with_norm_(parameters: Any, max_norm: Any, total_norm: Any, foreach: Any = None) -> Any:
            if probe.is_listening and not is_dynamo_compiling():
                probe._notice_window()
                probe._limits.append((max_norm, total_norm))
            return original(parameters, max_norm, total_norm, foreach)

        return clip_grads_with_norm_

    def listen(self, *, wanted: bool) -> None:
        self.is_listening = wanted
        if not wanted:
            self.forget()

    def forget(self) -> None:
        self._norms.clear()
        self._limits.clear()

    def drop(self, params: Iterable[Tensor]) -> None:
        """Their step was taken: do not keep their gradients alive. Those of others may be clipped already."""
        for param in params:
            self._norms.pop(id(param.grad), None)

    def _notice_window(self) -> None:
        """What was heard before the last backward is of another window, such as one that a GradScaler skipped."""
        if self._num_backwards != self._recorder.num_backwards:
            self._num_backwards = self._recorder.num_backwards
            self.forget()

    @property
    def norms(self) -> dict[int, Tensor]:
        """By id of a gradient that is alive."""
        norms = self._norms.items()
        return {key: norm if type(norm) is Tensor else getattr(norm, "_local_tensor", norm) for key, (_, norm) in norms}

    def limits(self) -> list[tuple[Kept, Kept]]:
        """Of each clip the limit and the total norm."""
        found = [pair for pair in self._limits if type(pair[1]) in (Tensor, float)]  # else it is spread over ranks
        return [(kept(limit), kept(total)) for limit, total in found]


def factor(limits: Iterable[tuple[Kept, Kept]]) -> float:
    """What gradients were multiplied by; of several clips the smallest."""
    return min([1.0, *(float(limit) / (float(total) + 1e-6) for limit, total in limits)])  # as torch has it


def kept(number: Any) -> Kept:
    """As it is now, whatever becomes of it; a copy on its device where reading it would make the program wait."""
    if isinstance(number, Tensor) and not number.is_cpu:
        return number.detach().clone()
    return float(number)
