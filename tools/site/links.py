"""Links between pages of the repository: which are dead, and where those of the site lead."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/surefoot/surefoot/blob/main"
_FENCE = re.compile(r"^(```+|~~~+).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<open>!?\[(?:[^\]]|\\\])*\]\()(?P<target>[^)\s]+)(?P<close>\))")
_HEADING = re.compile(r"^#+ +(.*?)\s*$", re.MULTILINE)


def links(text: str) -> Iterator[str]:
    """The targets in the prose of a page."""
    return (match["target"] for match in _LINK.finditer(_FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """The ids of its headings."""
    return {_slug(heading) for heading in _HEADING.findall(_FENCE.sub("", text))}


def _slug(heading: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def dead_links(page: Path) -> list[str]:
    """Targets within the repository that do not exist."""
    return [target for target in links(page.read_text(encoding="utf-8")) if not _lives(page, target)]


def _lives(page: Path, target: str) -> bool:
    if "://" in target or target.startswith("mailto:"):
        return True
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return is_generated(file)
    return not anchor or file.suffix != ".md" or anchor in anchors(file.read_text(encoding="utf-8"))


def is_generated(file: Path) -> bool:
    """Whether `make site` writes it, into docs/reference of the site."""
    return file.parent == DOCS / "reference"


def for_site(text: str, page: Path) -> str:
    """The text of `page` with links as the site needs them: what is not in docs/ leads to the repository."""

    def moved(match: re.Match[str]) -> str:
        return match["open"] + _moved(match["target"], page) + match["close"]

    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(moved, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join(parts) + _LINK.sub(moved, text[end:])


def _moved(target: str, page: Path) -> str:
    path, _, anchor = target.partition("#")
    if "://" in target or not path:
        return target
    file = (page.parent / path).resolve()
    if file.is_relative_to(DOCS) and not file.is_relative_to(DOCS / "decisions"):
        # README, outside docs/, is the front page of the site.
        return target if page.is_relative_to(DOCS) else target.removeprefix("docs/")
    suffix = f"#{anchor}" if anchor else ""
    return f"{REPOSITORY}/{file.relative_to(ROOT).as_posix()}{suffix}"
