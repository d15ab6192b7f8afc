"""A scripted client fixes buggy programs with the answers of `surefoot mcp`, and writes docs/assistant-corpus.md.

python -m benchmarks.assistant [--every N] [--only PART_OF_A_NAME]

Programs are those of the bug corpus, each Nth of them in the order of their names. They are copied without the comments
that mark their bugs. The client never reads a program: it applies the diffs that it is given, and asks again.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters, stdio_client

from benchmarks.assistant.client import Outcome, mend
from benchmarks.assistant.page import page
from benchmarks.bugs.process import ROOT, environment
from benchmarks.bugs.program import Program, corpus

PAGE = ROOT / "docs" / "assistant-corpus.md"
_MARK = re.compile(r"\s*# (BUG|source|changed|gap):.*")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=6, metavar="N", help="take each Nth program (default: 6)")
    parser.add_argument("--only", default="", help="a part of a name")
    options = parser.parse_args()
    buggy = [program for program in corpus() if program.is_buggy and not program.needs and not program.options]
    taken = [program for program in buggy if options.only in program.name][:: options.every]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = anyio.run(_mend_all, taken, Path(folder))
    text = page(outcomes, len(buggy), options.every)
    print(text)
    if not options.only:
        PAGE.write_text(text)


async def _mend_all(programs: list[Program], folder: Path) -> list[Outcome]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "surefoot", "mcp", "--allow-run"], cwd=folder, env=environment()
    )
    outcomes = []
    async with Client(stdio_client(server)) as client:
        for program in programs:
            unmarked = "\n".join(_MARK.sub("", line) for line in program.path.read_text().split("\n"))
            (folder / "train.py").write_text(unmarked)
            outcomes.append(await mend(client, program, lambda diff: _apply(diff, folder)))
            print(program.name, outcomes[-1], flush=True)
    return outcomes


def _apply(diff: str, folder: Path) -> bool:
    done = subprocess.run(["patch", "-p1", "--batch"], cwd=folder, input=diff, text=True, capture_output=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
