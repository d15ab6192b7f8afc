"""What tests ask of a page."""

import json
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, Page

from tests.dashboard.browser.conftest import TOOL, Dash


def show(page: Page, dash: Dash, *path: str, **query: Any) -> None:
    """Go to a view, and wait until what it asks for is there."""
    state = f"?{urlencode(query, doseq=True)}" if query else ""
    is_there = page.url.startswith(dash.root)
    page.goto(f"{dash.root}#/{'/'.join(map(quote, path))}{state}")
    if is_there:
        page.reload()  # the same document, else


def points(chart: Locator) -> list[int]:
    """How many each curve of a chart has, once they are there."""
    chart.scroll_into_view_if_needed()
    found: list[int] = chart.evaluate(
        """async (chart) => {
            const isBusy = () => chart.getAttribute("aria-busy") === "true";
            const isReady = () => !isBusy() && chart.card.curves.every((curve) => curve.length);
            while (!isReady()) await new Promise((resume) => setTimeout(resume, 20));
            return chart.card.curves.map((curve) => curve.length);
        }"""
    )
    return found


def drag(page: Page, chart: Locator, first: float, last: float) -> None:
    """From one place of its axis to another, as shares of it."""
    box = chart.locator(".u-over").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + first * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + last * box["width"], y, steps=4)
    page.mouse.up()


def drawn_in(chart: Locator, colour: str) -> bool:
    """Whether a colour of the theme is on its canvas."""
    found: bool = chart.evaluate(
        """(chart, name) => {
            const hex = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
            const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
            const canvas = chart.querySelector("canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            for (let at = 0; at < data.length; at += 4) {
                if (wanted.every((part, i) => Math.abs(part - data[at + i]) < 8) && data[at + 3] > 200) return true;
            }
            return false;
        }""",
        colour,
    )
    return found


def assert_axe_has_nothing_to_say(page: Page) -> None:
    """About what is there now, light and dark."""
    if not TOOL.AXE.is_file():
        pytest.skip("axe-core is not there: `npm ci` brings it")
    page.evaluate(TOOL.AXE.read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found = page.evaluate("async () => (await axe.run()).violations")
        told = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
        assert not told, f"{theme}: {json.dumps(told, indent=1)}"
