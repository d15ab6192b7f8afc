"""Where frameworks begin to train, and which functions they call that may be the user's, the most telling first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torch.nn import Module

Candidates = Callable[..., Iterator[Any]]  # from the arguments of the call


class EntryPoint(NamedTuple):
    module: str
    owner: str
    method: str
    candidates: Candidates


def _lightning(trainer: Any, model: Any = None, *args: Any, **given: Any) -> Iterator[Any]:
    yield type(model).training_step
    yield from _forward(model)


def _transformers(trainer: Any, *args: Any, **given: Any) -> Iterator[Any]:
    yield type(trainer).training_step
    yield type(trainer).compute_loss
    yield trainer.compute_loss_func
    yield from _forward(trainer.model)


def _ignite(engine: Any, *args: Any, **given: Any) -> Iterator[Any]:
    yield engine._process_function


def _keras(model: Any, *args: Any, **given: Any) -> Iterator[Any]:
    yield type(model).train_step
    yield type(model).compute_loss
    yield model.loss
    yield type(model).call


def _skorch(net: Any, *args: Any, **given: Any) -> Iterator[Any]:
    yield type(net).train_step_single
    yield type(net).train_step
    yield type(net).get_loss
    yield from _forward(net.module)


def _fastai(learner: Any, *args: Any, **given: Any) -> Iterator[Any]:
    yield learner.loss_func
    yield from _forward(learner.model)


def _forward(model: Any) -> Iterator[Any]:
    """Also of a module inside a wrapper of torch or a class that is not made yet."""
    yield from (
        kind.forward for kind in (model if isinstance(model, type) else type(model),) if hasattr(kind, "forward")
    )
    inner = getattr(model, "module", None)
    if isinstance(inner, Module):
        yield from _forward(inner)


ENTRY_POINTS = (
    EntryPoint("lightning.pytorch.trainer.trainer", "Trainer", "fit", _lightning),
    EntryPoint("pytorch_lightning.trainer.trainer", "Trainer", "fit", _lightning),
    EntryPoint("transformers.trainer", "Trainer", "train", _transformers),
    EntryPoint("ignite.engine.engine", "Engine", "run", _ignite),
    EntryPoint("keras.src.backend.torch.trainer", "TorchTrainer", "fit", _keras),
    EntryPoint("skorch.net", "NeuralNet", "fit", _skorch),
    EntryPoint("fastai.learner", "Learner", "fit", _fastai),
)
