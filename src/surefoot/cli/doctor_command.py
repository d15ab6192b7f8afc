"""`surefoot doctor RUN`: checks a run's log for damage and salvages it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, find, report_problems
from surefoot.cli.table import print_table
from surefoot.cli.usage import UsageError
from surefoot.runlog.doctor import State, examine, salvage_run
from surefoot.runlog.read.error import RunLogError

_EXAMPLES = """\
  surefoot doctor latest                      check every file of the newest run
  surefoot doctor latest --salvage            write what can be trusted to a new run beside it
  surefoot doctor latest --salvage -o saved   write it to the folder saved

Exit status: 0 if nothing is damaged, 1 if something is, 2 if there is no such run. The run itself is never changed,
but for what a killed process has left: that is brought in, as by every command that reads.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("doctor", "Check the files of a run against their checksums, and salvage them.", _EXAMPLES)
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    add_log_option(parser)
    parser.add_argument("--salvage", action="store_true", help="write the undamaged part to a new folder")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="for --salvage (default: the run's folder with -salvaged)"
    )
    options = parser.parse_args(argv)
    if options.output is not None and not options.salvage:
        raise UsageError("-o names the folder of --salvage: add --salvage.")
    folder = find(options.run, options.log)
    parts = examine(folder)
    print_table(("file", "state", "told"), [(_short(part.file, folder), part.state, part.told) for part in parts])
    states = Counter(part.state for part in parts)
    print(f"\n{folder.name}: {_verdict(states)}")
    if options.salvage:
        _salvage(folder, options.output or folder.with_name(f"{folder.name}-salvaged"))
    return int(states["damaged"] > 0)


def _short(file: Path, folder: Path) -> str:
    return str(file.relative_to(folder)) if file != folder else folder.name


def _verdict(states: Counter[State]) -> str:
    num = states["damaged"]
    if num:
        return f"{num} file{'s' * (num > 1)} damaged. --salvage writes the rest to a new run."
    if states["incomplete"]:
        return "nothing is damaged now; earlier losses are listed above."
    if states["not verified"]:
        return "no damage found, but files without checksums can't be verified."
    return "all files are intact."


def _salvage(folder: Path, target: Path) -> None:
    if target.exists():
        raise UsageError(f"{target} exists. Name another folder with -o.")
    try:
        lost = salvage_run(folder, target)
    except RunLogError as error:
        raise UsageError(f"nothing can be salvaged: {error}") from None
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror or error}.") from None
    report_problems(lost)
    print(f"the undamaged part is in {target}.")
