"""`surefoot runs rename RUN NAME` and other edits of a run's name, tags and notes."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from surefoot.cli.parsing import add_log_option, parser_of
from surefoot.cli.stored import RUN_HELP, find, load
from surefoot.cli.usage import UsageError
from surefoot.runlog.edits import Change, EditError, change_labels, undo
from surefoot.runlog.labels import Labels, read_labels
from surefoot.runlog.trash import DELETED, discard, restore


def _untagged(now: Labels, words: list[str]) -> Labels:
    missing = [word for word in words if word not in now.tags]
    if missing:
        raise EditError(f"the run has no tag {missing[0]!r}. It has: {', '.join(now.tags) or 'none'}.")
    return dataclasses.replace(now, tags=tuple(tag for tag in now.tags if tag not in words))


_CHANGES: dict[str, Callable[[Labels, list[str]], Labels]] = {
    "rename": lambda now, words: dataclasses.replace(now, name=words[0]),
    "tag": lambda now, words: dataclasses.replace(now, tags=(*now.tags, *words)),
    "untag": _untagged,
    "group": lambda now, words: dataclasses.replace(now, group=words[0]),
    "note": lambda now, words: dataclasses.replace(now, notes=words[0]),
    "archive": lambda now, words: dataclasses.replace(now, archived=True),
    "unarchive": lambda now, words: dataclasses.replace(now, archived=False),
}
EDITS = {
    "rename": "name a run; '' removes the name",
    "tag": "add tags to a run",
    "untag": "remove tags from a run",
    "group": "put a run into a group; '' removes it from its group",
    "note": "write a note on a run; '' removes it",
    "archive": "hide runs from lists",
    "unarchive": "and back",
    "delete": f"move runs to the folder `{DELETED}`, from which they can be restored",
    "restore": "bring deleted runs back",
    "undo": "undo the last edit of a run; repeat to undo earlier ones",
}
_WORDS = {"rename": "NAME", "tag": "TAG", "untag": "TAG", "group": "NAME", "note": "TEXT"}
_EPILOG = f"""\
The log of a run is not changed: edits lie in a small file beside it. `surefoot runs DIR/{DELETED}` lists deleted runs,
and `surefoot prune --log DIR/{DELETED} --keep 0` deletes them for good."""


def edit(name: str, argv: Sequence[str]) -> int:
    options = _parser(name).parse_args(argv)
    try:
        if name == "restore":
            for run in options.runs:
                restore(options.log, run)
        else:
            for folder in [find(run, options.log) for run in options.runs]:
                _edit(name, folder, options)
    except EditError as error:
        raise UsageError(str(error)) from None
    return 0


def _edit(name: str, folder: Path, options: argparse.Namespace) -> None:
    if name == "delete":
        discard(folder)
    elif name == "undo":
        undo(folder)
    else:
        change_labels(folder, read_labels(load(str(folder), options.log).meta), _change(name, options))


def _change(name: str, options: argparse.Namespace) -> Change:
    words = getattr(options, "words", [])
    return lambda now: _CHANGES[name](now, words)


def _parser(name: str) -> argparse.ArgumentParser:
    about = EDITS[name]
    parser = parser_of(f"runs {name}", f"{about[0].upper()}{about[1:]}.")
    parser.epilog = _EPILOG
    if name in _WORDS:
        parser.add_argument("runs", metavar="RUN", nargs=1, help=RUN_HELP)
        parser.add_argument("words", metavar=_WORDS[name], nargs="+" if name in ("tag", "untag") else 1)
    else:
        of_deleted = "the name of a deleted run" if name == "restore" else RUN_HELP
        parser.add_argument("runs", metavar="RUN", nargs="+", help=of_deleted)
    add_log_option(parser)
    return parser
