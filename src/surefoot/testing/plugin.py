"""The pytest plugin: `pytest --surefoot` watches each test and fails those in which something is found."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from surefoot.judge import Finding
    from surefoot.rules import Level, Rule
    from surefoot.testing.span import WatchedSpan

_SPAN = pytest.StashKey["WatchedSpan"]()
_JUDGES_ITSELF = pytest.StashKey[bool]()


class _StoreLevel(argparse.Action):
    """Each level is an option of its own: an optional value would swallow the folder in `pytest --surefoot tests`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, (option or "").partition("=")[2] or "error")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("surefoot").addoption(
        "--surefoot", "--surefoot=error", "--surefoot=warning", "--surefoot=note", dest="surefoot", action=_StoreLevel,
        help="watch each test with surefoot's sanitizer; a finding of this level fails it (default: error)",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    level = config.getoption("surefoot")
    if level is not None:
        config.pluginmanager.register(_Watcher(_rules(config), level), "surefoot-watcher")


@pytest.fixture
def surefoot_watch(request: pytest.FixtureRequest) -> Iterator[WatchedSpan]:
    """Watches the test, with or without --surefoot. `findings` is what was found so far; the test judges it."""
    from surefoot.testing.span import WatchedSpan

    request.node.stash[_JUDGES_ITSELF] = True
    running = request.node.stash.get(_SPAN, None)
    if running is not None:
        yield running
        return
    span = WatchedSpan(_rules(request.config))
    try:
        yield span
    finally:
        span.stop()


class _Watcher:
    """Watches each test with its fixtures, from their set-up to the end of the test."""

    def __init__(self, rules: list[Rule], level: Level) -> None:
        self._rules = rules
        self._level = level

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        from surefoot.testing.span import WatchedSpan

        item.stash[_SPAN] = WatchedSpan(self._rules)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        try:
            result = yield
        except BaseException:
            self._show_beside_failure(item)
            raise
        if findings := self._findings(item):
            from surefoot.testing.span import told

            pytest.fail(told(findings), pytrace=False)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        item.stash[_SPAN].stop()  # where a set-up failed, no call has done it
        return (yield)

    def _show_beside_failure(self, item: pytest.Item) -> None:
        """The test has failed by itself; what was found may tell why."""
        if findings := self._findings(item):
            from surefoot.testing.span import told

            item.add_report_section("call", "surefoot", told(findings))

    def _findings(self, item: pytest.Item) -> list[Finding]:
        from surefoot.testing.span import at_least

        span = item.stash[_SPAN]
        if item.stash.get(_JUDGES_ITSELF, False):
            return []
        span.stop()
        if span.is_shared:
            pytest.fail(
                "another watch runs in this process, so --surefoot can't tell what this test did. "
                "Leave out `surefoot run`, and make no sf.watch() or sf.Loop outside of tests.",
                pytrace=False,
            )
        return at_least(self._level, span.findings)


def _rules(config: pytest.Config) -> list[Rule]:
    from surefoot.judge import SettingsError, UnknownRuleError
    from surefoot.testing.span import chosen_rules

    try:
        return list(chosen_rules(config.rootpath))
    except (SettingsError, UnknownRuleError) as error:
        raise pytest.UsageError(f"surefoot: {error}") from None
