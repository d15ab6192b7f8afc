"""The files of the page, without a browser."""

import re
from pathlib import Path

from surefoot.dashboard.server.app import PAGE

INDEX = (PAGE / "index.html").read_text(encoding="utf-8")
IMPORT = re.compile(r"""\bfrom\s*["'](\.{1,2}/[^"']+)["']""")
LATE = re.compile(r"""\bimport\(["']\./([^"']+)["']\)""")
EARLY = {"script/main.js"}  # which the page loads by itself


def modules() -> list[Path]:
    return sorted((PAGE / "script").rglob("*.js"))


def imported(name: str) -> set[Path]:
    """A module and all that comes with it."""
    found: set[Path] = set()
    waiting = [PAGE / "script" / name]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += [(module.parent / one).resolve() for one in IMPORT.findall(module.read_text(encoding="utf-8"))]
    return found


def test_all_modules_are_asked_for_at_once() -> None:
    """Else a browser finds them one after the other, as deep as they import each other."""
    preloaded = re.findall(r'<link rel="modulepreload" href="static/([^"]+)">', INDEX)
    assert set(preloaded) == {module.relative_to(PAGE).as_posix() for module in imported("main.js")} - EARLY
    assert len(preloaded) == len(set(preloaded))


def test_pages_that_few_open_come_when_they_are_opened() -> None:
    at_once = imported("main.js")
    late = {PAGE / "script" / name for name in LATE.findall((PAGE / "script" / "main.js").read_text(encoding="utf-8"))}
    assert late and late.isdisjoint(at_once)
    assert at_once.union(*(imported(page.relative_to(PAGE / "script").as_posix()) for page in late)) == {
        *modules(), PAGE / "vendor" / "uPlot.esm.js"
    } - {PAGE / "script" / "theme" / "first.js"}  # fmt: skip


def test_what_is_imported_is_there() -> None:
    for module in modules():
        for name in IMPORT.findall(module.read_text(encoding="utf-8")):
            assert (module.parent / name).is_file(), f"{module.name} imports {name}"


def test_nothing_is_made_of_text_that_a_run_may_hold() -> None:
    for module in modules():
        text = module.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            module
        )


def test_the_page_has_nothing_inline_and_asks_nobody_else() -> None:
    assert not re.search(r"<script(?![^>]*src=)|<style|\bstyle=|\bon\w+=", INDEX)
    for file in [*modules(), *PAGE.rglob("style/*.css"), PAGE / "index.html"]:
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", file.read_text(encoding="utf-8")), file


def test_only_one_module_talks_to_the_server() -> None:
    talking = [
        module.name for module in modules() if re.search(r"\bfetch\(|new EventSource", module.read_text("utf-8"))
    ]
    assert talking == ["source.js"]
