"""Write docs/images: the dashboard, looking at a run with a caught bug and at one that learns.

python tools/screenshots.py    # trains both, takes a minute; needs a Chromium (tools/browser.py)
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from browser import FLAGS, find_browser
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 800}
MOST_BYTES = 150_000
SUREFOOT = [sys.executable, "-m", "surefoot"]


def train(folder: Path) -> None:
    for script in ("examples/digits.py", "examples/digits_with_a_bug.py"):
        command = [*SUREFOOT, "run", "--fail-on", "never", "--overhead", "1", "--log", str(folder), script]
        subprocess.run(command, cwd=ROOT, check=True)
    trace = [*SUREFOOT, "trace", "--steps", "1", "--log", str(folder), "examples/digits.py"]
    subprocess.run(trace, cwd=ROOT, check=True)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a dashboard, with its token."""
    command = [*SUREFOOT, "dash", str(folder), "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = next(filter(None, (re.search(r"http://\S+token=\S+", line) for line in process.stderr)))
        yield found[0]
        process.terminate()


def take(page: Page, address: str, folder: Path) -> None:
    root = address.partition("?")[0]
    runs = [one.name for one in folder.iterdir() if one.name != "traces"]
    bug, good = sorted(runs, key=lambda name: "bug" not in name)
    page.goto(address)
    page.locator("table.runs").wait_for()
    shoot(page, "runs", height=330)
    page.goto(f"{root}#/run/{bug}")
    page.locator(".chart.loaded").first.wait_for()
    shoot(page, "run")
    page.locator("nav.tabs").get_by_text("Findings").click()
    page.locator(".excerpt").first.wait_for()
    shoot(page, "finding", height=740)
    page.goto(f"{root}#/run/{good}/gradients?layer=0.weight")
    page.locator(".chart.loaded").nth(2).wait_for()
    shoot(page, "gradients")
    page.goto(f"{root}#/lab")
    page.get_by_role("button", name="Momentum in a ravine").click()
    page.locator(".lab-results tr").nth(3).wait_for(timeout=120_000)
    shoot(page, "optimizer-lab", height=735)
    (trace,) = (folder / "traces").iterdir()
    page.goto(f"{root}#/trace/{trace.stem}")
    page.locator(".trace-detail").wait_for()
    shoot(page, "trace", height=700)


def shoot(page: Page, name: str, height: int = SIZE["height"]) -> None:
    page.set_viewport_size({"width": SIZE["width"], "height": height})
    page.wait_for_timeout(500)  # charts fit themselves to the new size
    file = IMAGES / f"{name}.png"
    page.screenshot(path=file)
    size = file.stat().st_size
    print(f"{file.relative_to(ROOT)}: {size / 1000:.0f} kB" + " which is too much" * (size > MOST_BYTES))


def main() -> int:
    program = find_browser()
    if program is None:
        sys.exit("There is no Chromium or Chrome here: `python tools/browser.py` installs one.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "runs")
        train(folder)
        with (
            serving(folder) as address,
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=program, args=FLAGS) as started,
        ):
            take(started.new_page(viewport=SIZE), address, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
