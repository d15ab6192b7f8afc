"""`surefoot import PATH`: brings in runs of other tools."""

from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.replay_command import judge_process
from surefoot.cli.stored import add_log_option
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.rules.catalogue import catalogue
from surefoot.runlog.read.run import load_run

_EXAMPLES = """\
  surefoot import logs/                     every run below of a kind that is known
  surefoot import events.out.tfevents.17    one event file of TensorBoard
  surefoot import wandb/                    wandb: the .wandb files of runs, online or offline
  surefoot import mlruns/                   MLflow: a file store; or mlflow.db
  surefoot import ~/.cache/huggingface/trackio/mine.db
  surefoot import out/checkpoint-500/trainer_state.json    HF Trainer
  surefoot import neptune/                  Parquet of Neptune's exporter, and tables
  surefoot import history.csv --step epoch  a table with a column of steps and one for each series

CSV has a row a step (step, loss, acc, …) or a row a value (step, name, value); a column `time` is used if it is there.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("import", "Import runs that other tools logged, and tables.", _EXAMPLES)
    parser.add_argument("path", type=Path, metavar="PATH", help="a file or a folder")
    parser.add_argument(
        "--step", metavar="COLUMN", help="the CSV column that holds steps (default: step, or a similar name)"
    )
    add_log_option(parser)
    options = parser.parse_args(argv)
    from surefoot.runlog.exchange.finding import find_sources
    from surefoot.runlog.exchange.importing import ImportingError, import_run
    from surefoot.runlog.exchange.source import SourceError

    voice = Voice()
    num_failed = 0
    try:
        sources = find_sources(options.path)
    except SourceError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{options.path} can't be read: {error.strerror or error}.") from None
    for source in sources:
        try:
            folder = import_run(source, options.log, voice.say, options.step)
            print(folder.name)
            tell_findings(folder, voice)
        except ImportingError as error:
            num_failed += 1
            voice.say(str(error))
    return 2 if num_failed == len(sources) else int(num_failed > 0)


def tell_findings(folder: Path, voice: Voice) -> None:
    """By rules that need nothing but curves; `surefoot replay` tells them in full."""
    for process in load_run(folder):
        for finding in judge_process(process, catalogue(), voice).findings:
            voice.say(f"{finding.severity}[{finding.rule}] {finding.message}")
