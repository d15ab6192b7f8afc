"""Images, audio, texts and tables by step, in the dashboard and in a report; nothing in them is run."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import surefoot as sf
from surefoot.cli.main import main
from tests.dashboard.browser.conftest import Dash
from tests.dashboard.browser.looking import assert_axe_has_nothing_to_say, show

EVIL = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"


@pytest.fixture
def logged(dash: Dash) -> Iterator[str]:
    import shutil

    ramp = np.arange(16, dtype=np.uint8).reshape(4, 4) * 16
    tone = np.sin(np.arange(800) / 800 * 2 * math.pi * 44)
    with sf.start_run(dash.folder, name="media") as run:
        for step in (1, 2, 3):
            run.log({"picture": [ramp, 255 - ramp], EVIL: f"{EVIL} {step}", "loss": 1 / step}, step=step)
        run.log(
            {"table": sf.Table(["name", EVIL], [["a", EVIL], [1.5, None]]), "tone": sf.Audio(tone, 8000, EVIL)}, step=3
        )
    yield run.name
    shutil.rmtree(run.folder)


def look_at(page: Page) -> None:
    """All that is there, by step."""
    text = page.get_by_role("region", name=EVIL)
    expect(text.locator("pre")).to_have_text(f"{EVIL} 3")
    picture = page.get_by_role("region", name="picture", exact=True)
    expect(picture.locator("img")).to_have_count(2)
    expect(picture.locator("output")).to_have_text("step 3")
    picture.get_by_role("slider").press("ArrowLeft")
    expect(picture.locator("output")).to_have_text("step 2")
    for image in page.locator("img").all():  # each is decoded when it is
        expect(image).not_to_have_js_property("naturalWidth", 0)
    expect(page.get_by_role("region", name="table", exact=True).locator("td")).to_have_text(
        ["a", EVIL, "1.5", "\u2013"]
    )
    assert page.locator("audio").evaluate(
        "(audio) => new Promise((tell) => { audio.onloadedmetadata = () => tell(audio.duration); audio.load(); })"
    ) == pytest.approx(0.1, abs=0.01)
    assert page.evaluate("window.ran") is None
    assert page.locator("img[onerror], main script").count() == 0


def test_media_by_step_and_in_a_report(
    page: Page, dash: Dash, logged: str, complaints: list[str], tmp_path: Path
) -> None:
    show(page, dash, "run", logged)
    page.get_by_role("link", name="Media").click()
    look_at(page)
    assert_axe_has_nothing_to_say(page)
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")

    for part in sf.open(dash.folder)[logged].media():  # alone, too, nothing of it is run
        page.goto(f"{dash.root}api/runs/{logged}/media/rank-0/{part.path.name}")
        assert page.evaluate("window.ran") is None
    complaints.clear()  # a browser asks for an icon, which the policy of a file refuses

    file = tmp_path / "report.html"
    assert main(["report", logged, "--log", str(dash.folder), "-o", str(file)]) == 0
    page.goto(f"{file.as_uri()}#/run/{logged}/media")
    look_at(page)
    complaints[:] = [told for told in complaints if not told.startswith("asked file:")]
