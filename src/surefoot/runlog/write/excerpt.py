"""The lines of source around a finding, kept with it: the file may change, and readers of a log open no other files."""

from __future__ import annotations

import json
import linecache
import tokenize
from pathlib import Path

from surefoot.runlog.secret_text import masked_lines

AROUND = 3  # lines before and after
LONGEST = 400  # characters of a line
BIGGEST = 4 * 2**20  # bytes of a file


def excerpt(file: str | None, line: int | None) -> tuple[int, str]:
    """The number of the first line, and the lines as a JSON list; an empty one if there is nothing to show."""
    if not file or not line:
        return 0, "[]"
    try:
        lines = _lines(file)
    except Exception:  # gone, no text, of an unknown encoding: a finding is stored without
        return 0, "[]"
    first = max(1, line - AROUND)
    if line > len(lines):
        return 0, "[]"
    shown = masked_lines([text.rstrip("\r\n") for text in lines[first - 1 : line + AROUND]])
    return first, json.dumps([text[:LONGEST] for text in shown])


def _lines(file: str) -> list[str]:
    path = Path(file)
    if not path.is_file():
        return linecache.getlines(file)  # cells of notebooks, what was typed
    if path.stat().st_size > BIGGEST:
        return []
    with tokenize.open(path) as opened:
        return opened.readlines()
