"""The command line. A command's module is imported only when it is called: most of them need no torch."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from surefoot.cli.parsing import CommandParser, did_you_mean
from surefoot.cli.usage import USAGE_STATUS, UsageError
from surefoot.version import __version__

COMMANDS = {
    "run": "run a training script and name its silent bugs",
    "check": "test a script before a long run, by short experiments",
    "verify": "compare two ways to run a training: they compute the same, or where they first differ",
    "fix": "patch a script's silent bugs, each patch proven by running it",
    "trace": "show what one step of a script does, from data to update",
    "runs": "list runs: status, updates, last loss, findings",
    "dash": "show runs in the browser, live",
    "show": "summarise one run: settings, series, findings, events",
    "query": "ask runs with SQL",
    "replay": "re-evaluate a stored run with the current rules",
    "compare": "compare two runs: settings, series, the first step where they differ",
    "report": "write a run as one HTML file, to share",
    "export": "write a run for TensorBoard, or as CSV or Parquet",
    "import": "import runs from TensorBoard event files and CSV",
    "sync": "copy runs to where others read them: a shared folder, ssh, object storage",
    "doctor": "check the files of a run for damage and salvage them",
    "rm": "delete runs",
    "prune": "delete old runs and the leftovers of killed writers",
    "schedule": "show the rate of every update of a schedule, before training",
    "lr-find": "find a learning rate for a program's own loop",
    "gradcheck": "check custom autograd functions by finite differences",
    "mcp": "serve coding assistants over the Model Context Protocol",
    "rules": "list all rules",
    "explain": "explain what a rule finds, why it matters and how to fix it",
    "learn": "learn what goes wrong in training and watch it happen",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(args)
    except UsageError as error:
        from surefoot.runlog.secret import hide

        print(f"surefoot: {hide(str(error), args)}", file=sys.stderr)
        return USAGE_STATUS
    except BrokenPipeError:  # `surefoot rules | head`: whoever read has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _run(args: list[str]) -> int:
    named = next((arg for arg in args[1:] if arg in COMMANDS), None)
    if named and args[0].startswith("-"):
        raise UsageError(f"options follow the command, as in `surefoot {named} {args[0].partition('=')[0]} …`.")
    if not args or args[0].startswith("-"):
        _parser().parse_args(args)  # answers --help and --version, refuses the rest
        _parser().print_help(sys.stderr)
        return USAGE_STATUS
    if args[0] not in COMMANDS:
        raise UsageError(_unknown(args[0]))
    command = importlib.import_module(f"surefoot.cli.{args[0].replace('-', '_')}_command")
    status: int = command.main(args[1:])
    return status


def _unknown(name: str) -> str:
    if name.endswith(".py"):
        return f"there is no command {name!r}. To run a script: `surefoot run {name}`."
    hint = did_you_mean(name, COMMANDS) or f" The commands are {', '.join(COMMANDS)}."
    return f"there is no command {name!r}.{hint}"


class _Help(argparse.HelpFormatter):
    """Leaves room for the longest command: Python forgets that commands are indented, and would break the line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = max(map(len, COMMANDS)) + 4


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot",
        description="Find silent bugs in PyTorch training code.",
        epilog="`surefoot COMMAND --help` describes a command.",
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"surefoot {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary)
    return parser
