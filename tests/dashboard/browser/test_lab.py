"""The optimizer lab in a real browser, with a real worker: what is drawn is what torch computes."""

import re
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from surefoot.lab.descent.surface import SURFACES
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import assert_axe_has_nothing_to_say, drawn_in, points, show

FOUR = ["SGD rate=0.05", "SGD rate=0.05 noise=mini", "Adam", "SGD rate=0.3"]


def lab(page: Page, dash: Dash, **query: Any) -> None:
    show(page, dash, "lab", **query)
    expect(results(page).first).to_be_visible(timeout=120_000)  # the first answer waits for torch


def results(page: Page) -> Any:
    return page.locator("table.lab-results tbody tr")


def why(page: Page, text: str) -> Any:
    return page.locator(".why, .problem").filter(has_text=text)


def bowl(rate: float, steps: int, start: tuple[float, float] = (3.0, 2.0), *, forget: bool = False) -> list[float]:
    w = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=rate)
    for _ in range(steps):
        if not forget:
            optimizer.zero_grad()
        (w[0] ** 2 + 4 * w[1] ** 2).backward()
        optimizer.step()
    return [float(value) for value in w.detach()]


def end(page: Page, row: int = 0) -> list[float]:
    cells = results(page).nth(row).locator("td").all_inner_texts()
    return [float(text) for text in cells[:2]]


def test_the_default_path_is_drawn_and_ends_where_torchs_does(page: Page, dash: Dash) -> None:
    show(page, dash)
    page.get_by_role("link", name="Optimizer lab").click()
    expect(results(page)).to_have_count(1, timeout=120_000)
    assert end(page) == pytest.approx(bowl(0.15, 50), rel=2e-4, abs=0)
    assert drawn_in(page.locator(".lab-map"), "text")  # the minimum, on the canvas below
    assert drawn(page) == [1]
    for name in ("Loss", "Learning rate", "Gradient norm"):
        assert points(page.get_by_role("region", name=name, exact=True)) == [51 if name == "Loss" else 50]
    w0, w1 = bowl(0.15, 50)
    loss = page.get_by_role("region", name="Loss", exact=True).evaluate("(chart) => chart.card.curves[0].lasts.at(-1)")
    assert loss == float(f"{float(torch.tensor(w0) ** 2 + 4 * torch.tensor(w1) ** 2):.9g}")  # all digits of a float32
    label = page.locator(".lab-paths").get_attribute("aria-label")
    assert label is not None and label.startswith("Path 1, SGD 0.15: ends at")


def drawn(page: Page) -> list[int]:
    """Which paths have left their colour on the canvas, which is read once: a browser complains of more."""
    found: list[int] = page.locator(".lab-paths").evaluate(
        """(canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const theme = getComputedStyle(document.documentElement);
            return [1, 2, 3, 4].filter((number) => {
                const hex = theme.getPropertyValue(`--curve-${number}`).trim();
                const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
                for (let at = 0; at < data.length; at += 4)
                    if (data[at + 3] > 200 && wanted.every((part, i) => Math.abs(part - data[at + i]) < 6)) return true;
                return false;
            });
        }"""
    )
    return found


def test_a_switch_changes_the_path_and_the_link_keeps_it(page: Page, dash: Dash) -> None:
    lab(page, dash)
    page.get_by_role("checkbox", name="Forget to zero").check()
    expect(results(page).first).to_contain_text("forget to zero")
    assert end(page) == pytest.approx(bowl(0.15, 50, forget=True), rel=2e-4, abs=0)
    page.get_by_label("Updates").fill("20")
    page.get_by_role("textbox", name="Learning rate").fill("0.05")
    expect(results(page).first).to_contain_text("SGD 0.05")
    address = page.url
    assert "forget_zero" in address
    page.goto("about:blank")
    page.goto(address)
    expect(results(page).first).to_contain_text("forget to zero")
    expect(page.get_by_label("Updates")).to_have_value("20")
    expect(page.get_by_role("checkbox", name="Forget to zero")).to_be_checked()
    assert end(page) == pytest.approx(bowl(0.05, 20, forget=True), rel=2e-4, abs=0)


