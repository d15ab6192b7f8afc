"""A call of `clip_grad_norm_`, `clip_grads_with_norm_` or `clip_grad_value_`."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class ClipFacts:
    at: int
    site: Site | None = None
    kind: str = "norm"  # "norm" or "value"
    max_norm: float = 0.0  # or the clip value
    norm: float | None = None  # the total norm that clipping computed
    num_params: int = 0  # parameters passed
    num_gradients: int = 0  # of these, how many had a gradient
    num_live: int = 0  # of these, how many came from a backward, or by hand, since they were last cleared
    num_fresh: int = 0  # of these, how many no step had used, or attempted to use, before
    optimizers: tuple[int, ...] = ()  # whose parameters were passed
    sources: tuple[int, ...] = ()  # backwards in the clipped gradients
    used_by: tuple[int, ...] = ()  # steps that had used them before
    scale: float = 1.0  # the GradScaler's scale still in the gradients
    edited: bool = False  # the program had changed some of them in place, or written them itself
    used_up: bool = False  # the parameters came from an iterator that was exhausted before
    akin: tuple[int, ...] = ()  # optimizers whose parameters a model holds together with these; told if none is fresh
    inside_step: int | None = None  # optimizer id, when a closure called it
