"""The events between two steps, in the order in which they happened.

Every event carries `at`, its place on one clock that counts all events of the process.
"""

from surefoot.facts.finite import BirthFacts
from surefoot.facts.frozen import frozen
from surefoot.facts.loss import LossFacts
from surefoot.facts.site import Site


@frozen
class BackwardFacts:
    """One backward pass."""

    at: int
    ordinal: int  # counts backwards; GradientFacts name them by it
    site: Site | None = None
    loss: LossFacts | None = None
    value: float | None = None  # the loss, where it is a scalar
    root: int = 0  # identifies the node at the root of the graph: equal roots, same loss value
    retain_graph: bool = False
    create_graph: bool = False
    under_autocast: bool = False
    autocast_dtype: str = ""  # of the training forward, "" if none
    scaled_by: int | None = None  # id of the GradScaler whose `scale()` made the loss
    reached: tuple[tuple[int, int], ...] = ()  # (optimizer id, number of its parameters reached)
    num_unowned: int = 0  # parameters reached that no optimizer holds
    num_tensors: int = 1  # how many roots were backwarded at once
    inside_step: int | None = None  # optimizer id, when a closure called it
    birth: BirthFacts | None = None  # of a loss that is not finite
    again: tuple[int, ...] = ()  # ordinals of earlier backwards whose losses are added up in this one
    given: float | None = 1.0  # the gradient it began with, a part of the loss's factor; None if that is not one number


@frozen
class ClearFacts:
    """A call that clears gradients: `zero_grad` of an optimizer or a module."""

    at: int
    site: Site | None = None
    optimizer: int | None = None  # None when a module cleared
    model: str = ""
    set_to_none: bool = True
    inside_step: int | None = None  # optimizer id, when a closure called it


@frozen
class OtherStepFacts:
    """A step of another optimizer, seen from the one whose step is recorded."""

    at: int
    index: int
    optimizer: int
    site: Site | None = None
    skipped: bool = False


@frozen
class EpochEdgeFacts:
    """A DataLoader starts, has run out or was left."""

    at: int
    loader: int
    edge: str  # "start" or "end"
    epoch: int  # counts the starts of this loader from 1
    site: Site | None = None  # where the pass was started
    complete: bool = True  # at its end: ran out, rather than left by `break`
    num_batches: int = 0  # at its end
    num_backwards: int = 0  # at its end: in the whole process, while it ran
    num_steps: int = 0
    length: int | None = None  # batches of a whole pass, where that is known beforehand
