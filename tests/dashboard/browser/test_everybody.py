"""For everybody: any width, light and dark, keyboard and screen reader."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import assert_axe_has_nothing_to_say, points, show

PAGES = ["runs", "run", "gradients", "parameters", "findings", "compare", "query", "traces", "trace"]


@pytest.fixture(autouse=True)
def with_a_trace(traced: str) -> None:
    """Of all that can be looked at."""


def go(page: Page, dash: Dash, name: str) -> None:
    """To a page, with all it can show."""
    good, buggy = dash.run("good"), dash.run("buggy")
    if name == "runs":
        show(page, dash)
        page.locator("table.runs tbody tr").first.wait_for()
    elif name == "compare":
        show(page, dash, "compare", run=[good, buggy])
        page.locator(".small-table").first.wait_for()
    elif name == "query":
        show(page, dash, "query", sql="select * from runs")
        page.locator("table.answer").wait_for()
    elif name == "traces":
        show(page, dash, "trace")
        page.locator("table.traces").wait_for()
    elif name == "trace":
        (traced,) = (dash.folder / "traces").glob("*traced*")
        show(page, dash, "trace", traced.stem, step="4", stage="3")
        page.locator(".trace-detail").wait_for()
    elif name == "findings":
        show(page, dash, "run", buggy, "findings")
        page.locator(".excerpt").first.wait_for()
    elif name == "run":
        show(page, dash, "run", buggy)
        page.locator(".chart.loaded").first.wait_for()
    else:
        show(page, dash, "run", good, name, layer="0.weight")
        page.locator(".chart.loaded").first.wait_for()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out(page: Page, dash: Dash, name: str) -> None:
    for width in (1000, 2600, 390):
        page.set_viewport_size({"width": width, "height": 900})
        go(page, dash, name)
        scroll, seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert scroll <= seen, f"{name} is {scroll} px wide at {width}"


@pytest.mark.parametrize("name", PAGES)
def test_axe_has_nothing_to_say(page: Page, dash: Dash, name: str) -> None:
    go(page, dash, name)
    assert_axe_has_nothing_to_say(page)


def test_dark_follows_the_system_until_somebody_chooses(page: Page, dash: Dash) -> None:
    show(page, dash)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert dark != light
    switch = page.get_by_role("button", name="Theme")
    switch.click()
    expect(switch).to_have_attribute("title", "Theme: light")
    assert page.evaluate(ground) == light
    page.reload()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(ground) == dark


def test_only_charts_in_view_are_drawn(page: Page, dash: Dash) -> None:
    page.set_viewport_size({"width": 1000, "height": 400})
    show(page, dash, "run", dash.run("good"))
    assert points(page.get_by_role("region", name="Loss", exact=True))
    placed, drawn = page.locator(".chart").count(), page.locator(".chart .uplot").count()
    assert 0 < drawn < placed
    page.locator(".chart").nth(placed - 1).scroll_into_view_if_needed()
    expect(page.locator(".chart").nth(placed - 1).locator(".uplot")).to_have_count(1)
    expect(page.locator(".chart").first.locator(".uplot")).to_have_count(0)


def test_the_keyboard_reaches_a_run(page: Page, dash: Dash) -> None:
    show(page, dash)
    page.locator("table.runs").wait_for()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("link", name=dash.run("good")).focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(dash.run("good"))


def test_a_stranger_is_told_what_to_do(browser: Browser, dash: Dash) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(dash.root)
        expect(page.locator("body")).to_contain_text("surefoot dash")
