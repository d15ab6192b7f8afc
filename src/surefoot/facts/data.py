"""What a pass over a DataLoader gave to the program."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class SharedGeneratorFacts:
    """A random generator of which several workers had the same copy, and from which they drew the same numbers."""

    name: str  # "dataset.rng", "numpy.random"
    kind: str = ""  # class name
    num_workers: int = 2  # that were seen to do so
    is_global: bool = False  # a library's own generator, which torch seeds in every worker


@frozen
class WorkerFacts:
    """What one worker of a loader was seen to draw from while it put its first two batches together."""

    number: int
    seed: str = ""  # of the pass, from which torch seeds each worker
    streams: tuple[tuple[str, str], ...] = ()  # names of generators, and a digest of the states they went through


@frozen
class OverlapFacts:
    """A pass without a backward, some or all samples of which are among those that the program trains on."""

    loader: int  # that was last trained on
    made: Site | None = None  # where that one was made
    length: int | None = None  # its batches
    num_samples: int = 0  # of the pass
    num_trained: int = 0  # of the loader that was trained on
    optimizers: tuple[int, ...] = ()  # that trained on it
    num_updates: int = 0  # that these have done
    num_steps: int = 0  # of all optimizers
    is_stored: bool = True  # the samples lie in memory or in a library's data set: an index always gives the same
    num_shared: int | None = None  # samples of the pass that are trained on; None: all
    is_earlier: bool = False  # they were trained on before the data set was split anew; `loader` gave them then


@frozen
class InPlaceFacts:
    """Rows of what a data set holds that were written to while a batch with them was put together."""

    name: str  # "Pictures.images"
    kind: str = ""  # class name of what holds them
    num_rows: int = 0  # that were watched
    num_changed: int = 0
    site: Site | None = None  # the line that writes to a sample, or the method that gets it


@frozen
class FeedFacts:
    """Equal marks in equal places are equal tensors; 0 is a tensor that was not looked at."""

    sampler: str = ""  # "sequential", "random", "distributed"; "" if it is none of torch's
    made: Site | None = None  # where the loader was made
    names: tuple[str, ...] = ()  # classes of the data set, variables that hold it or the loader
    shuffled_once: bool = False  # the data set is a part of another one, in no order
    num_samples: int | None = None
    num_weights: int | None = None  # samples to which a WeightedRandomSampler gives a weight; it draws no others
    num_draws: int | None = None  # that it makes in a pass, putting back what it drew
    trained: bool = False  # backwards followed upon its batches
    optimizers: tuple[int, ...] = ()  # that stepped while it ran
    marks: tuple[tuple[int, tuple[int, ...]], ...] = ()  # (number of a batch, marks of its first tensors)
    num_workers: int = 0
    num_parts: int = 1  # into which a DistributedSampler cuts the data set
    shared_generators: tuple[SharedGeneratorFacts, ...] = ()
    workers: tuple[WorkerFacts, ...] = ()  # that told, of the first passes
    called: tuple[str, ...] = ()  # variables, attributes and keys that hold the loader, functions that made it
    overlap: OverlapFacts | None = None
    in_place: InPlaceFacts | None = None


@frozen
class SameBatchFacts:
    """A batch that was taken from a loader, which was then left, and that all steps since have used.

    `num_taken` times, if the loader was started anew and gave the same batch again.
    """

    loader: int
    site: Site | None = None  # where it was taken
    length: int = 0  # batches that the loader has
    num_steps: int = 0  # since it was first taken
    num_taken: int = 1
