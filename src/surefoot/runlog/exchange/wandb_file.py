"""`.wandb` files, as wandb writes them beside a run, online or offline: framed protocol buffers."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surefoot.runlog.exchange.protobuf import Value, fields, signed
from surefoot.runlog.exchange.source import About, Point, Say, labels, numbers

_HEADER, _HEAD = struct.Struct("<4sHB"), struct.Struct("<IHB")  # of the file; of a piece: checksum, length, kind
_BLOCK = 32768
_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_HISTORY, _CONFIG, _RUN = 2, 5, 17  # of a record
_ITEM, _STEP = 1, 2  # of a history
_KEY, _NESTED_KEY, _JSON = 1, 2, 16  # of an item
_RUN_CONFIG, _GROUP, _NAME, _NOTES, _TAG = 4, 6, 8, 9, 10  # of a run


def is_wandb_file(file: Path) -> bool:
    return file.suffix == ".wandb"


def read_wandb(file: Path, say: Say) -> Iterator[Point]:
    for kind, message in _records(file, say):
        if kind != _HISTORY:
            continue
        step = 0
        row: dict[str, Any] = {}
        for number, value in fields(message):
            if number == _ITEM and isinstance(value, bytes):
                row.update([_item(value)])
            elif number == _STEP and isinstance(value, bytes):
                step = _whole(dict(fields(value)).get(1, 0))
        time = float(row.get("_timestamp") or 0.0)
        step = int(row.get("_step", step))
        for name, found in numbers({key: value for key, value in row.items() if not key.startswith("_")}):
            yield Point(name, step, time, found)


def about_wandb(file: Path) -> About:
    settings: dict[str, Any] = {}
    texts: dict[int, list[str]] = {}
    for kind, message in _records(file, lambda text: None):
        if kind == _CONFIG:
            settings.update(_updates(message))
        elif kind == _RUN:
            for number, value in fields(message):
                if number == _RUN_CONFIG and isinstance(value, bytes):
                    settings.update(_updates(value))
                elif isinstance(value, bytes):
                    texts.setdefault(number, []).append(value.decode(errors="replace"))
    name, group, notes = ("".join(texts.get(number, [])[-1:]) for number in (_NAME, _GROUP, _NOTES))
    own = {key: value for key, value in settings.items() if not key.startswith("_")}
    return About(own, labels(name, group, tuple(dict.fromkeys(texts.get(_TAG, []))), notes))


def _updates(message: bytes) -> Iterator[tuple[str, Any]]:
    for number, value in fields(message):
        if number == _ITEM and isinstance(value, bytes):
            yield _item(value)


def _item(message: bytes) -> tuple[str, Any]:
    keys: list[str] = []
    text = "null"
    for number, value in fields(message):
        if isinstance(value, bytes):
            if number in (_KEY, _NESTED_KEY):
                keys.append(value.decode(errors="replace"))
            elif number == _JSON:
                text = value.decode(errors="replace")
    try:
        return ".".join(keys), json.loads(text)
    except ValueError:
        return ".".join(keys), text


def _whole(value: Value) -> int:
    return signed(value) if isinstance(value, int) else 0


def _records(file: Path, say: Say) -> Iterator[tuple[int, bytes]]:
    for message in _messages(file, say):
        try:
            for number, value in fields(message):
                if number in (_HISTORY, _CONFIG, _RUN) and isinstance(value, bytes):
                    yield number, value
        except ValueError as error:
            say(f"{file} holds a record that can't be read ({error}): it is left out.")


def _messages(file: Path, say: Say) -> Iterator[bytes]:
    """Up to where the file is whole: a run that goes on, or was killed, has an unfinished end."""
    parts: list[bytes] = []
    with file.open("rb") as stream:
        if stream.read(_HEADER.size)[:4] != b":W&B":
            say(f"{file} is no file of wandb: it is left out.")
            return
        while True:
            room = _BLOCK - stream.tell() % _BLOCK
            if room < _HEAD.size:
                stream.read(room)
            head = stream.read(_HEAD.size)
            if len(head) < _HEAD.size:
                return
            checksum, length, kind = _HEAD.unpack(head)
            data = stream.read(length)
            if len(data) < length or zlib.crc32(data, zlib.crc32(bytes([kind]))) != checksum:
                say(f"{file} is not whole near byte {stream.tell()}: it is read up to there.")
                return
            parts.append(data)
            if kind in (_FULL, _LAST):
                yield b"".join(parts)
                parts = []
