"""What became of autograd graphs, and which gradients they never carried."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class KeptGraphFacts:
    """Losses backwarded at one line in earlier steps whose graphs are still alive."""

    backward: Site | None
    num_steps: int = 0  # earlier steps that made them
    num_in_a_row: int = 0  # the longest run of consecutive ones among these
    whole: bool = True  # the losses themselves, or only a part of their graphs
    bounded: bool = False  # what holds them has a fixed size, as `deque(maxlen=...)`
    site: Site | None = None  # the statement that keeps them, where the source shows it


@frozen
class GraphFacts:
    """The graphs behind the losses of a step. What takes a walk is known on some steps only, and None on others."""

    num_nodes: int | None = None  # of the largest graph
    num_spanned_steps: int | None = None  # earlier steps that made nodes of it
    reused: bool | None = None  # a backward went through nodes that an earlier backward had kept
    num_grad_calls: int = 0  # calls of `torch.autograd.grad` in the run so far, at least
    own_optimizer: bool = False  # the optimizer that steps is not one of torch
    kept: tuple[KeptGraphFacts, ...] = ()


@frozen
class CheckpointFacts:
    """A re-entrant activation checkpoint none of whose inputs required a gradient."""

    site: Site | None
    params: tuple[str, ...] = ()  # a few trainable parameters of this optimizer that ran inside, for messages
    num_params: int = 0
    num_without_gradient: int = 0  # of these, how many the step finds without one


@frozen
class DirectForwardFacts:
    """User code outside any module called `forward` of a module, not the module."""

    site: Site | None
    model: str  # class name
    hooks: tuple[str, ...] = ()  # what the call bypassed


@frozen
class UntrainedFacts:
    """Trainable parameters of an optimizer that never got a gradient in the run, for one common reason."""

    optimizer: int
    num_steps: int = 0  # of this optimizer so far
    params: tuple[str, ...] = ()  # a few names, for messages
    num_params: int = 0
    num_trained: int = 0  # other parameters of the same optimizer that did get gradients
    fate: str = (
        ""  # "cut": reached the loss without a gradient; "unused": not in forward; "dead-end": never in the loss
    )
    cut_by: str = ""  # "detach", "data", "numpy", "no_grad", "copy", "checkpoint", or the name of the operation
    conditional: bool = False  # the cut stands in a branch: the program can choose
    moved: bool = False  # something else than the optimizer changes the values
    site: Site | None = None  # the line of the cut


@frozen
class GradcheckFacts:
    """A custom autograd function, its backward compared with finite differences."""

    function: str
    verdict: str  # "right", "wrong" or "unchecked"
    site: Site | None = None  # in its backward
    why: str = ""  # it was not checked
    wrong_input: int = 0  # counts the inputs of `apply` from 0
    analytic: float = 0.0  # the element that is furthest off: by its backward,
    numeric: float = 0.0  # and by finite differences
    num_wrong: int = 0
    num_compared: int = 0  # elements of this input


@frozen
class MixedFacts:
    """A prediction that is computed from other samples of its batch."""

    site: Site | None  # the call that computed the loss
    kind: str = ""  # of the loss
    cause: str = ""  # "view": it deals samples out anew; "time", "attention", "softmax": what runs over the batch
    sample: int = 0  # whose prediction was looked at
    others: tuple[int, ...] = ()  # samples that it is computed from, the first of them
    num_others: int = 0
    before: tuple[int, ...] = ()  # the shape that was viewed
    after: tuple[int, ...] = ()  # and what it was viewed as


@frozen
class MovedFacts:
    """A view on the way to the loss after which a dimension has its size, and lies elsewhere."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    size: int = 0  # of that dimension
    site: Site | None = None  # of the view's call; of the backward where that was not heard


@frozen
class ZeroGradientFacts:
    """Gradients that backward computed and that were exactly 0 in each of an optimizer's steps so far."""

    kind: str  # "every" gradient; "stepwise", "closed", "direction" and "recurrence": those of some parameters
    num_steps: int = 0
    params: tuple[str, ...] = ()  # a few names, for messages
    num_params: int = 0
    ended_in: str = ""  # the operation that was given a gradient and passed on nothing but zeros, where it was found
    module: str = ""  # the bidirectional layer
    direction: str = ""  # "forward" or "reverse"
    site: Site | None = None  # the call of the layer, or of a softmax over one score


@frozen
class DeadTermFacts:
    """An addend of the loss that was computed from trained parameters, and that no gradient goes through."""

    cut_by: str  # "no_grad", "numpy", "copy", "data", or the operation without a derivative
    site: Site | None = None  # where the gradient ends
    values: tuple[float, ...] = ()  # of the addend, in the windows in which it was followed; their means
    is_of_prediction: bool = False  # a value that has a gradient went through a module under `no_grad`


@frozen
class LiveTargetFacts:
    """A value that a loss takes for given and that carries a gradient, used by this step as by earlier ones."""

    kind: str  # "target": constant + discount * prediction; "advantage": the factor of a log-probability
    num_windows: int = 0  # in which it was seen
    discount: float = 0.0
    params: tuple[str, ...] = ()  # a few that the gradient goes to, for messages
    num_params: int = 0
    site: Site | None = None  # of the loss
