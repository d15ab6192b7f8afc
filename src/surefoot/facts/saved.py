"""What is saved and loaded: weights, optimizers, and what came of it."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class UnmatchedFacts:
    """A `load_state_dict(strict=False)` that left keys over on either side."""

    model: str  # class name
    site: Site | None = None
    num_own: int = 0  # keys of the model
    num_given: int = 0
    num_missing: int = 0  # of the model's, not given
    num_unexpected: int = 0  # of the given, not the model's
    num_fitting: int = 0  # missing keys for which there is an unexpected one of the same shape
    is_unseen: bool = False  # the program threw the answer away
    examples: tuple[str, ...] = ()  # a missing key and an unexpected one


@frozen
class AliasFacts:
    """A `state_dict()` that was kept and then used as if it were a copy.

    Its weights have changed since; or it was kept as the best, and it is by luck that they have not.
    """

    model: str  # class name
    taken: Site | None = None
    used: Site | None = None
    use: str = "load"  # "load": into the very weights; "elsewhere": into other ones; "save": to a file
    num_before: int = 0  # steps of its weights before it was taken
    num_between: int = 0  # and since
    is_overwritten: bool = False  # other weights were loaded into the model since
    is_view: bool = False  # no dict: `p.data` of each parameter, which was copied back onto itself


@frozen
class SelfLoadFacts:
    """A `load_state_dict` of nothing but the tensors that the module has already."""

    model: str  # class name
    site: Site | None = None
    taken: Site | None = None  # where the dict was taken
    same_module: bool = True  # from the very module, rather than from one that shares all its memory


@frozen
class OverwrittenFacts:
    """Weights that were loaded, all matrices of which were initialised anew before any training."""

    model: str  # class name of the module that was loaded
    loaded: Site | None = None
    reset: Site | None = None
    num_matrices: int = 0


@frozen
class UnrestoredFacts:
    """The first step of an optimizer without state, whose weights come from a file that holds such a state."""

    file: str
    site: Site | None = None  # where the weights were loaded
    num_states: int = 0  # parameters with a state in the file
    same_params: bool = False  # as many groups and parameters of the same shapes
    same_settings: bool = False  # the same settings, rates left aside
    same_rate: bool = False
    taken: Site | None = None  # where another optimizer, made before, has loaded this state


@frozen
class UnrestoredPartFacts:
    """A part of a checkpoint that fits a module and is not in it, though model and optimizer are from that file."""

    file: str
    part: str  # its key
    model: str = ""  # class name of the module
    num_params: int = 0
    site: Site | None = None  # where the optimizer's state was loaded


@frozen
class UntrainedSavedFacts:
    """An optimizer that was saved without a state, though its parameters were trained.

    Another one has trained them, and it never stepped in the whole run; or what was saved of it is old.
    """

    kind: str  # class name of both
    made: Site | None = None
    saved: Site | None = None
    trainer_made: Site | None = None  # where the other one was made
    num_params: int = 0
    num_steps: int = 0  # of the one that trains
    is_old: bool = False  # it has a state, and what was saved was taken before


@frozen
class ResumeFacts:
    """The rates that `optimizer.load_state_dict` brought."""

    site: Site | None = None
    lrs: tuple[float, ...] = ()
    initial_lrs: tuple[float, ...] = ()  # of the groups that had a schedule when they were saved
    initial_lrs_now: tuple[float, ...] = ()
    num_steps: int = 0  # since
    file: str = ""  # that they are from, where that is known
    position: int | None = None  # of the furthest schedule in that file
    at_update: int = 0  # of this optimizer, when they were loaded
