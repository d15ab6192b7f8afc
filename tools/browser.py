"""Make ready what the tests of the dashboard's page need: a Chromium, and axe, which checks that everybody can use it.

A browser that is there is taken. Else Playwright brings one, or apt does, as root on Debian. If nothing helps, that is
said, and the tests of the page are skipped: all others go on.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]  # a container has no sandbox to offer
SECONDS = 600


def find_browser() -> str | None:
    """The program, of those that speak Chromium's protocol."""
    named = os.environ.get("SUREFOOT_BROWSER")
    if named:
        return shutil.which(named)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or next((place for place in PLACES if Path(place).is_file()), None) or _playwrights_own()


def _playwrights_own() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        place = playwright.chromium.executable_path
    return place if Path(place).is_file() else None


def install() -> str | None:
    """By Playwright, or by apt."""
    _run([sys.executable, "-m", "playwright", "install", "chromium"])
    found = _playwrights_own()
    if found is None and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        _run(["apt-get", "update", "-qq"])
        _run(["apt-get", "install", "-y", "-qq", "chromium"])
        found = find_browser()
    return found


def get_axe() -> bool:
    npm = shutil.which("npm")
    if not AXE.is_file() and npm is not None:
        _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"])
    return AXE.is_file()


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"surefoot: {' '.join(command)}: {error}", file=sys.stderr)


def main() -> int:
    browser = find_browser() or install()
    print(f"surefoot: the page is tested in {browser}" if browser else _NO_BROWSER, file=sys.stderr)
    if not get_axe():
        print("surefoot: axe-core is not there and `npm ci` did not bring it: its tests are skipped.", file=sys.stderr)
    return 0


_NO_BROWSER = (
    "surefoot: there is no Chromium or Chrome, and neither Playwright nor apt could install one: the tests of the "
    "dashboard's page are skipped. SUREFOOT_BROWSER names a browser that is elsewhere."
)

if __name__ == "__main__":
    sys.exit(main())
