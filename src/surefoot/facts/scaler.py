"""What a GradScaler did. One that is disabled is as if it were not there."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class UnscaleFacts:
    """`scaler.unscale_(optimizer)`, called by the program or by `scaler.step`."""

    at: int
    scaler: int
    optimizer: int
    site: Site | None = None
    scale: float = 1.0
    inside_step: bool = False  # `scaler.step` called it


@frozen
class ScalerFacts:
    """The scaler through which a step was taken."""

    id: int
    scale: float
    enabled: bool = True
    num_skipped_in_a_row: int = 0  # steps of this optimizer, this one included
    init_scale: float = 65536.0
