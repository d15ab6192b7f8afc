"""Names and messages come from runs, and are shown as text, whatever they hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import points, show
from tests.runlog.making import FINISHED, LogFile

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def evil(dash: Dash) -> Iterator[str]:
    import shutil

    name = f"20260102-{EVIL}"
    folder: Path = dash.folder / name
    with LogFile(folder / "rank-0.db", {**FINISHED, "script": EVIL, "command": f"python {EVIL}"}) as log:
        log.log(range(1, 11), loss=[1.0] * 10, **{EVIL: [2.0] * 10, f"grad_norm/{EVIL}": [3.0] * 10})
        log.finding()
        log.event(3, "stop", EVIL)
    yield name
    shutil.rmtree(folder)


@pytest.mark.parametrize("view", ["", "gradients", "parameters", "findings"])
def test_markup_in_names_stays_text(page: Page, dash: Dash, evil: str, view: str) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    expect(page.locator("table.runs")).to_contain_text(EVIL)
    show(page, dash, "run", evil, *([view] if view else []))
    expect(page.locator("h1")).to_have_text(evil)
    if not view:
        assert points(page.get_by_role("region", name=EVIL, exact=True)) == [10]
    assert page.locator("img[onerror]").count() == 0
    assert not alerts
