"""How far a page has read, as text: one cursor for each process of a run."""

import dataclasses
import re
from collections.abc import Mapping

from surefoot.runlog.read.follow import Cursor

_ONE = re.compile(r"([\w-]+)=(\d+(?:\.\d+)*)")
_FIELDS = len(dataclasses.fields(Cursor))


def as_text(cursors: Mapping[str, Cursor]) -> str:
    """By the names of the processes."""
    return "~".join(f"{name}={'.'.join(map(str, dataclasses.astuple(one)))}" for name, one in cursors.items())


def from_text(text: str) -> dict[str, Cursor]:
    """What can't be read is left out: then everything is news."""
    found = {}
    for part in text.split("~"):
        matched = _ONE.fullmatch(part)
        if matched:
            numbers = [min(int(number), 2**62) for number in matched[2].split(".")]
            if len(numbers) == _FIELDS:
                found[matched[1]] = Cursor(*numbers)
    return found
