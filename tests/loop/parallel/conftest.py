"""Teams of ranks that live as long as the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.loop.parallel.processes import Team, team


@pytest.fixture(scope="package")
def pair() -> Iterator[Team]:
    with team(2) as made:
        yield made


@pytest.fixture(scope="package")
def three() -> Iterator[Team]:
    with team(3) as made:
        yield made
