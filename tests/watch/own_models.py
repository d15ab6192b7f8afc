"""Models of other tests, which torch's caches keep alive, would make names longer to tell them apart."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from torch.nn import Module

from surefoot.watch.instances import live
from surefoot.watch.inventory.registry import Registry


@contextmanager
def own_models() -> Iterator[None]:
    """In the block, models that are alive already are not seen."""
    others = live(Module)  # kept, so that no new one gets the id of an old one
    known = {id(module) for module in others}
    alive = Registry.alive

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Registry, "alive", lambda self: [module for module in alive(self) if id(module) not in known])
        yield
    others.clear()
