"""The newcomer's path in README: every command works, and says what is shown."""

import re
import shutil
from pathlib import Path

from tests.guide.page import assert_shown, blocks, commands, run_command

ROOT = Path(__file__).parents[2]
SECTION = "## First steps\n"


def test_each_command_says_what_is_shown(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (path,) = re.findall(rf"^{SECTION}(.*?)^## ", readme, re.MULTILINE | re.DOTALL)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = [pair for block in blocks(path) for pair in commands(block)]
    assert [command.split()[1] for command, _ in done] == ["run", "run", "trace", "lr-find", "report"]
    for command, shown in done:
        said = run_command(command, tmp_path, SUREFOOT_LOG="runs")
        assert_shown(shown, said, command, by_machine=True)
    assert (tmp_path / "report.html").stat().st_size > 100_000
