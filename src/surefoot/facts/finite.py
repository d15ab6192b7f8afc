"""NaN and Inf on their way into the weights."""

from surefoot.facts.frozen import frozen


@frozen
class BirthFacts:
    """Where the first NaN or Inf came from, as far as the graph behind the loss tells for certain."""

    # "forward" or "backward": an operation made it of finite values; "input", "weight": it was there before; "mask": an
    # operation was given -inf that had been filled in; "seen": where it began is not known, its results are the first
    where: str = ""
    operation: str = ""  # as people spell it: "log"; the one that it went into, for an input
    module: str = ""  # that ran it; the parameter, for a weight; "" unknown
    after: str = ""  # the nearest module with parameters before it, where it has none itself
    before: str = ""  # and behind
    detail: str = ""  # what its inputs were like


@frozen
class NonFiniteFacts:
    """Gradients or weights that hold NaN or Inf. Parameters in the order in which backward reaches them: last first."""

    where: str = "gradients"  # or "weights"
    optimizer: int = 0
    num_bad: int = 0  # parameters
    num_checked: int = 0
    first_bad: str = ""
    last_good: str = ""  # the parameter just before the first bad one; "" when that is the first of all
    has_nan: bool = False
    has_inf: bool = False
    finite_at: int = 0  # index of the last step at which all were seen to be finite
    step: int = 0  # index of the step that applied them, when it is not the one recorded
    birth: BirthFacts | None = None  # of bad gradients of a finite loss
