"""`surefoot mcp`: a server of the Model Context Protocol, for coding assistants."""

import argparse
import sys
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from surefoot.cli.parsing import DEFAULT_LOG, number, parser_of
from surefoot.cli.usage import UsageError

_EXAMPLES = """\
  surefoot mcp                             tools that read: findings, explain, query, compare
  surefoot mcp --allow-run                 and those that run programs: run, trace, check, verify, fix
  surefoot mcp --allow-run --allow-write   and apply_fix, which writes proven patches into the source
  surefoot mcp --skill > .claude/skills/surefoot/SKILL.md      tells an assistant how to work with surefoot

An assistant starts it and speaks with it over stdin and stdout. Programs run with the rights of this process.
"""


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    if options.skill:
        sys.stdout.write(resources.files("surefoot.mcp").joinpath("skill.md").read_text(encoding="utf-8"))
        return 0
    if options.allow_write and not options.allow_run:
        raise UsageError("--allow-write needs --allow-run: running the program proves a patch.")
    if not options.folder.is_dir():
        raise UsageError(f"there is no folder {options.folder}.")
    if find_spec("mcp") is None or find_spec("mcp.server.mcpserver") is None:
        raise UsageError("surefoot mcp needs the package mcp, version 2 or newer: pip install 'surefoot[mcp]'.")
    from surefoot.mcp.server import make_server
    from surefoot.mcp.tools import Tools

    folder = options.folder.absolute()
    tools = Tools(folder, folder / options.log, options.timeout)
    make_server(tools, may_run=options.allow_run, may_write=options.allow_write).run("stdio")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of(
        "mcp", "Serve coding assistants over the Model Context Protocol, on stdin and stdout.", _EXAMPLES
    )
    add = parser.add_argument
    add("--allow-run", action="store_true", help="offer the tools that run programs")
    add("--allow-write", action="store_true", help="offer the tool that writes patches into the source")
    add("--folder", type=Path, default=Path(), metavar="DIR", help="where programs run (default: the current folder)")
    add("--log", type=Path, default=DEFAULT_LOG, metavar="DIR", help="where runs are logged (default: runs)")
    add("--timeout", type=number(0.001, wanted="a number of seconds above 0"), default=600.0, metavar="SECONDS",
        help="limit for one program (default: 600)")  # fmt: skip
    add("--skill", action="store_true", help="print a skill file for repositories")
    return parser
