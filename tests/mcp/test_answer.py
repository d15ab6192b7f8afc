"""Answers keep their bound, whatever they hold."""

import json

from hypothesis import given
from hypothesis import strategies as st

from surefoot.mcp.answer import MOST_BYTES, MOST_OUTPUT, as_json, cut, size, tail

LINES = "".join(f"line {number} ……\n" for number in range(4000))


@given(st.text(max_size=200), st.integers(80, 400))
def test_texts_are_cut_at_lines(piece: str, most: int) -> None:
    for text in (piece, f"{piece}\n" * 50):
        shown = cut(text, most)
        assert len(shown.encode()) <= most
        if shown != text:
            kept, _, said = shown.rpartition("… ")
            assert text.startswith(kept)
            assert said == f"{len(text.encode()) - len(kept.encode())} more bytes are left out."


def test_whole_lines_are_kept() -> None:
    shown = cut(LINES)
    assert MOST_BYTES - 100 < len(shown.encode()) <= MOST_BYTES
    assert LINES.startswith(shown[: shown.rindex("\n") + 1])


@given(st.lists(st.integers(1, 5000), max_size=12), st.lists(st.integers(1, 300), max_size=3))
def test_entries_that_do_not_fit_are_counted(sizes: list[int], others: list[int]) -> None:
    patches, checks = [{"diff": "é" * num} for num in sizes], ["x" * num for num in others]
    text = as_json({"ended": "with status 0"}, {"patches": patches, "checks": checks})
    told = json.loads(text)
    assert len(text) <= MOST_BYTES
    assert told["patches"] == patches[: len(told["patches"])]
    assert told["patches_left_out"] == len(patches) - len(told["patches"])
    assert told["checks_left_out"] == len(checks) - len(told["checks"])


@given(st.text(min_size=1, max_size=3), st.integers(1, 3000))
def test_of_output_the_end_is_shown(piece: str, num: int) -> None:
    text = piece * num
    shown = tail(text)
    assert size(shown) <= MOST_OUTPUT
    assert text.rstrip().endswith(shown.removeprefix("…"))
    assert shown == text.rstrip() or size(shown) > MOST_OUTPUT - 60
