"""The fingerprint of a loss, read off the autograd graph at its root."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class OpFacts:
    """An operation on the way from the loss back to the model."""

    name: str  # of its node, without "Backward0"
    shape: tuple[int, ...] = ()  # of its result
    dim: int | None = None  # over which a softmax runs
    through: tuple[str, ...] = ()  # reshapes, casts and clamps between it and the operation before it in the list


@frozen
class InputFacts:
    """What a loss function was given as prediction, looked at now and then."""

    shape: tuple[int, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    is_log_probability: bool | None = None  # its exponentials sum to one over the classes
    is_probability: bool | None = None  # it sums to one over the classes itself


@frozen
class TargetFacts:
    """What a loss function was given as target, looked at now and then."""

    shape: tuple[int, ...] = ()
    dtype: str = ""
    lowest: float | None = None
    highest: float | None = None
    num_distinct: int | None = None
    is_whole: bool = False  # no fractions
    is_same_in_row: bool = False  # one value for all of a sample's outputs
    counts_up: bool = False  # 0, 1, 2, …: the sample's own index
    is_distribution: bool = False  # each sample's sum to one, as one-hot targets do; each output's do not


@frozen
class LossFacts:
    """What kind of loss was backwarded, what it averages over and what multiplies it.

    `factor` is the product of the constants at the root: the user's 1/k, and `gradient=`. A loss that adds up
    several has `terms`; its own `kind`, `reduction`, `factor` and `num_items` are then what the terms share.
    """

    chain: tuple[str, ...] = ()  # node names from the root downwards, without "Backward0"
    kind: str = ""  # "cross-entropy", "nll", "bce-with-logits", "bce", "mse", "l1", "kl", "mean", …; "" unknown
    reduction: str = ""  # "mean", "sum", "none"; "" unknown
    factor: float | None = 1.0  # None: multiplied by something that is no constant
    num_items: int | None = None  # what a mean is taken over: valid targets, elements
    num_classes: int | None = None
    site: Site | None = None  # the call that computed the loss
    terms: tuple["LossFacts", ...] = ()  # the different losses that were added up, if there are several
    num_terms: int = 1  # how many were added up, equal ones counted
    num_valid: int | None = None  # targets that are not the ignored index
    num_kept: int | None = None  # elements that a mask of zeros and ones, multiplied into the loss, leaves
    drops_ends: bool = False  # what that mask drops are the ends or the beginnings of rows
    late_mask: tuple[int, int] | None = None  # elements kept, and all, of a mask multiplied into an averaged loss
    fed_by: tuple[OpFacts, ...] = ()  # the operations that made the prediction, the last one first
    broadcast: tuple[tuple[int, ...], ...] = ()  # shapes of prediction, target and both, when each was expanded
    weighed: tuple[tuple[int, ...], ...] = ()  # shapes of losses, of weights and of both, when each was expanded
    class_dim: int | None = None  # along which a loss that is written out picks the classes, where that is certain
    is_weighted: bool = False  # by class weights
    label_smoothing: float = 0.0
    is_pretrained: bool = False  # weights were loaded into some module before
    input: InputFacts | None = None
    target: TargetFacts | None = None
    bad: tuple[str, ...] = ()  # "input", "target": what holds NaN or Inf, looked at when the loss does

    @property
    def parts(self) -> tuple["LossFacts", ...]:
        """The terms; the loss itself if it is only one."""
        return self.terms or (self,)

    @property
    def item_weight(self) -> float | None:
        """How much one item counts in this backward: equal for all micro-batches of a well-weighted window."""
        if self.factor is None or self.reduction == "":
            return None
        if self.reduction != "mean":
            return self.factor
        return self.factor / self.num_items if self.num_items else None
