"""What a model scores on data that it is not trained on, as far as the program computes it."""

import re

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site

OTHER_DATA = {"val", "valid", "validation", "dev", "eval", "evaluation", "test", "heldout", "holdout"}
LOSS = {"loss", "nll", "mse", "mae", "crossentropy", "bce", "perplexity", "ppl"}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def is_validation_loss(name: str) -> bool:
    """Whether a series of that name is a loss on data that is not trained on."""
    words = {word.lower() for word in _WORD.findall(name)}
    return not words.isdisjoint(OTHER_DATA) and not words.isdisjoint(LOSS)


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
