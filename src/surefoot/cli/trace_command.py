"""`surefoot trace`: what one step does, from data to update."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import CommandParser, positive
from surefoot.cli.reporting import check_writable
from surefoot.cli.run_options import parse_program
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.lab.trace.session import TraceSession
from surefoot.lab.trace.stage import Trace
from surefoot.launch.program import ProgramError
from surefoot.launch.ranks import Ranks
from surefoot.runlog.folder import TRACES
from surefoot.runlog.write.current import DEFAULT, log_folder

_EPILOG = """\
examples:
  surefoot trace train.py --lr 0.1                the first two steps, stage by stage; then the script is ended
  surefoot trace --steps 4 -m package.train       as python -m package.train
  surefoot trace --at 500 --steps 1 train.py      look at step 500
  surefoot trace --to-end train.py                let it go on, and add the losses epoch by epoch
  surefoot trace --format json -o step.json train.py
  torchrun --nproc-per-node 2 -m surefoot trace train.py    what the first rank does

Options of surefoot stand before the script; whatever follows it belongs to the script. The trace is written to stderr,
or to the file named with -o, and kept in runs/traces for `surefoot dash`; stdout belongs to the script. Steps of all
optimizers are counted. The traced steps give the same numbers as without a trace. Exit status: the script's own if it
is not 0; 1 if there was no step to trace.
"""


def main(argv: Sequence[str]) -> int:
    options, program = parse_program(_parser(), argv)
    voice = Voice()
    ranks = Ranks.from_environment()
    message: list[Trace] = []
    output = None if options.output is None else options.output.absolute()  # the script may change its folder
    folder = Path.cwd()
    log = None if options.no_log else log_folder(options.log)

    def tell(trace: Trace) -> None:
        message.append(trace)
        if ranks is None or ranks.tells:
            _write(trace, options, output, str(folder), voice)
            if log is not None and trace.stages:
                is_data = options.format == "json" and output is None  # what is on stderr is read by a program
                _keep(trace, log, folder, voice, is_quiet=is_data)

    try:
        program.check()
        check_writable(output)
        session = TraceSession(
            program, first=options.at, num_steps=options.steps, to_end=options.to_end, tell=tell, say=voice.say
        )
        ended = session.run()
    except ProgramError as error:
        raise UsageError(str(error)) from None
    if ended.reason == "interrupted":
        assert ended.error is not None
        sys.excepthook = lambda *shown: None  # it was shown; leave it to Python to end as one killed by Ctrl-C does
        raise ended.error
    return ended.status or int(not any(trace.stages for trace in message))


def _write(trace: Trace, options: argparse.Namespace, output: Path | None, folder: str, voice: Voice) -> None:
    from surefoot.lab.trace.plain import as_json
    from surefoot.lab.trace.text import as_text  # brings rich along, which the script need not wait for

    if options.format == "json":
        text = as_json(trace)
    else:
        text = as_text(trace, None if output else voice.stream, folder=folder, full=options.full)
    if output is None:
        voice.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        voice.say(f"the trace can't be written to {str(output)!r}: {error.strerror}.")


def _keep(trace: Trace, log: Path, folder: Path, voice: Voice, *, is_quiet: bool) -> None:
    from surefoot.lab.trace.keep import keep

    where = log.relative_to(folder) if log.is_relative_to(folder) else log
    try:
        name = keep(trace, log).name
    except OSError as error:
        voice.say(f"the trace can't be saved in {str(where)!r}: {error.strerror or error}.")
        return
    if is_quiet:
        return
    command = "surefoot dash" if str(where) == DEFAULT else f"surefoot dash {shlex.quote(str(where))}"
    voice.say(f"saved as {where / TRACES / name}; `{command}` shows it on its page Trace.")


def _parser() -> CommandParser:
    parser = CommandParser(
        prog="surefoot trace",
        usage="surefoot trace [options] SCRIPT [ARGS ...]\n       surefoot trace [options] -m MODULE [ARGS ...]",
        description="Run a PyTorch training script unchanged and show what its first steps do, from data to update.",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add("--steps", type=positive, default=2, metavar="N", help="how many optimizer steps are traced (default: 2)")
    add("--at", type=positive, default=1, metavar="STEP", help="the first of them (default: 1)")
    add("--to-end", action="store_true", help="run the script to its end, and add its losses epoch by epoch")
    add("--full", action="store_true", help="show every module and parameter")
    add("--format", choices=("text", "json"), default="text", help="of the trace (default: text)")
    add("--log", type=Path, default=Path(DEFAULT), metavar="DIR", help="store it among these runs (default: runs)")
    add("--no-log", action="store_true", help="do not store it")
    add("-o", "--output", type=Path, metavar="FILE", help="write the trace to FILE instead of stderr")
    return parser
