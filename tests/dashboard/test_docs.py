"""The page about the dashboard names all there is."""

import re
from pathlib import Path

from surefoot.cli import dash_command
from surefoot.dashboard.data import question
from surefoot.dashboard.report import gather
from surefoot.dashboard.server.serve import PORT

PAGE = (Path(__file__).parents[2] / "docs" / "dashboard.md").read_text(encoding="utf-8")


def test_every_option_is_told() -> None:
    options = re.findall(r'add_argument\(\s*"(--[\w-]+)"', Path(dash_command.__file__).read_text(encoding="utf-8"))
    assert {"--port", "--host", "--open-to-network"} <= set(options)
    for option in set(options) - {"--log"}:  # the same as DIR
        assert option in PAGE, option


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"ssh -L {PORT}:localhost:{PORT}" in PAGE
    assert f"{question.SECONDS:.0f} s, {question.MEMORY.replace('GB', ' GB')}, {question.MOST_ROWS:,} rows" in PAGE
    assert f"and {question.MOST_BYTES // 1_000_000} MB at most" in PAGE
    assert f"{gather.MOST_POINTS:,} points" in PAGE