def test_the_start_is_set_by_a_click_a_drag_and_keys(page: Page, dash: Dash) -> None:
    lab(page, dash, steps=1)
    box = page.locator(".lab-paths").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4, steps=3)
    page.mouse.up()
    expect(page.get_by_label("Start w0")).to_have_value(re.compile(r"-\d"))
    before = float(page.get_by_label("Start w0").input_value())
    handle = page.get_by_role("button", name="Start at")
    expect(handle).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    expect(page.get_by_label("Start w0")).to_have_value(f"{round(before + 0.08, 2):g}")
    start = [float(page.get_by_label(f"Start w{i}").input_value()) for i in (0, 1)]
    for cell, weight in enumerate((0.7 * start[0], -0.2 * start[1])):
        expect(results(page).locator("td").nth(cell)).to_have_text(f"{round(weight, 5):g}")
    assert end(page) == pytest.approx(bowl(0.15, 1, (start[0], start[1])), rel=2e-4, abs=0)


def test_paths_are_added_compared_and_removed(page: Page, dash: Dash) -> None:
    lab(page, dash, path=FOUR)
    expect(results(page)).to_have_count(4)
    expect(page.get_by_role("button", name="Add a path")).to_be_disabled()
    assert drawn(page) == [1, 2, 3, 4]
    expect(results(page).nth(3)).to_contain_text("diverged: after update 39")
    page.get_by_role("button", name="Remove path 4").click()
    expect(results(page)).to_have_count(3)
    second = page.get_by_role("region", name="Path 2", exact=True)
    second.get_by_role("combobox", name="Optimizer").select_option("AdamW")
    expect(second.get_by_label("beta 2")).to_have_value("0.999")
    expect(second.get_by_label("Weight decay")).to_have_value("0.01")
    expect(second.get_by_role("textbox", name="Learning rate")).to_have_value("0.3")  # one that suits it here
    second.get_by_role("combobox", name="Schedule").select_option("warmup_cosine")
    expect(results(page).nth(1)).to_contain_text("AdamW 0.3, warm-up, cosine, mini-batch")
    page.get_by_role("button", name="Add a path").click()
    expect(results(page)).to_have_count(4)
    expect(
        page.get_by_role("region", name="Path 4", exact=True).get_by_role("combobox", name="Optimizer")
    ).to_be_focused()


def test_what_is_wrong_is_told_at_its_setting(page: Page, dash: Dash, complaints: list[str]) -> None:
    lab(page, dash)
    rate = page.get_by_role("textbox", name="Learning rate")
    rate.fill("-1")
    expect(why(page, "Learning rate must be above 0 and at most 1000, got -1.")).to_be_visible()
    expect(rate).to_have_attribute("aria-invalid", "true")
    rate.fill("nan")
    expect(why(page, "Learning rate must be a number, got 'nan'.")).to_be_visible()
    page.get_by_label("Updates").fill("1e9")
    expect(why(page, "Updates must be from 1 to 2,000")).to_be_visible()
    page.get_by_label("Updates").fill("10")
    rate.fill("0.1")
    expect(results(page)).to_have_count(1)
    expect(page.locator(".why:visible")).to_have_count(0)
    complaints.clear()  # a browser notes every answer that is an error


def test_a_link_with_nonsense_is_told(page: Page, dash: Dash, complaints: list[str]) -> None:
    show(page, dash, "lab", surface="<img src=x onerror=alert(1)>", start="1", path="Muon <b>=1")
    expect(why(page, "Optimizer must be one of")).to_be_visible()
    expect(why(page, "Surface must be one of")).to_be_visible()
    expect(why(page, "start must be two numbers")).to_be_visible()
    complaints.clear()


