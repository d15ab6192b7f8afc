"""Labels are edited in the list of runs, shown as text, and every edit has a way back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import show
from tests.dashboard.browser.test_names import EVIL, WORSE
from tests.runlog.making import FINISHED, LogFile

ONE, TWO = "20260103-editable-one", "20260103-editable-two"


@pytest.fixture
def editable(dash: Dash) -> Iterator[None]:
    import shutil

    for name, group in ((ONE, "width"), (TWO, "depth")):
        with LogFile(dash.folder / name / "rank-0.db", {**FINISHED, "group": group}) as log:
            log.log(range(1, 11), loss=[1.0] * 10)
    yield
    for name in (ONE, TWO):
        for folder in (dash.folder / name, dash.folder / "deleted" / name):
            shutil.rmtree(folder, ignore_errors=True)


def pick(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_label(f"Pick {name}").check()


def test_labels_of_one_run(page: Page, dash: Dash, editable: None) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    show(page, dash)
    line = page.locator("table.runs tr", has_text=ONE)
    pick(page, ONE)
    page.get_by_role("button", name="Edit labels…").click()
    expect(page.get_by_label("Group", exact=True)).to_have_value("width")
    page.get_by_label("Name").fill(EVIL)
    page.get_by_label("Tags").fill("good, baseline ,good")
    page.get_by_label("Notes").fill(WORSE)
    page.get_by_role("button", name="Save").click()
    expect(line).to_contain_text(EVIL)
    expect(line.get_by_title("Tag")).to_have_text(["good", "baseline"])
    show(page, dash, "run", ONE)
    expect(page.locator("main")).to_contain_text(WORSE)
    assert page.locator("img[onerror], svg[onload]").count() == 0
    assert not alerts


def test_archive_delete_and_back(page: Page, dash: Dash, editable: None) -> None:
    show(page, dash)
    lines = page.locator("table.runs tbody tr", has_text="editable")
    pick(page, ONE, TWO)
    page.get_by_role("button", name="Edit labels…").click()
    expect(page.get_by_label("Group", exact=True)).to_have_value("")  # they differ
    page.get_by_label("Tags").fill("pair")
    page.get_by_role("button", name="Save").click()
    expect(lines.get_by_title("Tag")).to_have_text(["pair", "pair"])
    expect(lines.get_by_title("Group")).to_have_text(["depth", "width"])

    page.get_by_role("button", name="Archive", exact=True).click()
    expect(lines).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(lines).to_have_count(2)

    page.get_by_role("button", name="Delete").click()
    expect(lines).to_have_count(0)
    assert Path(dash.folder, "deleted", ONE).is_dir()
    page.get_by_role("button", name="Undo").click()
    expect(lines).to_have_count(2)
    assert Path(dash.folder, ONE).is_dir()
