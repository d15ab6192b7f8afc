"""What a loader is: how it is started, how long it is, what it is made of."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

from torch.utils.data import DataLoader, IterableDataset

from surefoot.loop.tensors import TensorBatches

Loader: TypeAlias = Iterable[Any] | Callable[[], Iterable[Any]]


def check(loader: object, epochs: int | None) -> None:
    """Refuse what can't be run through `epochs` times (None: without end)."""
    if epochs is not None and (isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1):
        raise ValueError(
            f"epochs must be a whole number, at least 1, got {epochs!r}. "
            "Leave it out to go on until a stop condition holds."
        )
    check_kind(loader)
    if isinstance(loader, Iterator) and epochs != 1:
        many = "without end" if epochs is None else f"{epochs} times"
        raise ValueError(
            f"The loader must be startable again to be run through {many}, but a {type(loader).__name__} can be run "
            f"through only once. Pass a DataLoader, a list, or the function that makes it, without calling it; "
            f"or epochs=1."
        )


def check_kind(loader: object) -> None:
    if not hasattr(loader, "__iter__") and not hasattr(loader, "__getitem__") and not callable(loader):
        raise TypeError(
            f"A loader is a DataLoader, a list or another iterable of batches, or a function that makes an iterator; "
            f"got {type(loader).__name__}."
        )


def start(loader: Loader) -> Iterator[Any]:
    """What a `for` statement would do, or what the function makes."""
    if hasattr(loader, "__iter__") or hasattr(loader, "__getitem__"):
        return iter(loader)
    return iter(loader())


def length(loader: Loader) -> int | None:
    """Batches per epoch, if that is certain. An IterableDataset's length is a promise, and asking arms a warning."""
    if isinstance(loader, DataLoader) and isinstance(loader.dataset, IterableDataset):
        return None
    try:
        return len(loader)  # type: ignore[arg-type]
    except (TypeError, NotImplementedError):
        return None


def tell_epoch(loader: Loader, epoch: int) -> None:
    """Call every `set_epoch`: a DistributedSampler without it gives the same order every epoch."""
    batch_sampler = getattr(loader, "batch_sampler", None)
    parts = (loader, getattr(loader, "dataset", None), getattr(loader, "sampler", None), batch_sampler)
    told: list[object] = []
    for part in (*parts, getattr(batch_sampler, "sampler", None)):
        if callable(getattr(part, "set_epoch", None)) and not any(part is other for other in told):
            told.append(part)
            part.set_epoch(epoch)  # type: ignore[union-attr]


def traits(loader: Loader) -> dict[str, Any]:
    """What says which samples the first so many batches of an epoch are."""
    own: Any = loader
    if isinstance(loader, TensorBatches):
        return loader.traits()
    if not isinstance(loader, DataLoader):
        return {}
    sampler = type(own.sampler).__name__
    found: dict[str, Any] = {"batch_size": own.batch_size, "sampler": sampler, "drop_last": own.drop_last}
    with suppress(TypeError, NotImplementedError):
        found["len(dataset)"] = len(own.dataset)
    return found


def keeps_own_position(loader: Loader) -> bool:
    """Whether it says and takes back where it is, as a StatefulDataLoader does."""
    return callable(getattr(loader, "state_dict", None)) and callable(getattr(loader, "load_state_dict", None))


def keeps_workers(loader: Loader) -> bool:
    """Whether its workers, with their random states, live on from epoch to epoch."""
    return isinstance(loader, DataLoader) and loader.persistent_workers and loader.num_workers > 0


def may_remember_draws(loader: Loader) -> bool:
    """Whether a batch may depend on random numbers drawn for batches before it, as with a shuffle buffer.

    A list draws none, our own loader once an epoch. A map-style dataset makes each item anew, and torch's samplers
    draw once an epoch, too.
    """
    if isinstance(loader, list | tuple | TensorBatches):
        return False
    if not isinstance(loader, DataLoader) or isinstance(loader.dataset, IterableDataset):
        return True
    samplers = (loader.sampler, loader.batch_sampler, getattr(loader.batch_sampler, "sampler", None))
    return not all(part is None or type(part).__module__.startswith("torch.utils.data.") for part in samplers)
