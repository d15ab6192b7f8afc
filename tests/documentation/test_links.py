"""No page of the repository has a dead link."""

from pathlib import Path

import pytest
from tools.site.links import DOCS, REPOSITORY, ROOT, anchors, dead_links, for_site

PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_link_is_dead(page: Path) -> None:
    assert dead_links(page) == []


def test_a_dead_file_and_a_dead_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `two`\n[a](gone.md) [b](#one-two) [c](#gone) [d](page.md#one-two)\n```\n[e](no.md)\n```\n")
    assert dead_links(page) == ["gone.md", "#gone"]
    assert anchors(page.read_text()) == {"one-two"}


def test_the_site_links_to_the_repository_for_what_it_does_not_have() -> None:
    readme = "[a](docs/lab.md) [b](LICENSE) [c](https://example.org)\n```\n[d](LICENSE)\n```\n"
    assert for_site(readme, ROOT / "README.md") == (
        f"[a](lab.md) [b]({REPOSITORY}/LICENSE) [c](https://example.org)\n```\n[d](LICENSE)\n```\n"
    )
    assert for_site("[a](../lab.md)", DOCS / "guide" / "page.md") == "[a](../lab.md)"
