"""Answers of bounded size."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

MOST_BYTES = 12_000  # of an answer
MOST_OUTPUT = 800  # of what a program printed last, of each stream, as JSON


def cut(text: str, most: int = MOST_BYTES, num_bytes: int = 0) -> str:
    """Whole lines from the beginning; how much is left out is said. `num_bytes`: of which `text` is not all."""
    data = text.encode()
    if len(data) <= most:
        return text
    begin = data[: most - 80].decode(errors="ignore")
    begin = begin[: begin.rfind("\n") + 1] or begin
    return f"{begin}… {max(num_bytes, len(data)) - len(begin.encode())} more bytes are left out."


def as_json(told: Mapping[str, Any], lists: Mapping[str, Sequence[Any]]) -> str:
    """Entries of `lists` follow in their order as long as they fit; how many do not is told."""
    answer = {**told, **{name: [] for name in lists}, **{f"{name}_left_out": len(all_) for name, all_ in lists.items()}}
    left = MOST_BYTES - size(answer)
    for name, entries in lists.items():
        for entry in entries:
            left -= size(entry) + 1  # and a comma
            if left < 0:
                break
            answer[name].append(entry)
            answer[f"{name}_left_out"] -= 1
    return _text(answer)


def output(out: str, err: str) -> dict[str, str]:
    """What a program printed last."""
    return {name: tail(text) for name, text in (("stdout", out), ("stderr", err)) if text.strip()}


def tail(text: str) -> str:
    text = text.rstrip()
    if size(text) <= MOST_OUTPUT:
        return text
    end = text[-MOST_OUTPUT:]
    while size(f"…{end}") > MOST_OUTPUT:
        end = end[max(1, (size(f"…{end}") - MOST_OUTPUT) // 12) :]
    return f"…{end}"


def size(value: Any) -> int:
    return len(_text(value))


def _text(value: Any) -> str:
    """In ASCII, so that a character is a byte."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
