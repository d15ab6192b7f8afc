from collections.abc import Iterator

import pytest

from tests.watch.own_models import own_models


@pytest.fixture(autouse=True)
def names_are_short() -> Iterator[None]:
    with own_models():
        yield
