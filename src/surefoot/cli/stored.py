"""Finds the runs that command lines name."""

from pathlib import Path

from surefoot.cli.parsing import add_log_option as add_log_option
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.runlog.read import Run, RunLogError, Runs
from surefoot.runlog.read.run import is_log_file, load_run

RUN_HELP = 'a folder, the name of a run or its beginning, or "latest"'


def find(name: str, log: Path) -> Path:
    """The run's folder. A wrong name raises an error that suggests the nearest."""
    folder = Path(name)
    if name and folder.is_dir() and any(is_log_file(file.name) for file in folder.iterdir()):
        return folder
    try:
        return Runs(log).find(name)
    except RunLogError as error:
        if name and folder.is_dir():
            raise UsageError(f"the folder {name} holds no run log.") from None
        raise UsageError(str(error)) from None


def load(name: str, log: Path) -> Run:
    """The run; reports what can't be read."""
    try:
        run = load_run(find(name, log))
    except RunLogError as error:
        raise UsageError(str(error)) from None
    report_problems(list(run.damaged.values()))
    return run


def report_problems(problems: list[str]) -> None:
    voice = Voice()
    for problem in dict.fromkeys(problems):
        voice.say(problem)
    if any("is damaged" in problem for problem in problems):
        voice.say("`surefoot doctor RUN` checks a run and salvages it.")
