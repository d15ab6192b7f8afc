"""`surefoot export RUN --to … -o …`: for other tools."""

from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.parsing import parser_of
from surefoot.cli.stored import RUN_HELP, add_log_option, load, report_problems
from surefoot.cli.table import cell
from surefoot.cli.usage import UsageError

_EXAMPLES = """\
  surefoot export latest --to tensorboard -o logs/mine    then: tensorboard --logdir logs
  surefoot export latest --to csv -o scalars.csv          rank, name, step, time, value
  surefoot export latest --to parquet -o scalars.parquet
  surefoot export latest --to mlflow -o http://127.0.0.1:5000    a tracking server; or a database: -o mlflow.db

TensorBoard keeps scalars as 32-bit numbers and shows settings on its page HParams;
the others keep them exactly. What exists is never overwritten; MLflow, which must be
installed, gets a new run in an experiment named like the run's group.
"""


def main(argv: Sequence[str]) -> int:
    parser = parser_of("export", "Write a run in the format of another tool.", _EXAMPLES)
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--to", choices=("tensorboard", "csv", "parquet", "mlflow"), required=True)
    parser.add_argument(
        "-o", "--output", required=True, metavar="PATH", help="a new folder or file; or an address of MLflow"
    )
    add_log_option(parser)
    options = parser.parse_args(argv)
    run = load(options.run, options.log)
    from surefoot.runlog.box.error import QueryError
    from surefoot.runlog.exchange import exporting
    from surefoot.runlog.exchange.mlflow_export import export_mlflow

    write = {
        "tensorboard": exporting.export_tensorboard, "csv": exporting.export_csv, "parquet": exporting.export_parquet,
    }  # fmt: skip
    try:
        if options.to == "mlflow":
            problems = export_mlflow(run, options.output)
        else:
            problems = write[options.to](run, Path(options.output))
    except (exporting.ExportingError, QueryError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{options.output} can't be written: {error.strerror or error}.") from None
    print(cell(f"{run.name} is written to {options.output}."))
    report_problems([problem for problem in problems if problem not in run.damaged.values()])
    return 0
