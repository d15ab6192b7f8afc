"""A run that goes on while somebody looks."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from surefoot.runlog.read.error import RunLogError
from surefoot.runlog.read.run import load_run
from tests.dashboard.browser.cable import Cable
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import points, show
from tests.dashboard.browser.programs import LIVE


class Growing:
    """A program that logs a row for each number it is told."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", LIVE], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "SUREFOOT_LOG": str(folder)},
        )  # fmt: skip

    def log(self, *values: float) -> None:
        assert self.process.stdin is not None
        for value in values:
            self.process.stdin.write(f"{value}\n")
        self.process.stdin.flush()

    def finish(self) -> None:
        self.process.communicate(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)


@pytest.fixture
def growing(dash: Dash) -> Iterator[Growing]:
    """Its run is taken away afterwards: other tests count runs. Asked for before the page, which then ends first."""
    started = Growing(dash.folder)
    yield started
    started.kill()
    for run in dash.folder.glob("*growing*"):
        shutil.rmtree(run)


def wait_for(dash: Dash, part: str) -> None:
    """Until its first row can be read: before that, a page that asks for the run is told that there is none."""
    while True:
        with suppress(KeyError, StopIteration, RunLogError):
            if len(load_run(dash.folder / dash.run(part)).scalars("pace").steps):
                return
        time.sleep(0.05)


def test_a_run_appears_grows_and_ends(growing: Growing, page: Page, dash: Dash) -> None:
    show(page, dash)
    growing.log(1.0, 2.0)
    wait_for(dash, "growing")
    line = page.locator("table.runs tr", has_text=dash.run("growing"))
    expect(line.locator(".status-running")).to_be_visible(timeout=60_000)
    expect(page.locator(".live")).to_have_text("live")
    line.get_by_role("link").first.click()
    pace = page.get_by_role("region", name="pace", exact=True)
    assert points(pace) == [2]
    asked: list[str] = []
    page.on("request", lambda request: "/api/" in request.url and asked.append(request.url))
    growing.log(3.0, float("nan"), 7.25)
    expect(pace.locator(".value")).to_have_text("7.25", timeout=20_000)
    assert points(pace) == [5]
    expect(pace).to_contain_text("1 value not finite, at step 4")
    expect(page.locator(".run-facts")).to_contain_text("5", timeout=20_000)
    growing.finish()
    expect(page.locator(".run-title .status-finished")).to_be_visible(timeout=20_000)
    expect(page.locator(".live")).to_have_text("ended")
    assert not asked  # everything came by the stream


def test_a_crash_is_shown_as_such(growing: Growing, page: Page, dash: Dash) -> None:
    show(page, dash)
    growing.log(1.0, 2.0)
    wait_for(dash, "growing")
    line = page.locator("table.runs tr", has_text=dash.run("growing"))  # not that of a test before, which is gone soon
    expect(line.locator(".status-running")).to_be_visible(timeout=60_000)
    expect(line.locator("time[datetime]")).to_be_visible(timeout=60_000)  # and it is known whose run it is
    growing.kill()
    expect(line.locator(".status-crashed")).to_be_visible(timeout=60_000)


def test_a_line_that_breaks_is_taken_up_where_it_was(browser: Browser, dash: Dash, growing: Growing) -> None:
    growing.log(1.0)
    wait_for(dash, "growing")
    with Cable(dash) as cable, browser.new_context() as context:
        page = context.new_page()
        page.goto(cable.address)
        page.goto(f"{cable.root}#/run/{dash.run('growing')}")
        pace = page.get_by_role("region", name="pace", exact=True)
        assert points(pace) == [1]
        expect(page.locator(".live")).to_have_text("live")
        cable.cut()
        expect(page.locator(".live")).to_have_text("reconnecting")
        growing.log(2.0, 3.5)
        cable.mend()
        expect(page.locator(".live")).to_have_text("live", timeout=30_000)
        expect(pace.locator(".value")).to_have_text("3.5", timeout=30_000)
        assert points(pace) == [3]


def test_comparing_follows_what_goes_on(growing: Growing, page: Page, dash: Dash) -> None:
    growing.log(1.0, 2.0)
    wait_for(dash, "growing")
    show(page, dash, "compare", run=[dash.run("growing"), dash.run("good")])
    page.get_by_role("searchbox", name="Search series").fill("pace")
    pace = page.get_by_role("region", name="pace", exact=True)
    expect(pace.locator(".value")).to_have_text("2")
    expect(page.locator(".live")).to_have_text("live")
    page.wait_for_timeout(1200)  # series that came late are drawn
    asked: list[str] = []
    page.on("request", lambda request: "/api/" in request.url and asked.append(request.url))
    growing.log(3.0, 7.25)
    expect(pace.locator(".value")).to_have_text("7.25", timeout=20_000)
    assert points(pace) == [4]
    assert not asked  # everything came by the stream
    growing.finish()
    expect(page.locator(".runs-legend .status-finished")).to_have_count(2, timeout=20_000)
    expect(page.locator(".live")).to_have_text("ended")
    assert [url for url in asked if "/api/compare" not in url] == []
