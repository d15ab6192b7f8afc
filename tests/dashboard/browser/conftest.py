"""One server over runs of real training, one browser, and a page for each test that must not complain."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from tests.dashboard.browser.programs import BUGGY, GOOD, TRACED

ROOT = Path(__file__).parents[3]
WIDE = {"width": 1400, "height": 1000}
expect.set_options(timeout=30_000)  # a busy machine is no failure


def _tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = _tool("browser")


@dataclass(frozen=True)
class Dash:
    """A server that runs; its address lets in."""

    folder: Path
    address: str

    @property
    def root(self) -> str:
        return self.address.partition("?")[0]

    def run(self, part: str) -> str:
        """The name of a run that has this in it."""
        return next(one.name for one in sorted(self.folder.iterdir()) if part in one.name)


def surefoot(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "surefoot", *map(str, arguments)]


# Not of the whole session: while Playwright is up, an event loop runs in this thread, and other tests start their own.
@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two trainings, one with a bug."""
    place = tmp_path_factory.mktemp("trained")
    environment = {**os.environ, "SUREFOOT_LOG": "on"}
    started = []
    for name, text in (("good", GOOD), ("buggy", BUGGY)):
        (place / f"{name}.py").write_text(text, encoding="utf-8")
        command = surefoot("run", "--fail-on", "never", "--overhead", "1", "--log", place / "runs", f"{name}.py")
        started.append(subprocess.Popen(command, cwd=place, env=environment, stderr=subprocess.PIPE))
    for process in started:
        _, said = process.communicate(timeout=200)
        assert process.returncode == 0, said.decode()
    return place / "runs"


@pytest.fixture(scope="package")
def dash(folder: Path) -> Iterator[Dash]:
    command = surefoot("dash", folder, "--port", 0, "--no-browser")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                found = re.search(r"http://\S+token=\S+", line)
                if found:
                    yield Dash(folder, found[0])
                    break
        finally:
            process.terminate()


@pytest.fixture(scope="package")
def traced(dash: Dash) -> str:
    """The name of a trace: windows of two micro-batches, two optimizers, a schedule, a bug."""
    script = dash.folder.parent / "traced.py"
    script.write_text(TRACED, encoding="utf-8")
    command = surefoot("trace", "--to-end", "--steps", "4", "--log", dash.folder, script.name)
    done = subprocess.run(command, cwd=script.parent, env=dict(os.environ), capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr.decode()
    (file,) = (dash.folder / "traces").glob("*traced*.json")
    return file.stem


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(program: str, playwright: Playwright) -> Iterator[Browser]:
    with playwright.chromium.launch(executable_path=program, args=TOOL.FLAGS) as started:
        yield started


@pytest.fixture(scope="package")
def program() -> str:
    found: str | None = TOOL.find_browser()
    if found is None:
        pytest.skip("there is no Chromium or Chrome here: `python tools/browser.py` installs one")
    return found


@pytest.fixture
def complaints() -> list[str]:
    """What the console said, and who else was asked: nothing and nobody, or the test fails."""
    return []


@pytest.fixture
def page(browser: Browser, dash: Dash, complaints: list[str]) -> Iterator[Page]:
    """Let in, and empty: most tests go to another view than the first, and drawing that takes time."""
    with browser.new_context(viewport=WIDE) as context:
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: _is_own(request.url, dash) or complaints.append(f"asked {request.url}"))
        context.request.get(dash.address)  # the cookie
        yield page
        assert not complaints


def _is_own(address: str, dash: Dash) -> bool:
    return address.startswith((dash.root, "blob:", "data:"))
