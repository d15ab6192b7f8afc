"""Models of other tests, which torch's caches keep alive, would make names longer to tell them apart."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from torch.nn import Module

from surefoot.watch.inventory import census


@contextmanager
def own_models() -> Iterator[None]:
    """In the block, models that are alive already are not seen."""
    live_modules = census.live_modules
    others = live_modules()  # kept, so that no new one gets the id of an old one
    known = {id(module) for module in others}

    def own_modules() -> list[Module]:
        return [module for module in live_modules() if id(module) not in known]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(census, "live_modules", own_modules)
        yield
    others.clear()
