"""How many answers of a classifier are right, counted where its losses are computed: what it says and what is so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from surefoot.lab.trace.epoch import Epochs
from surefoot.watch.probe import Probe

if TYPE_CHECKING:
    from surefoot.watch.recorder import Recorder

BETWEEN = {"binary_cross_entropy_with_logits": 0.0, "binary_cross_entropy": 0.5}  # from which on an output says yes
AMONG = ("cross_entropy", "nll_loss")  # the largest output is the answer
IGNORED = -100  # torch's default


class AnswerProbe(Probe):
    name = "trace-answers"

    def __init__(self, epochs: Epochs) -> None:
        self._epochs = epochs

    def install(self, recorder: Recorder) -> None:
        self._recorder = recorder
        recorder.on_loss_call.append(self._receive)

    def _receive(self, name: str, args: Any, kwargs: Any, result: Tensor) -> None:
        given = {**dict(zip(("input", "target"), args, strict=False)), **kwargs}
        if (name in AMONG or name in BETWEEN) and "target" in given:
            ignored = kwargs.get("ignore_index", args[4] if len(args) > 4 and name in AMONG else IGNORED)
            self._count(name, given["input"], given["target"], ignored, result.requires_grad)

    def _count(self, name: str, outputs: Tensor, target: Tensor, ignored: int, is_trained: bool) -> None:
        with torch.no_grad():
            right = _right_between(outputs, target, name) if name in BETWEEN else _right_among(outputs, target, ignored)
        if right is not None and right.numel():
            site = self._recorder.sites.here()
            self._epochs.answered(site, int(right.sum()), right.numel(), self._recorder.num_steps, is_trained)


def _right_between(outputs: Tensor, target: Tensor, name: str) -> Tensor | None:
    return (outputs > BETWEEN[name]) == (target > 0.5) if outputs.shape == target.shape else None


def _right_among(outputs: Tensor, target: Tensor, ignored: int) -> Tensor:
    classes = 1 if outputs.ndim > 1 else 0
    answers = outputs.argmax(classes)
    if target.is_floating_point():  # probabilities
        return answers == target.argmax(classes)
    return (answers == target)[target != ignored]
