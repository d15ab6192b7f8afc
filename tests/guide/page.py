"""The code of a page of documentation, and what it shows of its output.

- Blocks of `python` run in order, in one namespace, each under every rule. The `text` below one is what it prints.
- One that begins with `# wrong: RULE` must be found by that rule, and by no other above a note; all others by none.
- One that begins with `# file: NAME` is written to that file; `console` blocks run it.
- In what is shown, `…` stands for anything within a line, and alone on a line for any lines. Blanks are not compared.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forked.client import surefoot_as_shown
from tests.rules.twins import above_notes, watch_program

TIMEOUT_SECONDS = 280  # only to end what hangs
_BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WRONG = re.compile(r"# wrong: ([a-z0-9-]+)\n")
_FILE = re.compile(r"# file: ([\w.]+)\n")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_TIME = re.compile(r"\b[\d.]+ (µs|ms|s)\b")
_FRACTION = re.compile(r"\d+\.\d+(e-?\d+)?")
PROGRAMS: dict[str, list[str]] = {"python": [], "torchrun": ["-m", "torch.distributed.run"], "pytest": ["-m", "pytest"]}


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int  # of the page

    @property
    def wrong(self) -> str | None:
        """The rule that finds it."""
        found = _WRONG.match(self.text)
        return found[1] if found else None

    @property
    def file(self) -> str | None:
        found = _FILE.match(self.text)
        return found[1] if found else None


def blocks(page: str) -> list[Block]:
    return [Block(match[1], match[2], page[: match.start()].count("\n") + 2) for match in _BLOCK.finditer(page)]


def commands(block: Block) -> list[tuple[str, str]]:
    """The commands of a console, and what is shown of each."""
    return [(match[1], match[2]) for match in _COMMAND.finditer(block.text)]


def run_page(page: Path, folder: Path) -> None:
    """Run all of it in `folder`, which is the current one."""
    names: dict[str, Any] = {"__name__": page.stem}
    said = None
    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{page.name}:{block.line}"
        if block.kind == "text":
            assert said is not None, f"{place} shows what no code above prints"
            assert_shown(block.text, said, place)
            said = None
        elif block.kind == "console":
            for command, shown in commands(block):
                assert_shown(shown, run_command(command, folder), f"{place}: {command}")
        elif block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        else:
            assert not said, f"what the code above {place} prints is not shown:\n{said}"
            said = _run(block, names, folder / f"{page.stem}_{block.line}.py", place)
    assert not said, f"the last output of {page.name} is not shown:\n{said}"


def _run(block: Block, names: dict[str, Any], file: Path, place: str) -> str:
    """What it prints. It must be found as it says."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        findings, _ = watch_program(block.text, file, names)
    expected = {block.wrong} if block.wrong else set()
    told = [f"{finding.rule} at {finding.line}: {finding.message}" for finding in findings]
    assert above_notes(findings) <= expected <= {finding.rule for finding in findings}, f"{place}: {told}"
    return out.getvalue()


def run_command(command: str, folder: Path, **environ: str) -> str:
    """What it says; what goes to stderr stands where it was said."""
    name, *arguments = shlex.split(command, comments=True)
    if name == "surefoot":
        return surefoot_as_shown(*arguments, cwd=folder, **environ)
    done = subprocess.run(
        [sys.executable, *PROGRAMS[name], *arguments], cwd=folder, timeout=TIMEOUT_SECONDS, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", **environ},
    )  # fmt: skip
    return done.stdout


def assert_shown(shown: str, said: str, place: str, *, by_machine: bool = False) -> None:
    """`by_machine`: decimal fractions may be others."""
    if by_machine:
        shown, said = (_FRACTION.sub("FRACTION", _TIME.sub("0 ms", text)) for text in (shown, said))
    assert is_shown(shown, said), f"{place} shows\n{shown}\nbut it is\n{said}"


def is_shown(shown: str, said: str) -> bool:
    """Times and blanks are not compared."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else _pattern(line) + r"\n" for line in shown.splitlines())
    return re.fullmatch(pattern, "".join(_plain(line) + "\n" for line in said.splitlines())) is not None


def _pattern(line: str) -> str:
    return re.escape(_plain(line)).replace("…", ".*")


def _plain(line: str) -> str:
    return " ".join(_TIME.sub("TIME", line).split())
