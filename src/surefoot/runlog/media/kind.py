"""The kinds of media, and what names and files of them look like. Nothing else is ever stored, read or served."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from surefoot.facts.frozen import frozen

MEDIA = "media"  # the kind of the events that name them
SUFFIXES = {"image": ".png", "audio": ".wav", "text": ".txt", "table": ".json"}
TYPES = {"image": "image/png", "audio": "audio/wav", "text": "text/plain; charset=utf-8", "table": "application/json"}
STARTS = {"image": b"\x89PNG\r\n\x1a\n", "audio": b"RIFF"}
MOST_BYTES = 8_000_000  # of a file
FILE_NAME = re.compile(r"[0-9a-f]{32}\.(png|wav|txt|json)")


@frozen
class Medium:
    """One of them, as it is stored; `about` tells its size, and what was left out."""

    kind: str
    content: bytes
    about: Mapping[str, Any] = field(default_factory=dict)


def file_name(kind: str, content: bytes) -> str:
    """By what is in it: the same picture twice is one file, and a file that was changed no longer has its name."""
    return hashlib.sha256(content).hexdigest()[:32] + SUFFIXES[kind]


def is_whole(kind: str, file: str, content: bytes) -> bool:
    """Whether a file is as it was written, and of its kind."""
    return (
        kind in SUFFIXES
        and FILE_NAME.fullmatch(file) is not None
        and len(content) <= MOST_BYTES
        and file_name(kind, content) == file
        and content.startswith(STARTS.get(kind, b""))
    )
