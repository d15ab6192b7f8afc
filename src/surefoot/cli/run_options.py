"""The options of `surefoot run`."""

import argparse
from collections.abc import Sequence

from surefoot.cli.alerting import add_alert_options
from surefoot.cli.choice import add_choice_options
from surefoot.cli.parsing import CommandParser, add_log_option, number, port, positive
from surefoot.cli.reporting import LEVELS, add_telling_options
from surefoot.launch.program import Program

PORT = 9464  # of --prometheus without a number

_EPILOG = """\
examples:
  surefoot run train.py --lr 0.1               run it as it is; findings on stderr, exit status 1 if there is an error
  surefoot run --report report.json train.py   and write the report as JSON
  surefoot run -m package.train --lr 0.1       as python -m package.train --lr 0.1
  surefoot run --stop-on error train.py        raise at the step, before the bad update is applied
  surefoot run --thorough train.py             read every step closely, not only a sample: slower, for short runs
  surefoot run --ignore clip,zero-learning-rate train.py
  surefoot run --alert jsons://example.org/hook --alert-on error --alert-on 'zscore(loss, 50) > 4' train.py
  surefoot run --alert env:MY_SLACK --alert 'cmd:notify-send surefoot' --alert-on 'val/loss > 2 for 200 steps' train.py
  surefoot run --prometheus 9464 train.py      numbers for Prometheus at http://127.0.0.1:9464/metrics
  surefoot run --name wide --tag try --group width --note 'twice as wide' train.py
  surefoot run -m torch.distributed.run --nproc-per-node 2 train.py
  torchrun --nproc-per-node 2 -m surefoot run train.py

Python processes that the script starts are watched, too, and are part of the one report.
Options of surefoot stand before the script; whatever follows it belongs to the script.
Exit status: the script's own if it is not 0; else 1 if a finding reaches --fail-on; else 0; 2 for wrong usage.
"""


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, Program]:
    """The options, and the program with its own arguments."""
    return parse_program(_parser(), argv)


def parse_program(
    parser: CommandParser, argv: Sequence[str], *, takes_behind: bool = False
) -> tuple[argparse.Namespace, Program]:
    """For all commands that run a script.

    `takes_behind`: the command answers a question about the script, and takes its own options right behind it, too. One
    that runs the script in Python's place must leave it everything that follows.
    """
    own, rest, is_module = split(parser, list(argv))
    has_dashes = not is_module and argv[len(own) : len(own) + 1] == ["--"]
    behind, args = own_options(parser, rest[1:]) if takes_behind and not has_dashes else ([], rest[1:])
    options = parser.parse_args([*own, *behind])
    if not rest:
        taken = f": {own[-2]} has taken {own[-1]} for its value" if own and own[-1].endswith(".py") else ""
        parser.error(f"name a SCRIPT, or a module with -m MODULE{taken}")
    return options, Program(rest[0], tuple(args), is_module)


def own_options(parser: argparse.ArgumentParser, args: list[str]) -> tuple[list[str], list[str]]:
    """Up to `--`, or to the first that is none of ours; and the rest, which is the script's."""
    known = parser._option_string_actions
    at = 0
    while at < len(args) and args[at].partition("=")[0] in known:
        takes_value = known[args[at].partition("=")[0]].nargs != 0 and "=" not in args[at]
        at += 2 if takes_value else 1
    rest = args[at:]
    return args[:at], rest[1:] if rest[:1] == ["--"] else rest


def split(parser: argparse.ArgumentParser, argv: list[str]) -> tuple[list[str], list[str], bool]:
    """Cut before the script, or after `-m`: what follows is never ours."""
    alone = {name for action in parser._actions if action.nargs == 0 for name in action.option_strings}
    maybe = {name for action in parser._actions if action.nargs == "?" for name in action.option_strings}
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "-":
        if argv[at] == "-m":
            return argv[:at], argv[at + 1 :], True
        if argv[at] == "--":
            return argv[:at], argv[at + 1 :], False
        is_alone = (
            argv[at] in alone
            or "=" in argv[at]
            or (argv[at] in maybe and not "".join(argv[at + 1 : at + 2]).isdecimal())
        )
        at += 1 if is_alone else 2
    return argv[:at], argv[at:], False


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot run",
        usage="surefoot run [options] SCRIPT [ARGS ...]\n       surefoot run [options] -m MODULE [ARGS ...]",
        description="Run a PyTorch training script unchanged and name its silent bugs.",
        epilog=_EPILOG,
    )
    add_telling_options(parser)
    add_choice_options(parser)
    add = parser.add_argument
    add("--stop-on", choices=LEVELS, default="never", help="raise at the step, before its update (default: never)")
    add("--thorough", action="store_true", help="read and record every window in detail; slower")
    add("--max-steps", type=positive, metavar="N", help="end the script after N optimizer steps")
    add_log_option(parser)
    add("--no-log", action="store_true", help="write no run log")
    add("--name", default="", metavar="TEXT", help="the run's name, which becomes part of its folder's name")
    add("--tag", action="append", default=[], metavar="TEXT", help="a word to find the run by; repeatable")
    add(
        "--group", default="", metavar="TEXT", help="a name shared by related runs, such as the seeds of one experiment"
    )
    add("--note", default="", metavar="TEXT", help="what the run is about")
    add("--overhead", type=number(0, 1, wanted="a share between 0 and 1"), default=0.02, metavar="SHARE",
        help="share of the step time that measuring may cost (default: 0.02)")  # fmt: skip
    add_alert_options(parser)
    add("--prometheus", type=port, nargs="?", const=PORT, metavar="PORT",
        help=f"serve the run's numbers to Prometheus on 127.0.0.1 (default port: {PORT})")  # fmt: skip
    add("--gradcheck", action="store_true", help="compare custom autograd functions with finite differences")
    return parser
