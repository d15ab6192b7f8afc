"""The fixture `surefoot_watch` without `--surefoot`: this suite runs without the plugin, and has its fixture alone."""

import pytest

from surefoot.sanitizer import Sanitizer
from surefoot.testing import assert_trains
from surefoot.testing.plugin import surefoot_watch  # noqa: F401
from surefoot.testing.span import WatchedSpan
from tests.testing.test_assert_trains import training


def test_findings_are_live(surefoot_watch: WatchedSpan) -> None:  # noqa: F811
    training(2)()
    assert surefoot_watch.findings == []
    training(3, clear=False)()
    assert [finding.rule for finding in surefoot_watch.findings] == ["stale-gradients"]
    surefoot_watch.stop()
    assert Sanitizer.running is None


def test_what_assert_trains_finds_is_its_own(surefoot_watch: WatchedSpan) -> None:  # noqa: F811
    for _ in range(2):
        with pytest.raises(AssertionError, match="stale-gradients"):
            assert_trains(training(clear=False))
    assert surefoot_watch.findings == []
    training(3, clear=False)()
    assert [finding.rule for finding in surefoot_watch.findings] == ["stale-gradients"]
