"""Event files: a genuine one is read, ours are read again, and what is not whole is read as far as it is."""

import math
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.runlog.exchange import protobuf
from surefoot.runlog.exchange.crc32c import masked
from surefoot.runlog.exchange.protobuf import fields
from surefoot.runlog.exchange.source import Point
from surefoot.runlog.exchange.tensorboard import (
    read_points,
    write_header,
    write_histograms,
    write_scalars,
    write_settings,
)
from surefoot.runlog.exchange.tfrecord import read_records

GENUINE = Path(__file__).parents[1] / "files" / "genuine.tfevents"  # written by the tensorboard package
START = 1_700_000_000.0


def test_checksums() -> None:
    """The value that every description of CRC-32C gives, masked; and one from a genuine file."""
    unmasked = 0xE3069283
    assert masked([b"123456789"]) == [((unmasked >> 15 | unmasked << 17) + 0xA282EAD8) & 0xFFFFFFFF]
    content = GENUINE.read_bytes()
    assert masked([content[:8]]) == [struct.unpack("<I", content[8:12])[0]]
    assert masked([b"a", b"123456789", b"b"])[1] == masked([b"123456789"])[0]


def test_a_genuine_file_is_read() -> None:
    points = list(read_points(GENUINE, pytest.fail))
    series = {name: [p for p in points if p.name == name] for name in {p.name for p in points}}
    assert set(series) == {"loss", "acc/täst", "new", "content"}, "texts and histograms are no scalars"
    assert [(p.step, p.time) for p in series["loss"]] == [(step, START + step) for step in range(1, 6)]
    assert series["loss"][3].value == 0.25
    assert [p.value for p in series["content"]] == [3.0, 6.0, 9.0, 12.0, 15.0]
    values = [p.value for p in series["new"]]
    assert math.isnan(values[2])
    assert values[3:] == [8.0, 10.0]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "events.out.tfevents.0"
    steps = [(step, START + step, {"loss": step / 4, "ö/x": math.inf}) for step in range(5000)]
    with file.open("wb") as stream:
        write_header(stream, START)
        write_scalars(stream, steps)
        write_scalars(stream, [(-1, 0.0, {"big": 1e300, "nan": math.nan})])
        write_histograms(stream, [(1, START, "w", [-1.0, 0.0, 1.0], [3, 4])])
    points = list(read_points(file, pytest.fail))
    assert points[:2] == [Point("loss", 0, START, 0.0), Point("ö/x", 0, START, math.inf)]
    assert len(points) == 10_002
    assert (points[-2].step, points[-2].value) == (-1, math.inf)
    assert math.isnan(points[-1].value)


@pytest.mark.parametrize("cut", [1, 5, 13])
def test_a_file_that_is_cut_is_read_up_to_there(cut: int, tmp_path: Path) -> None:
    content = GENUINE.read_bytes()
    whole = len(list(read_records(GENUINE, pytest.fail)))
    (tmp_path / "cut").write_bytes(content[:-cut])
    said: list[str] = []
    assert len(list(read_records(tmp_path / "cut", said.append))) == whole - 1
    assert said == [f"{tmp_path / 'cut'} ends in the middle of a record: the {whole - 1} records before it are read."]


@pytest.mark.parametrize("at", [0, 8, 12, 40])
def test_damage_is_told_and_ends_reading(at: int, tmp_path: Path) -> None:
    content = bytearray(GENUINE.read_bytes())
    second = 12 + struct.unpack_from("<Q", content)[0] + 4
    content[second + at] ^= 0xFF
    (tmp_path / "bad").write_bytes(content)
    said: list[str] = []
    assert len(list(read_records(tmp_path / "bad", said.append))) == 1
    assert len(said) == 1
    assert "is damaged after 1 records" in said[0]


def test_records_that_are_no_events_are_told(tmp_path: Path) -> None:
    from surefoot.runlog.exchange.tfrecord import write_records

    with (tmp_path / "x").open("wb") as stream:
        write_records(stream, [b"\xff\xff\xff", b"\x0b", b"\x2a\x05ab", protobuf.int_field(2, 3)])
    said: list[str] = []
    assert list(read_points(tmp_path / "x", said.append)) == []
    assert len(said) == 3
    assert all("is no event" in text for text in said)


def tensor(*parts: bytes) -> bytes:
    return protobuf.bytes_field(1, protobuf.bytes_field(1, b"t") + protobuf.bytes_field(8, b"".join(parts)))


@pytest.mark.parametrize(
    ("message", "value"),
    [
        (tensor(protobuf.int_field(1, 2), protobuf.doubles_field(6, [1.5])), 1.5),
        (tensor(protobuf.int_field(1, 2), protobuf.doubles_field(6, [1.5, 2.5])), None),
        (tensor(protobuf.int_field(1, 9), protobuf.bytes_field(4, struct.pack("<q", -7))), -7.0),
        (tensor(protobuf.int_field(1, 9), protobuf.bytes_field(10, protobuf.varint(-7))), -7.0),
        (tensor(protobuf.int_field(1, 9), protobuf.bytes_field(10, protobuf.varint(300) * 2)), None),
        (tensor(protobuf.int_field(1, 3), protobuf.int_field(7, 5)), 5.0),
        (tensor(protobuf.int_field(1, 7), protobuf.bytes_field(8, b"text")), None),
    ],
)
def test_tensors_of_one_number_are_scalars(message: bytes, value: float | None, tmp_path: Path) -> None:
    from surefoot.runlog.exchange.tfrecord import write_records

    with (tmp_path / "x").open("wb") as stream:
        write_records(stream, [protobuf.bytes_field(5, message)])
    points = [point.value for point in read_points(tmp_path / "x", pytest.fail)]
    assert points == ([] if value is None else [value])


@given(st.integers(min_value=-(2**63), max_value=2**63 - 1), st.binary(max_size=300))
def test_fields_are_read_as_they_were_written(number: int, data: bytes) -> None:
    message = protobuf.int_field(2, number) + protobuf.bytes_field(70, data)
    (first, whole), (second, read) = protobuf.fields(message)
    assert isinstance(whole, int)
    assert (first, protobuf.signed(whole), second, read) == (2, number, 70, data)


@given(st.binary(max_size=60))
def test_rubbish_is_no_message_or_one(data: bytes) -> None:
    try:
        list(protobuf.fields(data))
    except ValueError as error:
        assert str(error)


def test_settings_are_what_the_plugin_hparams_reads(tmp_path: Path) -> None:
    file = tmp_path / "events.out.tfevents.0"
    with file.open("wb") as stream:
        write_settings(stream, {"lr": 0.1, "shuffle": True, "name": "adam", "seed": None}, "mine", 7.0)
    start, end = (dict(fields(dict(fields(record))[5])) for record in read_records(file, pytest.fail))
    value = dict(fields(start[1]))
    assert value[1] == b"_hparams_/session_start_info"
    plugin = dict(fields(dict(fields(value[9]))[1]))
    assert plugin[1] == b"hparams"
    session = list(fields(dict(fields(plugin[2]))[3]))
    found = {entry[1]: dict(fields(entry[2])) for _, entry in ((n, dict(fields(v))) for n, v in session if n == 1)}
    assert found == {
        b"lr": {2: struct.pack("<d", 0.1)}, b"shuffle": {4: 1}, b"name": {3: b"adam"}, b"seed": {3: b""},
    }  # fmt: skip
    assert dict(session)[4] == b"mine"
    assert dict(fields(end[1]))[1] == b"_hparams_/session_end_info"
