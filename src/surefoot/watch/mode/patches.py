"""Wrappers of what train and eval mode change: `Module.train`, dropout, batch-norm, recurrent layers.

They are put on the few classes and functions that matter, so that a model without them pays nothing. A program that
is being compiled sees the original call only, and TorchScript, which reads source code, the original itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import is_grad_enabled, nn
from torch.compiler import is_compiling
from torch.nn.modules.batchnorm import _BatchNorm

from surefoot.watch.inventory.module import is_training, modules_of
from surefoot.watch.mode.layer_watch import LayerWatch
from surefoot.watch.tap import Function

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

_DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d")  # draw unless told otherwise
_ALPHA_DROPOUTS = ("alpha_dropout", "feature_alpha_dropout")  # draw only when told to
_SDPA_DROPOUT_P = 4  # its place among the arguments


def patch_all(recorder: Recorder, layers: LayerWatch) -> None:
    wrap = recorder.tap.replace
    wrap(nn.Module, "train", lambda original: _train(original, recorder, layers))
    for norm in (_BatchNorm, nn.SyncBatchNorm):
        wrap(norm, "forward", lambda original: _batchnorm(original, recorder, layers))
    for recurrent in (nn.RNN, nn.LSTM, nn.GRU):
        wrap(recurrent, "forward", lambda original: _recurrent(original, recorder, layers))
    for name in _DROPOUTS:
        wrap(F, name, lambda original: _dropout(original, recorder, layers, default=True))
    for name in _ALPHA_DROPOUTS:
        wrap(F, name, lambda original: _dropout(original, recorder, layers, default=False))
    wrap(F, "scaled_dot_product_attention", lambda original: _attention(original, recorder, layers))
    wrap(torch.jit, "script", lambda original: _script(original, recorder))


def _train(original: Function, recorder: Recorder, layers: LayerWatch) -> Function:
    nested = False  # `train` calls itself on every child

    def train(self: Any, mode: bool = True) -> Any:
        nonlocal nested
        if nested or is_compiling():
            return original(self, mode)
        was_training = is_training(self)
        is_news = not (mode and was_training and all(map(is_training, modules_of(self))))  # many call it at every step
        nested = True
        try:
            result = original(self, mode)
        finally:
            nested = False
        if is_news:
            recorder.tap.run("mode", layers.switched, self, mode, was_training)
        return result

    return train


def _batchnorm(original: Function, recorder: Recorder, layers: LayerWatch) -> Function:
    def forward(self: Any, input: Any) -> Any:  # noqa: A002
        if not is_compiling():
            if is_grad_enabled():
                if layers.switches.graphs_matter or (self.training and not layers.batchnorms.passes(self, input)):
                    recorder.tap.run("mode", layers.batchnorm, self, input)
            elif self.training:
                recorder.tap.run("mode", layers.batchnorm, self, input)
        return original(self, input)

    return forward


def _recurrent(original: Function, recorder: Recorder, layers: LayerWatch) -> Function:
    def forward(self: Any, input: Any, hx: Any = None) -> Any:  # noqa: A002
        if not is_compiling() and self.dropout and layers.is_curious(active=self.training):
            recorder.tap.run("mode", layers.recurrent, self, input)
        return original(self, input, hx)

    return forward


def _dropout(original: Function, recorder: Recorder, layers: LayerWatch, *, default: bool) -> Function:
    def dropout(input: Any, p: Any = 0.5, training: Any = ..., inplace: bool = False) -> Any:  # noqa: A002
        draws = default if training is ... else training
        if not is_compiling() and p and layers.is_curious(active=draws):
            recorder.tap.run("mode", layers.dropout, input, bool(draws), training is ...)
        return original(input, p, draws, inplace)

    return dropout


def _attention(original: Function, recorder: Recorder, layers: LayerWatch) -> Function:
    def scaled_dot_product_attention(*args: Any, **kwargs: Any) -> Any:
        if not is_compiling():
            p = args[_SDPA_DROPOUT_P] if len(args) > _SDPA_DROPOUT_P else kwargs.get("dropout_p")
            if p and layers.is_curious(active=True):
                recorder.tap.run("mode", layers.dropout, args[0] if args else None, True, True)
        return original(*args, **kwargs)

    return scaled_dot_product_attention


def _script(original: Function, recorder: Recorder) -> Function:
    def script(obj: Any, optimize: Any = None, _frames_up: int = 0, *args: Any, **kwargs: Any) -> Any:
        # It looks names up in its caller's frame, which lies one further away now.
        with recorder.tap.suspended():
            return original(obj, optimize, _frames_up + 1, *args, **kwargs)

    return script
