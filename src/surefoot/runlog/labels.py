"""What people call a run: its name, tags, group and notes. They come with its start, and may be changed later."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from surefoot.facts.frozen import frozen
from surefoot.runlog.storable_text import storable

LONGEST_NAME, LONGEST_NOTES = 200, 10_000  # characters
MOST_TAGS = 50


@frozen
class Labels:
    name: str = ""
    group: str = ""
    tags: tuple[str, ...] = ()
    notes: str = ""
    archived: bool = False  # out of sight, by an edit

    def as_meta(self) -> dict[str, str]:
        """What is set, by key of the table `meta`."""
        tags = json.dumps(self.tags, ensure_ascii=False) if self.tags else ""
        found = {"name": self.name, "group": self.group, "tags": tags, "notes": self.notes}
        return {key: text for key, text in found.items() if text}


def make_labels(name: str = "", group: str = "", tags: Iterable[str] | str = (), notes: str = "") -> Labels:
    """Checked: TypeError and ValueError say what is wrong."""
    given = {"name": name, "group": group, "notes": notes}
    for key, text in given.items():
        if not isinstance(text, str):
            raise TypeError(f"the {key} of a run must be a string, got {text!r}.")
        most = LONGEST_NOTES if key == "notes" else LONGEST_NAME
        if len(text) > most:
            raise ValueError(f"the {key} of a run has at most {most} characters, got {len(text)}.")
    if not isinstance(tags, Iterable):
        raise TypeError(f'tags are strings, such as tags=["baseline"], got {tags!r}.')
    listed = (tags,) if isinstance(tags, str) else tuple(tags)
    for tag in listed:
        if not isinstance(tag, str):
            raise TypeError(f"a tag must be a string, got {tag!r}.")
        if not tag.strip() or "," in tag or len(tag) > LONGEST_NAME:
            raise ValueError(f"a tag is a short text without commas, got {tag!r}.")
    if len(listed) > MOST_TAGS:
        raise ValueError(f"a run has at most {MOST_TAGS} tags, got {len(listed)}.")
    name, group, notes = (storable(text.strip()) for text in given.values())
    return Labels(name, group, tuple(dict.fromkeys(storable(tag.strip()) for tag in listed)), notes)


def read_labels(meta: Mapping[str, str]) -> Labels:
    try:
        tags = json.loads(meta.get("tags") or "[]")
    except ValueError:
        tags = []
    listed = tuple(map(str, tags)) if isinstance(tags, list) else ()
    return Labels(meta.get("name", ""), meta.get("group", ""), listed, meta.get("notes", ""))
