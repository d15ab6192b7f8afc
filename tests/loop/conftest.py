"""Tests that train run under the sanitizer with all rules, which must have nothing to say."""

from collections.abc import Iterator

import pytest

from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer.sanitizer import Sanitizer


@pytest.fixture
def silent_sanitizer(request: pytest.FixtureRequest) -> Iterator[Sanitizer]:
    failures: list[str] = []
    sanitizer = Sanitizer(
        catalogue().values(), on_failure=lambda name, error: failures.append(f"{name}: {type(error)} {error}")
    )
    sanitizer.start()
    try:
        yield sanitizer
    finally:
        sanitizer.finish()
    assert not failures, failures
    found = [f"{f.rule}: {f.message} ({f.line})" for f in sanitizer.judge.findings if f.severity != "note"]
    if request.node.get_closest_marker("bad_program") is None:
        assert not found, found
