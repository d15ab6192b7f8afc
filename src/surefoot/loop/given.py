"""What programs hand to a loop by mistake: refused with a line that says what to pass."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer, lr_scheduler


def refuse_loss(loss: Any) -> NoReturn:
    """For a loss that backward() can't begin at."""
    if isinstance(loss, Tensor) and loss.numel() != 1:
        raise ValueError(
            f"a loss must be one number, got a tensor of shape {tuple(loss.shape)}. Take its mean, loss.mean(), "
            'or leave out reduction="none".'
        )
    if isinstance(loss, Tensor) and loss.is_complex():
        raise ValueError("a loss must be a real number, got a complex one. Take its real part or its size: loss.abs().")
    if isinstance(loss, Tensor):
        raise ValueError(
            "the loss depends on no parameter: it was detached, made a number and back, or computed under "
            "torch.no_grad(). Pass it as the loss function returns it."
        )
    raise TypeError(
        f"a loss must be a tensor of one number, got {type(loss).__name__}. Pass what the loss function returns."
    )


def refuse_closed(num_backwards: int) -> NoReturn:
    """For a backward outside of its step."""
    if num_backwards:
        raise RuntimeError("this step has ended, and its gradients are counted: call loop.step() for each micro-batch.")
    raise RuntimeError(
        "backward() belongs inside the step: write `with loop.step() as step:`, and step.backward(loss) inside it."
    )


def refuse_nested(open_step: object) -> NoReturn:
    """For a step that is entered twice, or inside another one of the same optimizer."""
    if open_step is None:
        raise RuntimeError("this step has ended: call loop.step() for each micro-batch.")
    raise RuntimeError(
        "a step of this optimizer is open already: each micro-batch has one. Call step.backward() several times in it "
        "for several losses, or end it first."
    )


def refuse_nested_batches() -> NoReturn:
    raise RuntimeError(
        "batches() was called inside a loop over batches(): a loop draws from one loader at a time. Inside, iterate "
        "over a second loader directly, or call loop.evaluate()."
    )


def refuse_sparse(gradients: Iterable[Tensor]) -> None:
    if any(gradient.layout != torch.strided for gradient in gradients):
        raise ValueError(
            "a gradient is sparse, and its norm, its sum over ranks and its limits are not computed here. Make the "
            "embedding with sparse=False, and use an optimizer for dense gradients."
        )


def refuse_own_batches() -> NoReturn:
    raise RuntimeError(
        "resume() knows where the data stood, and loop.batches(loader) goes on there: draw batches from it. With your "
        "own batches the data would start over."
    )


def check_loss_function(given: Any) -> None:
    if not callable(given):
        raise TypeError(
            f"loss_fn must be a function of outputs and targets, such as torch.nn.CrossEntropyLoss(), got "
            f"{type(given).__name__}."
        )


def check_not_swapped(loader: Any, loss_fn: Any) -> None:
    """For functions that take a loader and then a loss."""
    if isinstance(loader, Module) and not hasattr(loader, "__iter__"):
        raise TypeError(
            f"the loader comes before loss_fn: got the module {type(loader).__name__} where batches are expected."
        )
    check_loss_function(loss_fn)


def check_model_and_optimizer(model: Any, optimizer: Any) -> None:
    if isinstance(model, Optimizer):
        swapped = " They are swapped" if isinstance(optimizer, Module) else " The model comes first"
        raise TypeError(
            f"the model must be a torch module, got {type(model).__name__}.{swapped}: sf.Loop(model, optimizer)."
        )
    if isinstance(optimizer, type) and issubclass(optimizer, Optimizer):
        name = optimizer.__name__
        raise TypeError(f"the optimizer must be made first: {name}(model.parameters(), lr=0.1), got the class {name}.")


def check_scheduler(scheduler: Any) -> None:
    if isinstance(scheduler, str):
        near = difflib.get_close_matches(scheduler.lower(), [name.lower() for name in lr_scheduler.__all__], 1, 0.4)
        name = next((known for known in lr_scheduler.__all__ if known.lower() in near), "CosineAnnealingLR")
        raise TypeError(
            f"scheduler must be an object made from the optimizer, such as "
            f"torch.optim.lr_scheduler.{name}(optimizer, …), got {scheduler!r}."
        )
    if isinstance(scheduler, Optimizer):
        raise TypeError(f"scheduler must be a learning-rate scheduler, got the optimizer {type(scheduler).__name__}.")
