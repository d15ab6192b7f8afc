"""What a page loads from other hosts is found; what a reader may follow is not."""

from pathlib import Path

import pytest
from tools.site.offline import check, foreign

LOADS = [
    ("a.html", '<script src="https://example.org/a.js"></script>'),
    ("b.html", '<link rel="stylesheet" href="//example.org/a.css">'),
    ("c.html", '<img src="http://example.org/a.png">'),
    ("d.css", "@font-face { src: url('https://example.org/a.woff2') }"),
    ("e.js", 'fetch("https://example.org/a.json")'),
    ("f.html", '<pre class="mermaid">graph</pre>'),
]
HARMLESS = [
    ("a.html", '<a href="https://example.org">there</a><script src="a.js"></script>'),
    ("b.css", "a { background: url(data:image/svg+xml;base64,AAAA) }"),
    ("c.js", '/* https://example.org */ let a = "http://www.w3.org/2000/svg"; // see https://example.org'),
    ("d.png", "https://example.org"),
]


@pytest.mark.parametrize(("name", "text"), LOADS)
def test_loads_are_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert len(foreign(tmp_path / name)) == 1
    with pytest.raises(SystemExit, match="loads from other hosts"):
        check(tmp_path)


def test_links_comments_and_other_files_are_not(tmp_path: Path) -> None:
    for name, text in HARMLESS:
        (tmp_path / name).write_text(text)
    check(tmp_path)
