"""The run that this process writes to: `sf.log` adds to it, and starts one if there is none."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from surefoot.runlog.agree import agree, leave, meeting_place
from surefoot.runlog.folder import run_folder
from surefoot.runlog.labels import make_labels
from surefoot.runlog.setting import flat
from surefoot.runlog.write.about import ranks_of, script_name
from surefoot.runlog.write.run import Run

DEFAULT = "runs"
VARIABLE = "SUREFOOT_LOG"
OFF = ("off", "0", "false", "no", "none")


class Current:
    """`is_decided`: whoever started this process has said where to log, or that nothing is logged."""

    run: Run | None = None
    is_decided = False
    pid = 0


def current_run() -> Run | None:
    run = Current.run if Current.pid == os.getpid() else None
    return None if run is None or run.is_closed else run


def decide(run: Run | None) -> None:
    """For this process and all that asks for a run in it; None: nothing is logged."""
    Current.run, Current.is_decided, Current.pid = run, True, os.getpid()


def make_current(run: Run) -> None:
    """Until it is closed, or another one is."""
    Current.run, Current.pid = run, os.getpid()


def is_decided() -> bool:
    return Current.is_decided and Current.pid == os.getpid()


def forget() -> None:
    """Nobody has decided anything."""
    Current.run, Current.is_decided = None, False


def log_folder(given: str | os.PathLike[str] | bool | None) -> Path | None:
    """Where runs go; None: nowhere. The variable overrides the default, not what a program asks for."""
    if given is None or given is False:
        return None
    if given is not True and not isinstance(given, str | os.PathLike):
        raise TypeError(f'log must be a folder, such as "runs", or None for no log, got {given!r}.')
    if given is True or os.fspath(given) == DEFAULT:
        given = os.environ.get(VARIABLE) or DEFAULT
        if given.lower() in OFF:
            return None
    return Path(given).absolute()


def new_run(log: Path, script: str = "", *, agreed: Callable[[str], str] | None = None, **ranks: int) -> Run:
    """A run in a folder of its own under `log`. Ranks agree on it by `agreed`, or else as torchrun's can."""
    script = script or script_name()
    proposal = str(run_folder(log, script))
    rank, num_ranks = ranks.get("rank", ranks_of()[0]), ranks.get("num_ranks", ranks_of()[1])
    place = meeting_place()
    if agreed is not None:
        folder = agreed(proposal)
    elif place is None:
        folder, rank, num_ranks = proposal, 0, 1
    else:
        folder = agree(place, rank, proposal)
        atexit.register(leave, place, rank)
    return Run(Path(folder), script, say, rank=rank, num_ranks=num_ranks, at_opening=_opened)


def start_run(
    log: str | os.PathLike[str] = DEFAULT,
    *,
    name: str = "",
    config: Any = None,
    tags: Iterable[str] | str = (),
    group: str = "",
    notes: str = "",
) -> Run:
    """Start a run that `sf.log` and loops write to, until `close()`, the end of a `with` block or of the program.

    `name` becomes part of the folder's name, in place of the script's. `config` is a dict, a dataclass or a namespace
    of settings; `group` is shared by runs that belong together, such as the seeds of one experiment.

    Under `surefoot run` that run is given, with what it is called and set to here; it goes on until the program ends.
    """
    labels = make_labels(name, group, tags, notes)
    settings = {} if config is None else flat(config)
    going_on = current_run()
    if going_on is not None and going_on.is_lent:
        going_on.label(labels)
        going_on.settings(settings)
        return going_on
    if going_on is not None:
        raise RuntimeError(f"the run {going_on.name} is going on. Call its close() first, or add to it by sf.log().")
    folder = log_folder(log)
    run = new_run(folder or Path(DEFAULT), name)
    run.label(labels)
    run.settings(settings)
    if folder is None or is_decided():  # switched off
        run.close()
    else:
        make_current(run)
    return run


def log(values: Mapping[str, Any], step: int | None = None) -> None:
    """Record numbers by name in the run that is going on; start one in `runs/` if there is none.

    Beside numbers: texts, images (arrays of bytes, or with channels; PIL images; figures of matplotlib), data frames,
    sf.Image, sf.Audio and sf.Table, and lists of these.

    Without `step` they belong to where training stands, or to the number of the call if nobody counts steps.
    """
    if type(values) is not dict and not isinstance(values, Mapping):
        raise TypeError(f'sf.log takes numbers by name, such as sf.log({{"loss": 0.5}}), got {type(values).__name__}.')
    run = current_run()
    if run is None and not is_decided() and log_folder(DEFAULT) is not None:
        run = start_run()
    if run is not None:
        run.log(values, step)


def reason_at_exit() -> str:
    """How the program ends, as far as Python tells."""
    error = getattr(sys, "last_value", None)
    if error is None:
        return "finished"
    return "interrupted" if isinstance(error, KeyboardInterrupt) else "raised"


def say(text: str) -> None:
    """On stderr, if the program has one that is open."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(f"surefoot: {text}", file=sys.stderr, flush=True)


def _opened(run: Run) -> None:
    if run.is_first_rank:
        say(f"logging to {_short(run.folder)}")
    ended = weakref.ref(run)

    def end() -> None:
        run = ended()
        if run is not None:
            run.close(reason_at_exit())
            decide(None)  # what still comes starts no other

    atexit.register(end)


def _short(folder: Path) -> str:
    try:
        return str(folder.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(folder)
