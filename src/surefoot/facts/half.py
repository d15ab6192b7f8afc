"""What half precision loses: gradients that underflow, updates that vanish in rounding. Measured on sampled steps."""

from surefoot.facts.frozen import frozen


@frozen
class UnderflowFacts:
    """Gradients of a backward that went through fp16 without a GradScaler.

    `num_cast` and `num_flushed` are counted where a gradient is cast down to fp16. Matrices are judged by what is left
    of their gradient: many zeros, rows and columns that are idle as a whole aside, and the rest next to zero.
    """

    weights: bool = False  # fp16 weights; else fp16 autocast
    num_cast: int = 0  # elements that were not zero before the cast
    num_flushed: int = 0  # of these, how many are zero after it
    num_matrices: int = 0  # weights of two and more dimensions
    num_sunk: int = 0  # of these, how many have a gradient that underflows
    params: tuple[str, ...] = ()  # some of these


@frozen
class LostUpdateFacts:
    """What an earlier step of this optimizer did to a sample of its half-precision weights."""

    dtype: str = "bfloat16"
    num_checked: int = 0  # elements whose gradient was not zero
    num_unchanged: int = 0  # of these, how many kept their value
    lr: float = 0.0  # the largest of the rates then
    update: int = 0  # which of the optimizer's steps it was
    params: tuple[str, ...] = ()
    weight_decay: float = 0.0  # the largest that multiplies these weights, apart from the gradient
    num_decayed: int = 0  # elements other than zero that it multiplies
    num_undecayed: int = 0  # of these, how many it leaves as they are, because the product is rounded
