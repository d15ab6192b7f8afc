"""Where the time of a run went."""

from surefoot.facts.frozen import frozen
from surefoot.facts.site import Site


@frozen
class RecompileFacts:
    """A function that `torch.compile` compiled as often as it may."""

    function: str
    num_compiles: int
    what: str  # that was never the same: "self.n", "tensor 'x' size mismatch at index 0"
    seconds: float  # that all of them took
    site: Site | None = None  # the line that depends on it, or where the function is defined


@frozen
class HostReadFacts:
    """A line of the program that reads values of tensors on a device while it trains."""

    site: Site
    what: str  # ".item()", "print()"
    device: str  # "cuda"
    num_steps: int  # during which it read
    num_since: int  # steps of the run since it first did
