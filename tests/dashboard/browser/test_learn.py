"""Learn: rules are found and read, questions answered by keyboard, both programs run, drawn and cancelled."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from surefoot.rules.catalogue import catalogue
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import assert_axe_has_nothing_to_say, drawn_in, points, show

PATHS = [("learn",), ("learn", "grad"), ("learn", "ddp-bypassed"), ("learn", "accumulation-not-averaged")]


def go(page: Page, dash: Dash, *path: str, **query: str) -> None:
    show(page, dash, *path, **query)
    page.locator(".learn-page h1").wait_for()


def test_rules_are_searched_and_opened(page: Page, dash: Dash) -> None:
    show(page, dash)
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.locator("h1")).to_have_text("Learn")
    expect(page.locator(".families article")).to_have_count(len({rule.family for rule in catalogue().values()}))
    rules = page.get_by_role("navigation", name="Rules")
    page.get_by_label("Search rules").fill("clip scale")
    expect(rules.locator("li")).to_have_count(6)  # the family's line has both words
    page.get_by_label("Search rules").fill("unscale")
    expect(rules.locator("li")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("clip-before-unscale")
    expect(page.locator(".against")).to_contain_text("the limit applies to what is there")
    expect(page.locator(".only-good")).to_have_count(1)
    expect(page.locator(".only-good code")).to_contain_text("scaler.unscale_(optimizer)")
    page.reload()
    expect(rules.locator("li")).to_have_count(1)  # the address keeps it
    expect(rules.locator("[aria-current]")).to_have_text("clip-before-unscale")
    page.get_by_label("Search rules").fill("nothing like it")
    expect(rules).to_contain_text('No rule has "nothing like it"')
    page.go_back()
    expect(page.locator("h1")).to_have_text("Learn")


def test_both_programs_are_run_and_drawn(page: Page, dash: Dash) -> None:
    go(page, dash, "learn", "stale-gradients")
    page.get_by_role("button", name="Run both").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    expect(page.locator(".run-state")).to_contain_text("Both ran in", timeout=120_000)
    loss = page.get_by_role("region", name="Loss", exact=True)
    assert points(loss) == [8, 8]
    expect(loss.locator(".uplot")).to_have_count(1)
    assert drawn_in(loss, "curve-2")
    weight = page.get_by_role("region", name="weight[0, 0]", exact=True)
    assert points(weight) == [9, 9]
    bad, good = (page.locator(".found section").nth(i) for i in range(2))
    expect(bad).to_contain_text("stale-gradients line 10, 7 times, first at step 2")
    expect(good).to_contain_text("8 steps, nothing found.")
    loss.get_by_role("button", name="log scale for Loss").click()
    expect(loss.get_by_role("button", name="log scale for Loss")).to_have_attribute("aria-pressed", "true")
    loss.locator(".u-over").hover(position={"x": 60, "y": 60})
    expect(loss.locator(".at")).to_contain_text("backward ")
    expect(page.get_by_role("button", name="Run again")).to_be_visible()


def test_a_run_is_cancelled(page: Page, dash: Dash) -> None:
    go(page, dash, "learn", "loss-flat")
    page.get_by_role("button", name="Run both").click()
    expect(page.locator(".run-state")).to_contain_text("loading torch")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".run-state")).to_have_text("Cancelled. Both processes were ended.")
    expect(page.get_by_role("button", name="Run again")).to_be_focused()
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()


def test_what_can_not_be_run_has_no_button(page: Page, dash: Dash) -> None:
    def forbid(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "obstacle": "Not on this system."})

    page.route("**/api/learn/ddp-bypassed", forbid)
    go(page, dash, "learn", "ddp-bypassed")
    expect(page.locator(".learn-page")).to_contain_text("Not on this system.")
    expect(page.get_by_role("button", name="Run both")).to_have_count(0)


def test_questions_are_answered_by_keyboard(page: Page, dash: Dash) -> None:
    go(page, dash, "learn", "grad")
    first = page.locator("form.question").first
    first.get_by_role("button", name="Check").press("Enter")
    expect(first).to_contain_text("Choose one first.")
    first.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(first).to_contain_text("No. b) is right.")
    expect(first.locator(".is-wrong")).to_contain_text("it replaces them")
    first.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(first).to_contain_text("Right.")
    expect(page.locator(".quiz")).to_contain_text(re.compile(r"0 of 1 right, \d to go\."))  # the first answer counts
    second = page.locator("form.question").nth(1)
    second.get_by_role("button", name="Show the answer").press("Enter")
    expect(second).to_contain_text("b) is right.")
    second.get_by_text("A program that holds").click()
    expect(second.locator("pre")).to_contain_text("assert discriminator.weight.grad is not None")


def test_a_finding_leads_here(page: Page, dash: Dash) -> None:
    show(page, dash, "run", dash.run("buggy"), "findings")
    page.get_by_role("link", name="Learn: see gradients-cleared-before-step happen").click()
    expect(page.locator("h1")).to_have_text("gradients-cleared-before-step")


def test_it_is_fetched_when_it_is_opened(page: Page, dash: Dash) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, dash)
    page.locator("table.runs").wait_for()
    assert not [url for url in asked if "learn" in url]
    page.get_by_role("link", name="Learn", exact=True).click()
    expect(page.locator(".families")).to_be_visible()
    assert [url for url in asked if url.endswith("learn.css")]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_sticks_out(page: Page, dash: Dash, path: tuple[str, ...]) -> None:
    for width in (1000, 2600, 390):
        page.set_viewport_size({"width": width, "height": 900})
        go(page, dash, *path)
        scroll, seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert scroll <= seen, f"{path} is {scroll} px wide at {width}"


@pytest.mark.parametrize("path", PATHS)
def test_axe_has_nothing_to_say(page: Page, dash: Dash, path: tuple[str, ...]) -> None:
    go(page, dash, *path)
    for button in page.get_by_role("button", name="Show the answer").all():
        button.click()
    assert_axe_has_nothing_to_say(page)
