"""Deletes runs after showing them and asking; never one that is running."""

import sys
from collections.abc import Sequence
from pathlib import Path

from surefoot.cli.table import print_table, size
from surefoot.cli.usage import UsageError
from surefoot.cli.voice import Voice
from surefoot.runlog.read.disk import Footprint, delete


def show(runs: Sequence[Footprint], files: Sequence[Path] = ()) -> None:
    if runs:
        print_table(
            ("run", "status", "files", "size"), [(r.name, r.status, len(r.files), size(r.num_bytes)) for r in runs]
        )
    if files:
        print(f"{len(files)} segment{'s' * (len(files) != 1)} that no run refers to ({size(_bytes(files))}):")
        for file in files:
            print(f"  {file}")


def ask(runs: Sequence[Footprint], files: Sequence[Path], *, yes: bool) -> bool:
    """Whether to go on. No answer means no."""
    if yes:
        return True
    what = [f"{len(runs)} run{'s' * (len(runs) != 1)}"] if runs else []
    what += [f"{len(files)} segment{'s' * (len(files) != 1)}"] if files else []
    total = size(sum(run.num_bytes for run in runs) + _bytes(files))
    print(f"Delete {' and '.join(what)}, {total}? [y/N] ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline()
    if not answer:
        print(file=sys.stderr)
        raise UsageError("there was no answer, so nothing was deleted. --yes deletes without asking.")
    if answer.strip().lower() in ("y", "yes"):
        return True
    print("surefoot: nothing was deleted.", file=sys.stderr)
    return False


def carry_out(runs: Sequence[Footprint], files: Sequence[Path] = ()) -> int:
    """The exit status: 1 if something could not be deleted."""
    voice = Voice()
    num_failed = 0
    for run in runs:
        try:
            gone = delete(run)
        except OSError as error:
            num_failed += 1
            voice.say(f"{run.folder} can't be deleted: {error.strerror or error}.")
            continue
        if not gone:
            voice.say(f"the log of {run.name} is deleted; {len(run.others)} other files in {run.folder} are kept.")
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            num_failed += 1
            voice.say(f"{file} can't be deleted: {error.strerror or error}.")
    return int(num_failed > 0)


def _bytes(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.exists())
