"""Every test leaves the process as it found it: no watch goes on, no patch stays, no run is written to."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
os.environ.setdefault("SUREFOOT_LOG", "off")  # loops leave no runs behind, also in the processes that tests start
hypothesis.settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def nothing_goes_on_watching() -> Iterator[None]:
    yield
    module = sys.modules.get("surefoot.sanitizer.sanitizer")  # tests of rules need no torch
    if module is not None and module.Sanitizer.running is not None:
        module.Sanitizer.running.finish()
        pytest.fail("the test left a sanitizer running")


@pytest.fixture(autouse=True)
def nobody_has_decided_where_to_log() -> Iterator[None]:
    yield
    module = sys.modules.get("surefoot.runlog.write.current")
    if module is not None:
        if module.Current.run is not None:
            module.Current.run.close()
        module.forget()


@pytest.fixture
def only_own_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of other tests, which torch's caches keep alive, would make names longer to tell them apart."""
    from surefoot.watch.inventory import census

    live_modules = census.live_modules
    others = live_modules()
    known = {id(module) for module in others}

    def own_modules() -> list[Any]:
        assert others  # kept, so that no new one gets the id of an old one
        return [module for module in live_modules() if id(module) not in known]

    if others:
        monkeypatch.setattr(census, "live_modules", own_modules)


@pytest.fixture
def untraced() -> Iterator[None]:
    """Under a debugger, or coverage's tracer, variables of running frames are left alone; these programs need them."""
    trace = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(trace)


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that count the live models of the process come first: others leave some behind in torch's caches.

    Whole programs and loaders with workers are run apart, without measuring coverage, which takes three to ten times
    as long: what they cover must be covered by tests of its own.
    """
    items.sort(key=lambda item: item.path.parent.name != "inventory")
    for item in items:
        forks = item.path.name == "test_feed.py" and "workers" in item.name
        if forks or item.path.parent.name in ("zoo", "benchmarks", "examples"):
            item.add_marker(pytest.mark.no_cover)
