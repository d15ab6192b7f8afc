"""Every test leaves the process as it found it: no watch goes on, no patch stays, no run is written to."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import hypothesis
import pytest

from tests.kinds import (  # noqa: F401  # hooks of pytest
    pytest_collection_modifyitems,
    pytest_ignore_collect,
    pytest_xdist_make_scheduler,
)

hypothesis.settings.register_profile("untimed", deadline=None)  # a busy machine is no failure
os.environ.setdefault("SUREFOOT_LOG", "off")  # loops leave no runs behind, also in the processes that tests start
hypothesis.settings.load_profile("untimed")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else the programs of tests would ignore it, too


MANY = 30_000  # objects


@pytest.fixture(autouse=True)
def nothing_goes_on_watching() -> Iterator[None]:
    tap = sys.modules.get("surefoot.watch.tap")
    if tap is not None:
        tap.Tap.most_failures = 1  # elsewhere it takes some of them to switch a probe off
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
def only_own_models() -> Iterator[None]:
    from tests.watch.own_models import own_models  # not before: tests of rules need no torch

    with own_models():
        yield


@pytest.fixture
def untraced() -> Iterator[None]:
    """Under a debugger, or coverage's tracer, variables of running frames are left alone; these programs need them."""
    trace = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(trace)


def pytest_collection_finish() -> None:
    if "torch" in sys.modules:
        import torch._dynamo  # noqa: F401  # as the first optimizer would
    hide_what_is_alive()


@pytest.fixture(autouse=True, scope="module")
def what_lies_around_is_hidden() -> Iterator[None]:
    yield
    if len(gc.get_objects()) > MANY:  # what tests import as they run, and what pytest keeps of them
        hide_what_is_alive()


def hide_what_is_alive() -> None:
    """From `gc.get_objects()`: each start of a sanitizer looks through all it returns."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # else libraries complain at exit about what was not collected
