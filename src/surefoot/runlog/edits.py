"""What people change about a run afterwards: a small file beside its log, `edit-N.json`, which replaces the one before.

The log itself is not touched. An edit is whole or not there, and two at once both count: a file is made under the next
number by a link, which fails if somebody else was first; then it is tried again, on what the other has written. The
last few files stay, so that only who is that far behind can take a number that was given away; it sees that by the gap.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.runlog.labels import Labels, make_labels

MOST_STEPS = 20  # back
KEPT = 4  # files
MOST_BYTES = 2_000_000
FIELDS = ("name", "group", "tags", "notes", "archived")
_FILE = re.compile(r"edit-(\d{1,15})\.json")

State = Mapping[str, Any]  # what was changed, by the field's name
States = tuple[State, tuple[State, ...]]  # as it is to be, and earlier ones
Change = Callable[[Labels], Labels]


class EditError(Exception):
    """Said to the user as it is."""


@frozen
class Edits:
    number: int = 0
    state: State = field(default_factory=dict)
    earlier: tuple[State, ...] = ()  # the oldest first

    def over(self, labels: Labels) -> Labels:
        """What the run was started with, and what became of it."""
        fields = {name: getattr(labels, name) for name in FIELDS} | dict(self.state)
        return Labels(**fields | {"tags": tuple(fields["tags"])})

    def as_json(self) -> str:
        return json.dumps({"state": self.state, "earlier": self.earlier}, ensure_ascii=False)


def is_edit_file(name: str) -> bool:
    return _FILE.fullmatch(name) is not None


def read_edits(folder: Path, names: Iterable[str]) -> Edits:
    """The newest that can be read; `names` are those of the folder's files, as somebody has just seen them."""
    while numbers := _numbers(names):
        try:
            return next((found for number in numbers if (found := _read(folder, number)) is not None), Edits())
        except FileNotFoundError:  # others have edited so fast that it was taken away before it was read
            names = _names(folder)
    return Edits()


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
            _write(draft, wanted)
            try:
                os.link(draft, _file(folder, wanted.number))
            except FileExistsError:
                continue
            newest = _numbers(_names(folder))
            if newest[0] >= wanted.number + KEPT:  # the number had been given away
                _file(folder, wanted.number).unlink(missing_ok=True)
                continue
            for number in newest[KEPT:]:
                _file(folder, number).unlink(missing_ok=True)
            return wanted
    except OSError as error:
        raise EditError(f"{folder.name} can't be edited: {error.strerror or error}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _write(file: Path, edits: Edits) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(edits.as_json())
        stream.flush()
        os.fsync(stream.fileno())


def _file(folder: Path, number: int) -> Path:
    return folder / f"edit-{number}.json"


def _names(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _numbers(names: Iterable[str]) -> list[int]:
    """The newest first."""
    return sorted((int(found[1]) for name in names if (found := _FILE.fullmatch(name))), reverse=True)


def _read(folder: Path, number: int) -> Edits | None:
    """None if it is none of ours."""
    try:
        file = _file(folder, number)
        if file.stat().st_size > MOST_BYTES:
            return None
        told = json.loads(file.read_bytes())
        states = [_state(one) for one in [told["state"]] + told["earlier"]]
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    return Edits(number, states[0], tuple(states[1:]))


def _state(given: Any) -> State:
    """Checked: anybody may have written the file."""
    found = {name: given[name] for name in FIELDS if name in given.keys()}  # noqa: SIM118 - a list has none
    made = make_labels(*(found.get(name, ()) if name == "tags" else found.get(name, "") for name in FIELDS[:4]))
    checked = {name: getattr(made, name) for name in FIELDS[:4] if name in found}
    return {**checked, **({"archived": found["archived"] is True} if "archived" in found else {})}
