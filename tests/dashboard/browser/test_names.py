"""Names and messages come from runs, and are shown as text, whatever they hold."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from surefoot.cli.main import main
from surefoot.runlog.labels import Labels
from surefoot.runlog.schema import ADD_EXCERPT
from surefoot.runlog.setting import as_meta
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import points, show
from tests.runlog.making import FINISHED, LogFile

EVIL = "<img src=x onerror=alert(1)>"
WORSE = f"\"'><svg onload=alert(1)></svg></script><script>alert(1)</script>javascript:alert(1){EVIL}"
FINDING = (EVIL, "error", WORSE, WORSE, WORSE, f"{EVIL}.py", 3, 2, 5, json.dumps({EVIL: WORSE, "b": [WORSE]}))
ANSWER = f"SELECT 1 AS step, '{EVIL}' AS \"{EVIL}\", ['{EVIL}'] AS listed, {{'{EVIL}': '{EVIL}'}} AS struct"


@pytest.fixture
def evil(dash: Dash) -> Iterator[str]:
    import shutil

    name = f"20260102-{EVIL}"
    folder: Path = dash.folder / name
    meta = dict.fromkeys(("script", "cwd", "host", "reason", "git_commit", "device", "resumed_from"), WORSE)
    meta |= {"command": json.dumps(["python", WORSE]), "versions": json.dumps({EVIL: WORSE})}
    meta |= Labels(WORSE, EVIL, (EVIL, "'><svg onload=alert(1)>"), WORSE).as_meta()
    meta |= dict([as_meta(EVIL, WORSE, EVIL), as_meta("listed", [EVIL], WORSE)])
    with LogFile(folder / "rank-0.db", {**FINISHED, **meta}) as log:
        log.log(range(1, 11), loss=[1.0] * 10, **{EVIL: [2.0] * 10, f"grad_norm/{EVIL}": [3.0] * 10})
        log.finding(0, FINDING)
        log.connection.execute(ADD_EXCERPT, (0, 1, WORSE))
        log.event(3, EVIL, WORSE)
        log.event(4, "stop", WORSE)
    yield name
    shutil.rmtree(folder)


@pytest.mark.parametrize("view", ["", "gradients", "parameters", "findings"])
def test_markup_in_names_stays_text(page: Page, dash: Dash, evil: str, view: str) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    show(page, dash)
    expect(page.locator("table.runs")).to_contain_text(EVIL)
    show(page, dash, "run", evil, *([view] if view else []))
    expect(page.locator("h1")).to_have_text(evil)
    if not view:
        expect(page.locator("dl.settings")).to_contain_text(WORSE)
        assert points(page.get_by_role("region", name=EVIL, exact=True)) == [10]
    assert page.locator("img[onerror], svg[onload]").count() == 0
    assert not alerts


def test_markup_in_settings_and_labels_stays_text(page: Page, dash: Dash, evil: str) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    for by in ({}, {"by": EVIL}):
        show(page, dash, show=EVIL, **by)
        expect(page.locator("main")).to_contain_text(WORSE)
        assert page.locator("img[onerror], svg[onload]").count() == 0
    assert not alerts


def test_markup_in_answers_reports_and_comparisons_stays_text(
    page: Page, dash: Dash, evil: str, complaints: list[str], tmp_path: Path
) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    show(page, dash, "query", sql=ANSWER)
    expect(page.locator("table").first).to_contain_text(EVIL)
    show(page, dash, "compare", run=[evil, dash.run("good")])
    expect(page.locator(".small-table").first).to_contain_text(EVIL)
    assert not complaints
    show(page, dash, "query", sql=f'SELECT "{EVIL}" FROM runs')
    expect(page.get_by_role("alert")).to_contain_text(EVIL)
    show(page, dash, "run", EVIL)  # which does not exist
    expect(page.locator("main")).to_contain_text(EVIL)
    complaints.clear()  # a browser notes every answer that is an error
    file = tmp_path / "report.html"
    assert main(["report", evil, "--log", str(dash.folder), "-o", str(file)]) == 0
    with page.context.browser.new_context() as context:  # type: ignore[union-attr]
        report = context.new_page()
        report.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
        report.goto(file.as_uri())
        expect(report.locator("body")).to_contain_text(EVIL)
        assert report.locator("img[onerror], svg[onload]").count() == 0
    assert page.locator("img[onerror], svg[onload]").count() == 0
    assert not alerts
