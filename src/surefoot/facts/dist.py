"""What several ranks do with one model."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class UnsyncedFacts:
    """Steps taken in a row on gradients that this rank had to itself.

    Nothing that could hold gradients or weights was sent to other ranks between the backward and the step, nor since
    the first of these steps. Only looked for where there are several ranks.
    """

    # "bypassed", "no-sync", "replaced", "converted", "unwrapped"; "needless" where gradients were synchronised anyway
    kind: str
    optimizer: int
    num_ranks: int
    num_steps: int = 1
    site: Site | None = None  # of the last of these steps; None for the step that tells it
    backward: Site | None = None  # whose gradients were used
    model: str = ""  # class of the module that DistributedDataParallel wraps
    backward_syncs: bool = False  # synchronising was off at the forward, and on at the backward
    is_followed: bool = False  # by a step on synchronised gradients, and nothing was sent in between
    is_partly_sent: bool = False  # an earlier micro-batch of the same window was synchronised


@frozen
class ReplicaFacts:
    """What one rank notes of a model at a fixed update, to be compared with the others.

    Of a model in DistributedDataParallel, or one without a wrapper whose gradients the program sends: then without
    marks and counts.

    All of it is from before the update. `sums` and `sizes` are of the same sampled weights, cut into a few blocks.
    """

    rank: int
    num_ranks: int
    optimizer: int
    update: int
    step: int = 0
    site: Site | None = None  # of the step
    model: str = ""  # class of the module that is wrapped; "" without a wrapper
    num_elements: int = 0  # of the replicated parameters
    checksum: int | None = None  # of the sampled weights; None where they need not be equal
    sums: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()  # sums of absolute values
    names: tuple[str, ...] = ()  # the first parameter of each block
    resolution: float = 0.0  # of the coarsest type of number among them
    marks: tuple[int, ...] = ()  # of what the forwards of the window were given
    loader: Site | None = None  # where the DataLoader was made that gave the last batch
    num_items: int | None = None  # over which the losses of the window average, if they all do so and count the same
    factor: float = 1.0  # by which each of these means is multiplied
    loss: Site | None = None  # where they are computed
    beside: "ReplicaFacts | None" = None  # of trained parameters outside of the wrapper, where nothing else is sent


@frozen
class RanksFacts:
    """The notes of all ranks that could be joined: of one machine, at the end of the run."""

    at: int
    notes: tuple[ReplicaFacts, ...] = ()
    version: int = 1

    @property
    def rounds(self) -> tuple[tuple[ReplicaFacts, ...], ...]:
        """Notes of the same update of the same optimizer by two ranks or more, in the order of updates and ranks."""
        found: dict[tuple[int, int], dict[int, ReplicaFacts]] = {}
        for note in self.notes:
            found.setdefault((note.update, note.optimizer), {}).setdefault(note.rank, note)
        several = [found[key] for key in sorted(found) if len(found[key]) > 1]
        return tuple(tuple(by_rank[rank] for rank in sorted(by_rank)) for by_rank in several)
