"""What is packed is unpacked again, whatever it is."""

import struct
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.runlog.checksum import checksum
from surefoot.runlog.chunk import TICKS, pack, pack_series, unpack, unpack_series
from surefoot.runlog.exchange.tfrecord import read_records, write_records
from surefoot.runlog.schema import ORDERS
from surefoot.runlog.write.layout import Layout
from surefoot.runlog.write.write_ahead_format import (
    FILE_STEP,
    block_of,
    commit_record,
    header_of,
    order_record,
    read_write_ahead,
    row_record,
    write_ahead_files,
)
from surefoot.runlog.write.write_queue import Row

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=64)
COUNTS = st.one_of(st.none(), INT64)
VALUES = st.one_of(st.none(), INT64, st.floats(allow_nan=False), st.text(), st.binary(max_size=50))


@given(st.lists(st.tuples(INT64, st.floats(0, 1e10), FLOATS, FLOATS), min_size=1, max_size=30))
def test_a_chunk(rows: list[tuple[int, float, float, float]]) -> None:
    found = unpack(*pack([(step, time, values) for step, time, *values in rows]))
    assert found.steps.tolist() == [row[0] for row in rows]
    assert np.abs(found.times - [row[1] for row in rows]).max() <= 1 / TICKS
    np.testing.assert_array_equal(found.values, np.array([row[2:] for row in rows]).T)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=50))
def test_the_series_of_a_layout(numbers: list[int]) -> None:
    assert unpack_series(pack_series(numbers)) == numbers


@given(st.lists(COUNTS, min_size=1, max_size=6), st.integers(0, 5), COUNTS)
def test_a_changed_value_changes_the_checksum(values: list[object], place: int, other: object) -> None:
    changed = list(values)
    changed[place % len(values)] = other
    assert (checksum(*changed) == checksum(*values)) == (changed == values)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.tuples(st.booleans(), st.sets(st.text(max_size=9), min_size=1, max_size=3), INT64, FLOATS), max_size=8),
    st.lists(st.tuples(st.integers(0, len(ORDERS) - 1), st.lists(VALUES, max_size=4)), max_size=4),
    st.integers(0, 2**62),
)
def test_a_tail(
    rows: list[tuple[bool, set[str], int, float]], orders: list[tuple[int, list[object]]], commit: int
) -> None:
    given_rows: dict[int, Row] = {}
    for number, (second_file, names, step, value) in enumerate(rows):
        layout = Layout([("scalar", name, "") for name in sorted(names)])
        given_rows[number] = (layout, step, float(second_file), struct.pack("<d", value) * len(names), number)
    given_orders = {number: (ORDERS[which], tuple(values)) for number, (which, values) in enumerate(orders)}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rank-0.db")
        for place, one in enumerate(write_ahead_files(file)):
            header, seed = header_of({"id": "a"})
            blocks = [header]
            blocks += [block_of(row_record(row), seed) for row in given_rows.values() if row[2] == place]
            if place:
                blocks += [block_of(order_record(*order), seed) for order in given_orders.items()]
                blocks.append(block_of(commit_record(commit), seed))
            data = b"".join(blocks)
            one.write_bytes(data + bytes(-len(data) % FILE_STEP))
        found = read_write_ahead(file)
    assert found.problems == [] and found.commit == commit and found.orders == given_orders
    assert {number: (row[0].keys, *row[1:]) for number, row in found.rows.items()} == {
        number: (row[0].keys, *row[1:]) for number, row in given_rows.items()
    }


@settings(deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=20), st.integers(0, 400))
def test_event_files_cut_anywhere(records: list[bytes], cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, said = Path(folder, "events.out.tfevents.1"), list[str]()
        with file.open("wb") as stream:
            write_records(stream, records)
        assert list(read_records(file, said.append)) == records and not said
        size = file.stat().st_size
        with file.open("r+b") as stream:
            stream.truncate(max(0, size - cut))
        found = list(read_records(file, said.append))
        assert found == records[: len(found)]
        whole_at = [0]
        for record in records:
            whole_at.append(whole_at[-1] + 16 + len(record))
        assert bool(said) == (max(0, size - cut) not in whole_at)
