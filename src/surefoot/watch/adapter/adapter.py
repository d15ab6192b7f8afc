"""What an optimizer of another library looks like to the recorder, and how such libraries are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from torch import Tensor
from torch.optim import Optimizer

Groups = Sequence[Mapping[str, Any]]  # as torch has them: `params`, and `lr` if it is known


class OptimizerAdapter(Optimizer):
    """Has the parameters and rates of an optimizer that is none of torch's; never steps itself."""

    def __init__(self, groups: Groups) -> None:
        super().__init__([dict(group) for group in groups], {})

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        raise NotImplementedError("the optimizer that it stands for steps")

    def take(self, groups: Groups) -> None:
        """What the other one holds now."""
        for mine, theirs in zip(self.param_groups, groups, strict=True):
            mine.update(theirs)


class NotSeenError(Exception):
    """A step that can't be watched, and why, as the end of "40 steps of Adam were not watched: ..."."""


NO_PARAMETERS = "it had no parameters so far"


class Library(Protocol):
    """How a library's optimizers are read."""

    name: str

    def groups(self, optimizer: Any) -> Groups:
        """Of an optimizer. Raises NotSeenError while it has no parameters."""

    def check(self, optimizer: Any, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        """Raise NotSeenError if a step that is called so does not use the gradients in `.grad`."""


class EntryPoint(NamedTuple):
    """Where a library is entered: a class of a module, the method that steps, and what makes an optimizer known."""

    module: str
    owner: str
    step: str
    made: str
    clear: str = ""  # clears gradients


def adapter_for(kind: str, groups: Groups) -> OptimizerAdapter:
    """Named as the class that it stands for, since findings and settings name it."""
    made = type(kind, (OptimizerAdapter,), {"__module__": __name__})(groups)
    assert isinstance(made, OptimizerAdapter)
    return made


def parameters(values: Sequence[Any]) -> list[Tensor]:
    return [value for value in values if isinstance(value, Tensor)]
