"""What lay in `.grad` when an optimizer stepped, and where it came from."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class GradientFacts:
    """Parameters that share one provenance: the same backwards, the same earlier uses.

    Backwards and steps are named by their ordinals (`BackwardFacts.ordinal`, `StepFacts.index`).
    """

    params: tuple[str, ...]  # a few names, for messages
    num_params: int
    num_elements: int = 0
    present: bool = True  # `.grad` is not None at the step
    sources: tuple[int, ...] = ()  # backwards summed into it since it was last cleared
    used_by: tuple[int, ...] = ()  # this optimizer's steps that already used it since it was last cleared
    used_by_others: tuple[int, ...] = ()  # steps of other optimizers, likewise
    discarded: tuple[int, ...] = ()  # backwards cleared unused since this optimizer's previous step
    cleared_by: int | None = None  # `at` of the ClearFacts that discarded them, if that call was seen
    by_hand: bool = False  # the program put it there itself, outside backward
    edited: bool = False  # the program changed it in place between backward and step: scaled, clamped
    requires_grad: bool = True


@frozen
class StalenessFacts:
    """The gradient a step used, old parts included, against the fresh part alone."""

    length: float  # how many times longer
    cosine: float  # of the angle between them


@frozen
class UnsteppedFacts:
    """In a run without any step, an optimizer whose parameters got gradients and did not move."""

    optimizer: int
    kind: str  # of the optimizer
    num_backwards: int  # that reached it
    reads_gradients: bool = False  # the source reads some `.grad`, or hooks into backward
    step_call: Site | None = None  # a call of its `step()`, if the source has one
    site: Site | None = None  # of the last backward