def test_every_example_computes_and_says_what_to_look_at(page: Page, dash: Dash) -> None:
    lab(page, dash)
    buttons = page.get_by_role("group", name="Examples").get_by_role("button")
    rows: dict[str, list[str]] = {}
    for button in buttons.all():
        with page.expect_response(lambda answer: answer.url.endswith("/api/descent")) as answer:
            title = button.inner_text()
            if button.get_attribute("aria-pressed") == "true":
                page.get_by_label("Seed").fill("1")  # as it is shown already
            button.click()
        assert answer.value.ok
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".lab-look")).to_be_visible()
        num = page.locator(".lab-path").count()
        expect(results(page)).to_have_count(num)
        expect(page.locator(".lab-results .name").nth(num - 1)).to_have_text(
            page.locator(".lab-path .name").nth(num - 1).inner_text()
        )
        rows[title] = [row.inner_text() for row in results(page).all()]
    page.go_back()
    expect(buttons.nth(len(rows) - 2)).to_have_attribute("aria-pressed", "true")
    one, two, three = (row.split("\t", 1)[1] for row in rows["Accumulation without the division"])
    assert one == two != three
    assert ["outside" in row for row in rows["Rate too large"]] == [False, False, False, True]


def test_the_page_and_torch_have_the_same_surfaces(page: Page, dash: Dash) -> None:
    show(page, dash)
    grid = [(w0 / 4, w1 / 4) for w0 in range(-12, 13, 3) for w1 in range(-8, 9, 2)]
    found = page.evaluate(
        """async (grid) => {
            const { LOSSES } = await import("/static/script/lab/catalogue.js");
            const values = Object.entries(LOSSES).map(([name, loss]) => [name, grid.map(([a, b]) => loss(a, b))]);
            return Object.fromEntries(values);
        }""",
        grid,
    )
    assert set(found) == set(SURFACES)
    for name, values in found.items():
        w = torch.tensor(grid, dtype=torch.float64)
        assert values == pytest.approx(SURFACES[name].loss(w[:, 0], w[:, 1]).tolist(), rel=1e-12, abs=1e-12)


def test_a_long_one_can_be_cancelled(page: Page, dash: Dash) -> None:
    lab(page, dash)
    path = "LBFGS max_iter=20 line_search=1 accumulate=64 noise=single"
    page.goto(f"{dash.root}#/lab?steps=2000&path={path.replace(' ', '+').replace('=', '%3D')}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert").filter(has_text="Cancelled.")).to_be_visible()
    page.get_by_role("button", name="The bowl").click()
    expect(results(page)).to_have_count(1)
    assert end(page) == pytest.approx(bowl(0.15, 50), rel=2e-4, abs=0)


def test_nothing_sticks_out(page: Page, dash: Dash) -> None:
    for width in (1000, 2600, 390):
        page.set_viewport_size({"width": width, "height": 900})
        lab(page, dash, path=FOUR)
        scroll, seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert scroll <= seen, f"it is {scroll} px wide at {width}"


def test_axe_has_nothing_to_say(page: Page, dash: Dash) -> None:
    lab(page, dash, path=FOUR)
    assert_axe_has_nothing_to_say(page)


def test_it_is_sharp_on_a_fine_screen_and_follows_the_theme(browser: Browser, dash: Dash) -> None:
    with browser.new_context(viewport={"width": 1200, "height": 900}, device_scale_factor=2) as context:
        page = context.new_page()
        page.goto(dash.address)
        lab(page, dash)
        wide = "document.querySelector('.lab-paths').width / document.querySelector('.lab-paths').clientWidth"
        assert page.evaluate(wide) == pytest.approx(2, abs=0.01)
        assert drawn(page) == [1]
        page.emulate_media(color_scheme="dark")
        page.wait_for_timeout(100)
        assert drawn(page) == [1]


def test_the_first_page_does_not_load_it(page: Page, dash: Dash) -> None:
    show(page, dash)
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert not [name for name in loaded if "/lab" in name]
