"""`docs/benchmarks.md`, `docs/reliability.md`: each command writes its own part, and leaves the others as they are."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "benchmarks.md"
RELIABILITY = DOCS / "reliability.md"
HEADS = {
    PAGE.name: """# Figures of the run log

Written by `make prove-log`, `make bench-log`, `make bench-dash` and `make bench-sync`, each its own parts.
No figure here is by hand.
""",
    RELIABILITY.name: """# Reliability

What happens when writers are killed, files are damaged, and SQL and the server are attacked, tried many times.
Written by `make prove-log`, `make prove-peers`, `make prove-places`, `make fuzz` and `make prove-door`, each its own
parts.
No figure here is by hand.
""",
}
PARTS = (
    "proof",
    "peers",
    "dashboards",
    "lists",
    "sync",
    "kills",
    "damages",
    "further",
    "others",
    "places",
    "fuzz",
    "door",
)


def put(part: str, text: str, page: Path = PAGE) -> None:
    """Replace that part, or add it."""
    known = _parts(page.read_text(encoding="utf-8")) if page.exists() else {}
    known[part] = text.strip()
    blocks = [f"<!-- {name} -->\n{known[name]}\n<!-- end of {name} -->\n" for name in PARTS if name in known]
    page.write_text("\n".join([HEADS[page.name], *blocks]), encoding="utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _parts(text: str) -> dict[str, str]:
    found = re.findall(r"<!-- (\w+) -->\n(.*?)\n<!-- end of \1 -->", text, re.DOTALL)
    return dict(found)
