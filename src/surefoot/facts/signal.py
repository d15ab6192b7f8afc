"""What was measured at a sampled step: sizes of gradients, weights and updates, and what modules put out."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class ParameterSignals:
    """One parameter at one step. Sizes are Euclidean norms."""

    name: str
    num_dims: int = 1
    num_elements: int = 0
    grad_norm: float | None = None  # before clipping; None without a gradient
    norm: float = 0.0  # of the weights, before the update
    update_norm: float = 0.0
    zeros: float = 0.0  # share of the gradient that is exactly zero

    @property
    def relative_gradient(self) -> float | None:
        return self.grad_norm / self.norm if self.grad_norm is not None and self.norm > 0 else None

    @property
    def update_ratio(self) -> float | None:
        return self.update_norm / self.norm if self.norm > 0 else None


@frozen
class ActivationFacts:
    """What a module put out in the sampled window, looked at in some of its rows. A unit is a column or a channel."""

    module: str
    kind: str  # its class
    num_rows: int = 0  # samples, and their positions, that were looked at
    num_units: int = 0
    mean: float = 0.0
    spread: float = 0.0  # standard deviation
    variation: float = 0.0  # of a unit over the rows, on average, as a share of the size of the outputs
    zeros: float = 0.0
    flat: float | None = None  # share in the flat part, of functions that have one
    is_passed_on: bool = False  # the next layer takes exactly this
    fed_by: str = ""  # the layer whose output it takes
    num_dead: int = 0  # units that were never above zero and got no gradient, many samples in a row
    input_mean: float | None = None  # of the first layer that runs
    input_spread: float | None = None
    is_last: bool = False  # no other layer runs after it


@frozen
class SignalFacts:
    """A sampled step of one optimizer, told just after its update."""

    at: int
    index: int  # of the step, as in StepFacts
    optimizer: int
    update: int
    site: Site | None = None  # of the step
    params: tuple[ParameterSignals, ...] = ()
    losses: tuple[float, ...] = ()  # of the steps sampled since the last record, this one last
    grad_norm: float = 0.0  # of all gradients, before clipping
    highest_grad_norm: float = 0.0  # of the steps sampled since the last record
    clip_factor: float = 1.0
    descent: float | None = None  # gradient · update: what the loss should change by, to first order
    overshoot: float | None = None  # gradient · update before it: above zero where that went past its lowest point
    lrs: tuple[float, ...] = ()
    step_seconds: float | None = None
    activations: tuple[ActivationFacts, ...] = ()
    equal_rows: tuple[str, ...] = ()  # weights whose rows began equal, have moved with gradients and are equal still
    is_sharded: bool = False  # sizes are those of this rank's part
    in_eval: bool = False  # the model with these parameters was in eval mode
    version: int = 1

    @property
    def matrices(self) -> tuple[ParameterSignals, ...]:
        """Weights of layers with a gradient, in the order of the optimizer; no biases, no scales."""
        return tuple(p for p in self.params if p.num_dims > 1 and p.grad_norm is not None)

    @property
    def loss(self) -> float | None:
        return self.losses[-1] if self.losses else None
