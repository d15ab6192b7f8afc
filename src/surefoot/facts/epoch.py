"""One pass over a DataLoader."""

from surefoot.facts.data import FeedFacts
from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class EpochFacts:
    """Written when a loader has run out, or was left before its end.

    Passes like the one before are not all written down once a loader has been through many: `epoch` counts them all.
    """

    at: int
    loader: int
    epoch: int  # counts this loader's passes from 1
    site: Site | None = None  # where the pass was started
    complete: bool = True  # ran out, rather than left by `break`
    num_batches: int = 0
    num_backwards: int = 0  # in the whole process, while it ran; none in an evaluation loader
    num_steps: int = 0
    length: int | None = None  # batches of a whole pass, where that is known beforehand
    started: int = 0  # `at` of the EpochEdgeFacts that began it
    feed: FeedFacts | None = None  # what it gave
    seconds: float = 0.0  # from its first batch to its end
    wait_seconds: float = 0.0  # of these, how long the program waited for the loader
    num_workers: int = 0
    step: int = 0  # counts the steps of all optimizers up to its end
    version: int = 1
