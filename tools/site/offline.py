"""Checks that a built site loads nothing from other hosts. Links that a reader follows are not loaded."""

import re
from html.parser import HTMLParser
from pathlib import Path

_CSS = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
_JS = re.compile(r"https?://[\w.-]+[^\s'\"`)\\]*")
# Addresses in the theme's scripts that no page of ours makes it ask for.
_UNUSED = (
    "http://www.w3.org/",  # names of XML namespaces
    "https://unpkg.com/mermaid",  # only on pages with a diagram: `check` refuses those
    "https://unpkg.com/resize-observer-polyfill",  # only in browsers older than 2020
    "https://unpkg.com/iframe-worker",  # only from file://, where search does not run
    "https://api.github.com/", "https://gitlab.com/",  # only if repo_url is set in mkdocs.yml
)  # fmt: skip
_LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "object": "data"}


class _Loads(HTMLParser):
    """What a page makes the browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and given.get("rel") not in {"canonical", "next", "prev"}:
            self.found.append(given.get("href") or "")
        elif tag in _LOADING:
            self.found.append(given.get(_LOADING[tag]) or "")
        if "mermaid" in (given.get("class") or ""):
            self.found.append("https://unpkg.com/mermaid")


def foreign(file: Path) -> list[str]:
    """The addresses on other hosts that a file of the site loads from."""
    if file.suffix not in {".html", ".css", ".svg", ".js"}:
        return []
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".html":
        page = _Loads()
        page.feed(text)
        return [address for address in page.found if re.match(r"(https?:)?//", address)] + _CSS.findall(text)
    if file.suffix in {".css", ".svg"}:
        return _CSS.findall(text)
    if file.suffix == ".js":
        return [address for address in _JS.findall(_COMMENT.sub("", text)) if not address.startswith(_UNUSED)]
    return []


def check(folder: Path) -> None:
    found = [
        f"{file.relative_to(folder)}: {address}" for file in sorted(folder.rglob("*")) for address in foreign(file)
    ]
    if found:
        raise SystemExit("The site loads from other hosts:\n" + "\n".join(found))
