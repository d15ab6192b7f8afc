"""The guides: their code runs and prints what they show, and what they call wrong is found."""

import re
from pathlib import Path

import pytest

from surefoot.rules.catalogue import catalogue
from tests.guide.page import blocks, is_shown, run_page

FOLDER = Path(__file__).parents[2] / "docs" / "guide"
PAGES = sorted(FOLDER.glob("*.md"))


@pytest.mark.usefixtures("only_own_models")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_does_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / target).exists(), target
    linked = set(re.findall(r"\.\./rules/([a-z0-9-]+)\.md", text))
    assert linked <= set(catalogue())
    assert {block.wrong for block in blocks(text) if block.wrong} <= linked


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("a  b\n", "a b\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("a\n…\nc\n", "a\nc\n", True),
        ("loss … at 3\n", "loss 0.25 at 3\n", True),
        ("loss … at 3\n", "loss 0.25 at 4\n", False),
        ("took 3 ms\n", "took 4.1 s\n", True),
        ("1.5\n", "125\n", False),
    ],
)
def test_what_is_shown_is_compared(shown: str, said: str, same: bool) -> None:
    assert is_shown(shown, said) == same
