"""Runs by exact numbers: columns of the list, groups, and ranks of settings, all kept in the link."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from surefoot.runlog.setting import as_meta
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import assert_axe_has_nothing_to_say, points, show
from tests.runlog.making import FINISHED, LogFile

LOWS = {0.1: (0.5, 0.51, 0.52), 0.01: (0.7, 0.71, 0.73), 1.0: (0.2, 0.5, 0.9)}


@pytest.fixture
def swept(dash: Dash) -> Iterator[None]:
    import shutil

    made = []
    for rate, lows in LOWS.items():
        for seed, low in enumerate(lows):
            settings = dict(as_meta(name, value, "config") for name, value in {"lr": rate, "seed": seed}.items())
            made.append(dash.folder / f"20260104-swept-{rate}-{seed}")
            with LogFile(made[-1] / "rank-0.db", {**FINISHED, **settings, "group": "sweep"}) as log:
                log.log(range(1, 5), **{"val/loss": [1.0, low, 0.95, 1 + seed / 3]})
    yield
    for folder in made:
        shutil.rmtree(folder)


def test_metrics_are_columns_and_settings_are_ranked(page: Page, dash: Dash, swept: None) -> None:
    show(page, dash, **{"is": "run_group=sweep"})
    rows = page.locator("table.runs tbody tr")
    expect(rows).to_have_count(9)
    page.locator("details.menu summary").click()
    page.get_by_label("Find a metric").fill("val/loss")
    page.get_by_label("val/loss, lowest").check()
    page.get_by_label("val/loss, last").check()
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="val/loss, lowest").click()
    page.get_by_role("button", name="val/loss, lowest").click()
    expect(rows.first).to_contain_text("swept-1.0-0")
    expect(rows.first.locator(".chosen").first).to_have_text("val/loss, lowest 0.2")
    middle = rows.filter(has_text="swept-0.1-1")
    expect(middle.locator(".chosen").nth(1)).to_have_attribute("title", "1.3333333333333333")  # every digit
    page.reload()
    expect(rows.first).to_contain_text("swept-1.0-0")

    page.get_by_role("link", name="Rank settings").click()
    ranks = page.locator("table.ranking tbody tr")
    expect(ranks).to_have_count(3)
    expect(ranks.locator(".rank")).to_have_text(["1 to 2", "1 to 3", "2 to 3"])
    expect(page.locator("main")).to_contain_text("0.1 has the best mean")
    expect(page.locator(".scatter circle")).to_have_count(9)
    assert_axe_has_nothing_to_say(page)
    page.get_by_label("its").select_option("high")
    expect(page.get_by_label("best is")).to_have_value("high")
    page.get_by_text("Settings", exact=True).click()
    page.get_by_label("group", exact=True).check()
    expect(page.locator(".parallel path")).to_have_count(9)
    page.go_back()
    expect(page.get_by_label("its")).to_have_value("low")
    ranks.first.get_by_role("link").click()
    expect(rows).to_have_count(3)
    expect(page.locator("main")).to_contain_text("lr = 0.1")
    for box in page.get_by_role("checkbox", name="Pick").all():
        box.check()
    page.get_by_role("button", name="Compare 3").click()
    chart = page.get_by_role("region", name="Loss", exact=True)
    assert points(chart) == [4, 4, 4]
    page.get_by_label("Colours").select_option("run_group")
    page.get_by_label("Mean and spread").check()
    assert points(chart) == [4]
    lasts = chart.evaluate("(chart) => chart.card.curves[0].lasts")
    assert lasts == pytest.approx([1.0, 0.51, 0.95, 4 / 3])
    expect(chart.locator(".legend")).to_contain_text("sweep (3)")
    assert_axe_has_nothing_to_say(page)
