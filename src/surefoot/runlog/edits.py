"""What people change about a run afterwards: a small file beside its log, `edit-N.json`, which replaces the one before.

The log itself is not touched. An edit is whole or not there, and two at once both count: a file is made under the next
number by a link, which fails if somebody else was first; then it is tried again, on what the other has written. The
last few files stay, so that only who is that far behind can take a number that was given away; it sees that by the gap.
Each tells its number, its run and its checksum, so that one that was damaged or put elsewhere is not believed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import secrets
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.labels import Labels, make_labels
from surefoot.runlog.write.file_id import read_file_id

MOST_STEPS = 20  # back
KEPT = 4  # files
MOST_BYTES = 2_000_000
MOST_EDITS = 10**9
FIELDS = ("name", "group", "tags", "notes", "archived")
_FILE = re.compile(r"edit-([1-9][0-9]{0,9})\.json")

State = Mapping[str, Any]  # what was changed, by the field's name
States = tuple[State, tuple[State, ...]]  # as it is to be, and earlier ones
Change = Callable[[Labels], Labels]


class EditError(Exception):
    """Said to the user as it is."""


class _NotBelievedError(Exception):
    """Why a file of edits does not count."""


@frozen
class Edits:
    number: int = 0
    state: State = field(default_factory=dict)
    earlier: tuple[State, ...] = ()  # the oldest first
    damaged: Mapping[Path, str] = field(default_factory=dict)  # newer ones that are not believed, and why

    def over(self, labels: Labels) -> Labels:
        """The names that the run was started with, and its later edits."""
        fields = {name: getattr(labels, name) for name in FIELDS} | dict(self.state)
        return Labels(**fields | {"tags": tuple(fields["tags"])})

    def as_json(self, file_ids: Iterable[str]) -> str:
        told = {"number": self.number, "of": sorted(file_ids), "state": self.state, "earlier": self.earlier}
        return json.dumps({**told, "crc": checksum_of_edits(told)}, ensure_ascii=False)


def is_edit_file(name: str) -> bool:
    return _FILE.fullmatch(name) is not None


def read_edits(folder: Path, names: Iterable[str]) -> Edits:
    """The newest that can be read; `names` are those of the folder's files, as somebody has just seen them."""
    while numbers := _numbers(names):
        try:
            return _newest(folder, numbers, _file_ids(folder, names))
        except FileNotFoundError:  # others have edited so fast that it was taken away before it was read
            names = _names(folder)
    return Edits()


def _newest(folder: Path, numbers: Iterable[int], file_ids: set[str]) -> Edits:
    damaged: dict[Path, str] = {}
    for number in numbers:
        try:
            return dataclasses.replace(_read(folder, number, file_ids), damaged=damaged)
        except _NotBelievedError as error:
            file = edit_file(folder, number)
            damaged[file] = f"{file} {error}: names, tags and notes are as the edit before it left them."
    return Edits(damaged=damaged)


def change_labels(folder: Path, started_with: Labels, change: Change) -> Edits | None:
    """The new edit; None if it changes nothing."""

    def follow(now: Edits) -> States | None:
        labels = now.over(started_with)
        wanted = _checked(change(labels))
        changed = {name: getattr(wanted, name) for name in FIELDS if getattr(wanted, name) != getattr(labels, name)}
        if not changed:
            return None
        return {**now.state, **changed}, (*now.earlier, now.state)[-MOST_STEPS:]

    return _write_next(folder, follow)


def undo(folder: Path, number: int | None = None) -> Edits | None:
    """Take the last edit back. With `number`, only if it is still the last one."""

    def follow(now: Edits) -> States:
        if not now.earlier:
            raise EditError(f"there is no edit of {folder.name} to take back.")
        if number is not None and now.number != number:
            raise EditError(f"{folder.name} was edited again since: look at it before you take something back.")
        return now.earlier[-1], now.earlier[:-1]

    return _write_next(folder, follow)


def _checked(labels: Labels) -> Labels:
    try:
        made = make_labels(labels.name, labels.group, labels.tags, labels.notes)
    except (TypeError, ValueError) as error:
        raise EditError(str(error)) from None
    return Labels(made.name, made.group, made.tags, made.notes, bool(labels.archived))


def _write_next(folder: Path, follow: Callable[[Edits], States | None]) -> Edits | None:
    draft = folder / f"edit-{secrets.token_hex(8)}.new"
    try:
        while True:
            names = _names(folder)
            states = follow(read_edits(folder, names))
            if states is None:
                return None
            wanted = Edits(max(_numbers(names), default=0) + 1, *states)
            if wanted.number > MOST_EDITS:
                raise EditError(f"{edit_file(folder, wanted.number - 1)} was not written by surefoot: remove it.")
            _write(draft, wanted.as_json(_file_ids(folder, names)))
            try:
                os.link(draft, edit_file(folder, wanted.number))
            except FileExistsError:
                continue
            newest = _numbers(_names(folder))
            if newest[0] >= wanted.number + KEPT:  # the number had been given away
                edit_file(folder, wanted.number).unlink(missing_ok=True)
                continue
            for number in newest[KEPT:]:
                edit_file(folder, number).unlink(missing_ok=True)
            return wanted
    except OSError as error:
        raise EditError(f"{folder.name} can't be edited: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def edit_file(folder: Path, number: int) -> Path:
    return folder / f"edit-{number}.json"


def _names(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _numbers(names: Iterable[str]) -> list[int]:
    """The newest first."""
    return sorted((int(found[1]) for name in names if (found := _FILE.fullmatch(name))), reverse=True)


def _file_ids(folder: Path, names: Iterable[str]) -> set[str]:
    """Of the logs in it. Those of older versions have none."""
    return {file_id for name in names if name.endswith(".id") and (file_id := read_file_id(folder / name))}


def _read(folder: Path, number: int, file_ids: set[str]) -> Edits:
    file = edit_file(folder, number)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise _NotBelievedError("is too large to be one of ours")
        told = json.loads(file.read_bytes())
        crc = told.pop("crc")
        states = [_state(one) for one in [told["state"]] + told["earlier"]]
        noted, written_as = set(told["of"]), told["number"]
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not os.path.lexists(file):
            raise
        raise _NotBelievedError(f"can't be read ({error.strerror or error})") from None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _NotBelievedError("is damaged") from None
    if crc != checksum_of_edits(told):
        raise _NotBelievedError("is damaged")
    if written_as != number or (noted and file_ids and not noted & file_ids):
        raise _NotBelievedError("was written for another place")
    return Edits(number, states[0], tuple(states[1:]))


def checksum_of_edits(told: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(told, sort_keys=True).encode()):08x}"


def _state(given: Any) -> State:
    """Checked: anybody may have written the file."""
    found = {name: given[name] for name in FIELDS if name in given.keys()}  # noqa: SIM118 - a list has none
    made = make_labels(*(found.get(name, ()) if name == "tags" else found.get(name, "") for name in FIELDS[:4]))
    checked = {name: getattr(made, name) for name in FIELDS[:4] if name in found}
    return {**checked, **({"archived": found["archived"] is True} if "archived" in found else {})}
