"""What a model scores on data that it is not trained on, as far as the program computes it."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class ValidationFacts:
    """Losses computed without gradients at one place between two steps, or one that the program has logged.

    Later ones of a series stand for several such phases: `phase` counts them all.
    """

    at: int
    index: int  # steps of all optimizers taken before it
    series: int  # of one place and loader, or of one name
    loss: float  # mean
    phase: int = 1  # counts those of the series from 1
    num_losses: int = 1  # over which the mean is taken
    kind: str = ""  # of torch's function that computed it, as in LossFacts; "" if it was logged
    name: str = ""  # by which the program logged it
    site: Site | None = None  # where it was computed, or logged
    train_loss: float | None = None  # mean of those heard since the last one of the series
    train_kinds: tuple[str, ...] = ()  # of the last backward's loss, part by part
    num_optimizers: int = 1
    loader: int = 0  # that was read meanwhile; 0 if none was
    version: int = 1
