"""`surefoot import PATH`: brings in runs of other tools."""

from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import add_log_option
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice

_EXAMPLES = """\
  surefoot import logs/                     every folder of TensorBoard event files below, every CSV file
  surefoot import events.out.tfevents.17    one event file
  surefoot import history.csv --step epoch  a table with a column of steps and one for each series

CSV has a row a step (step, loss, acc, …) or a row a value (step, name, value); a column `time` is used if it is there.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("import", "Import runs: TensorBoard event files and CSV.", _EXAMPLES)
    parser.add_argument("path", type=Path, metavar="PATH", help="a file or a folder")
    parser.add_argument(
        "--step", metavar="COLUMN", help="the CSV column that holds steps (default: step, or a similar name)"
    )
    add_log_option(parser)
    options = parser.parse_args(argv)
    from surefoot.runlog.exchange.importing import ImportingError, find_sources, import_run

    voice = Voice()
    num_failed = 0
    try:
        sources = find_sources(options.path)
    except ImportingError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{options.path} can't be read: {error.strerror or error}.") from None
    for source in sources:
        try:
            print(import_run(source, options.log, voice.say, options.step).name)
        except ImportingError as error:
            num_failed += 1
            voice.say(str(error))
    return 2 if num_failed == len(sources) else int(num_failed > 0)
