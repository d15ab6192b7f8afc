"""Runs of several processes, and runs that go on from another."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import points, show
from tests.runlog.making import FINISHED, LogFile

NAME = "20260103-several"


@pytest.fixture
def several(dash: Dash) -> Iterator[str]:
    folder = dash.folder / NAME
    meta = {**FINISHED, "attempt": "2", "resumed_from": "20260102-before", "reason": "loss below 0.1"}
    for rank in (0, 1):
        with LogFile(folder / f"rank-{rank}.db", meta) as log:
            log.log(range(1, 11 + rank), loss=[1.0 + rank] * (10 + rank))
            if rank == 0:
                log.event(5, "resume", "from update 5")
                log.event(10, "stop", "loss below 0.1")
    yield NAME
    shutil.rmtree(folder)


def test_ranks_are_chosen_or_laid_over_each_other(page: Page, dash: Dash, several: str) -> None:
    show(page, dash, "run", several)
    loss = page.get_by_role("region", name="Loss", exact=True)
    assert points(loss) == [10]
    page.get_by_label("Rank").select_option("1")
    expect(loss.locator(".value")).to_have_text("2")
    assert points(loss) == [11]
    page.get_by_label("Rank").select_option("all ranks")
    expect(loss.locator(".legend li")).to_have_count(2)
    assert points(loss) == [10, 11]
    page.reload()
    expect(loss.locator(".legend")).to_contain_text("rank 1")


def test_stops_and_resumes_are_told_and_marked(page: Page, dash: Dash, several: str) -> None:
    show(page, dash, "run", several)
    expect(page.locator(".run-title")).to_contain_text("attempt 2")
    expect(page.locator(".run-facts")).to_contain_text("loss below 0.1")
    about = page.get_by_role("complementary", name="About the run")
    expect(about.get_by_role("link", name="20260102-before")).to_be_visible()
    expect(about).to_contain_text("from update 5")
    assert points(page.get_by_role("region", name="Loss", exact=True))
    expect(page.locator(".mark.stop")).to_have_count(1)
    expect(page.locator(".mark.resume")).to_have_count(1)
