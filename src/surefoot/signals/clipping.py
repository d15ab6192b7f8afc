"""Keep what gradient clipping computes anyway: the norm of each gradient, their total and the limit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling
from torch.nn.utils import clip_grad

from surefoot.signals.tensors import is_readable, local
from surefoot.watch.probe import Probe
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

Limits = list[tuple[Any, Any]]  # of each clip the limit and the total norm, which may lie on a device


class NormListener:
    """Keeps the norms that are computed inside the block. A torch function mode would, too, at a higher cost."""

    def __init__(self, norms: dict[int, tuple[Tensor, Tensor]]) -> None:
        self._norms = norms

    def __enter__(self) -> None:
        self._original = torch._foreach_norm
        torch._foreach_norm = self._foreach_norm  # type: ignore[assignment]

    def __exit__(self, *error: object) -> None:
        torch._foreach_norm = self._original

    def _foreach_norm(self, tensors: Any, ord: Any = 2, *args: Any, **kwargs: Any) -> Any:  # noqa: A002
        result = self._original(tensors, ord, *args, **kwargs)
        if ord == 2.0:
            for grad, norm in zip(tensors, result, strict=True):
                self._norms.setdefault(id(grad), (grad, norm))
        return result


class ClippingProbe(Probe):
    """Listens in sampled windows only.

    The first norm of a gradient is kept: the one before any clipping.
    """

    name = "clipping"

    def __init__(self) -> None:
        self.is_listening = True
        self._norms: dict[int, tuple[Tensor, Tensor]] = {}  # by id of the gradient, which is kept so that it stays its
        self._limits: Limits = []
        self._num_backwards = 0  # when the last of them was kept

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        for owner, name in ((clip_grad, "_get_total_norm"), (torch.nn.utils, "get_total_norm")):
            if hasattr(owner, name):
                recorder.tap.replace(owner, name, self._make_norm)
        self.listen(wanted=True)
        recorder.tap.on_removal(self.forget)

    def _make_norm(self, original: Function) -> Function:
        probe = self

        def get_total_norm(*args: Any, **kwargs: Any) -> Any:
            if not probe.is_listening or is_dynamo_compiling():
                return original(*args, **kwargs)
            probe._notice_window()
            with NormListener(probe._norms):
                return original(*args, **kwargs)

        return get_total_norm

    def _clips(self, limit: float, norm: Any) -> None:
        self._notice_window()
        self._limits.append((limit, norm))

    def listen(self, *, wanted: bool) -> None:
        self.is_listening = wanted
        self._recorder.on_clip[:] = [self._clips] if wanted else []
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
        """What was kept before the last backward is of another window, such as one that a GradScaler skipped."""
        if self._num_backwards != self._recorder.num_backwards:
            self._num_backwards = self._recorder.num_backwards
            self.forget()

    @property
    def norms(self) -> dict[int, Tensor]:
        """By id of a gradient that is alive."""
        parts = {key: local(norm) for key, (_, norm) in self._norms.items()}
        return {key: norm for key, norm in parts.items() if is_readable(norm)}

    @property
    def limits(self) -> Limits:
        return list(self._limits)


def clip_factor(limits: Limits) -> float:
    """What gradients were multiplied by; of several clips the smallest. A norm spread over ranks can't be read."""
    known = [(limit, total) for limit, total in limits if type(total) in (Tensor, float)]
    return min([1.0, *(float(limit) / (float(total) + 1e-6) for limit, total in known)])  # as torch has it
