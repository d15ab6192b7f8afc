"""Images, figures, texts, tables and audio: what is stored of them, and how it is read."""

import io
import json
import math
import struct
import wave
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import surefoot as sf
from surefoot.runlog import doctor
from surefoot.runlog.media.choose import split
from surefoot.runlog.media.image import MOST_PIXELS
from surefoot.runlog.media.kind import MOST_BYTES
from surefoot.runlog.media.table import MOST_ROWS
from surefoot.runlog.read import Run, RunLogError, RunLogWarning
from surefoot.runlog.read.disk import delete, footprint, orphans
from tests.runlog.making import LogFile


def pixels_of(content: bytes) -> Any:
    """What a PNG of ours shows, by the letter of the format."""
    width, height, depth, colour = struct.unpack(">IIBB", content[16:26])
    assert depth == 8
    channels = {0: 1, 2: 3, 6: 4}[colour]
    at, packed = 8, b""
    while at < len(content):
        (num,) = struct.unpack(">I", content[at : at + 4])
        name, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + num]
        assert struct.unpack(">I", content[at + 8 + num : at + 12 + num]) == (zlib.crc32(name + data),)
        packed += data if name == b"IDAT" else b""
        at += 12 + num
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    assert (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, channels)


class Picture:
    """As far as a picture of PIL is asked."""

    mode = "P"

    def __init__(self, pixels: Any) -> None:
        self._pixels = pixels

    def getbands(self) -> tuple[str, ...]:
        return ("P",)

    def convert(self, mode: str) -> Any:
        assert mode == "RGB"
        return self._pixels


class Figure:
    """As far as a figure of matplotlib is asked."""

    dpi = 100.0

    def get_size_inches(self) -> tuple[float, float]:
        return (100.0, 50.0)

    def savefig(self, target: io.BytesIO, *, format: str, dpi: float) -> None:  # noqa: A002 - its name
        assert (format, dpi) == ("png", 30.0)
        target.write(sf.Image(np.zeros((2, 3), np.uint8)).encode().content)


RAMP = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (RAMP, RAMP),
        (torch.from_numpy(RAMP).permute(2, 0, 1), RAMP),
        (torch.from_numpy(RAMP).permute(2, 0, 1).float().div(255).requires_grad_(), RAMP),
        (RAMP.transpose(2, 0, 1)[:, :, :2], RAMP[:, :2]),
        (torch.tensor([[0.0, 1.0], [0.5, math.nan]], dtype=torch.bfloat16), [[[0], [255]], [[128], [0]]]),
        (np.array([[True, False]]), [[[255], [0]]]),
        (np.array([[-1.0, 0.0, 1.0]]), [[[0], [128], [255]]]),
        (np.array([[0, 1000]]), [[[0], [255]]]),
        (Picture(RAMP), RAMP),
    ],
)
def test_an_image_is_stored_as_it_is(given: Any, expected: Any) -> None:
    medium = sf.Image(given, "what it is").encode()
    assert np.array_equal(pixels_of(medium.content), expected)
    assert medium.about["caption"] == "what it is"
    assert (medium.about["height"], medium.about["width"]) == np.shape(expected)[:2]


def test_what_is_too_large_is_stored_smaller_and_says_so() -> None:
    image = sf.Image(np.zeros((5000, 3000), np.uint8)).encode()
    assert image.about["width"] * image.about["height"] <= MOST_PIXELS
    assert image.about["reduced"] == "every 2th pixel of 3000 by 5000"
    noise = np.random.default_rng(0).integers(0, 256, (1800, 1800, 4), np.uint8)
    assert len(sf.Image(noise).encode().content) <= MOST_BYTES
    sound = sf.Audio(np.zeros(6_000_000, np.float32), 16_000).encode()
    assert len(sound.content) <= MOST_BYTES and sound.about["reduced"] == "the first of 375.0 s"
    table = sf.Table(["a"], [[i] for i in range(MOST_ROWS + 1)]).encode()
    assert (table.about["rows"], table.about["reduced"]) == (MOST_ROWS, "the first of 5,001 rows and 1 columns")


def test_sound_keeps_its_samples() -> None:
    wave_of = sf.Audio(torch.tensor([[0.0, 0.5, -1.0, 7.0] * 3, [0.25] * 12]), 8000).encode()
    with wave.open(io.BytesIO(wave_of.content)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 8000, 2)
        samples = np.frombuffer(file.readframes(4), "<i2").reshape(-1, 2)
    assert samples.tolist() == [[0, 8191], [16383, 8191], [-32767, 8191], [32767, 8191]]


def test_what_is_a_medium_and_what_a_number() -> None:
    media = {"a": RAMP, "b": "text", "c": sf.Table({"x": [1]}), "d": [RAMP, RAMP], "e": Figure(),
             "f": np.zeros((2, 2), np.uint8), "g": Picture(RAMP)}  # fmt: skip
    numbers = {"h": 1.0, "i": torch.ones(1), "j": np.float32(2), "k": "0.5", "l": np.zeros((2, 2)), "m": [1.0, RAMP]}
    found, chosen = split({**media, **numbers})
    assert list(found) == list(numbers)
    assert {name: len(some) for name, some in chosen.items()} == {name: 1 + (name == "d") for name in media}
    with pytest.raises(ValueError, match="at most 64 media"):
        split({"many": ["text"] * 65})


@pytest.mark.parametrize(
    "make",
    [
        lambda: sf.Image(np.zeros((2, 3, 5))), lambda: sf.Image(np.zeros(3)), lambda: sf.Image(np.array([["a"]])),
        lambda: sf.Audio(np.zeros((9, 9)), 8000), lambda: sf.Audio(np.zeros(3), 0),
        lambda: sf.Table(["a", "b"], [[1]]), lambda: sf.Table(3),
    ],
)  # fmt: skip
def test_what_is_neither_is_refused(make: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        make()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    rows = [[1, 0.5, "x", None, math.nan, True], [2**60, np.float64(2), "<b>", (1,), 3, False]]
    with sf.start_run(tmp_path, name="media") as made:
        for step in (1, 2):
            made.log({"loss": 1.0 / step, "sample": [RAMP, RAMP + step], "note": f"step {step}"}, step=step)
        made.log({"guess": sf.Table(list("abcdef"), rows), "chart": Figure()}, step=2)
        made.log({"sound": sf.Audio(np.zeros(10), 100)})
    return sf.open(tmp_path)["latest"]


def test_a_run_gives_back_what_was_logged(run: Run) -> None:
    samples = run.media("sample")
    assert [(one.step, one.number, one.kind) for one in samples] == [
        (1, 0, "image"), (1, 1, "image"), (2, 0, "image"), (2, 1, "image")
    ]  # fmt: skip
    assert np.array_equal(pixels_of(samples[3].read()), RAMP + 2)
    assert samples[0].path == samples[2].path, "the same picture is one file"
    assert [one.text() for one in run.media("note")] == ["step 1", "step 2"]
    (table,) = run.media("guess")
    assert table.rows() == [
        {"a": 1, "b": 0.5, "c": "x", "d": None, "e": "nan", "f": True},
        {"a": str(2**60), "b": 2.0, "c": "<b>", "d": "(1,)", "e": 3, "f": False},
    ]
    assert len(run.media()) == 9
    assert run.scalars("loss").values.tolist() == [1.0, 0.5]
    with pytest.raises(TypeError, match="is no text"):
        samples[0].text()


def test_sql_has_paths_and_cells(run: Run) -> None:
    rows = run.sql("SELECT name, step, kind, path, about->>'width' FROM media WHERE name = 'chart'").rows()
    assert rows == [("chart", 2, "image", str(run.media("chart")[0].path), "3")]
    query = "SELECT line, label, value, number FROM cells WHERE label IN ('b', 'c') ORDER BY line, label"
    cells = run.sql(query).rows()
    assert cells == [(0, "b", "0.5", 0.5), (0, "c", "x", None), (1, "b", "2.0", 2.0), (1, "c", "<b>", None)]
    assert run.sql("SELECT count(*) FROM events WHERE kind = 'media'").rows() == [(0,)]


def test_what_was_changed_is_not_believed(run: Run, tmp_path: Path) -> None:
    assert {part.state for part in doctor.examine(run.folder)} == {"whole"}
    (note, _), (table,) = run.media("note"), run.media("guess")
    note.path.write_text("another", encoding="utf-8")
    table.path.write_bytes(b"{}")
    with pytest.raises(RunLogError, match="damaged"):
        note.text()
    with pytest.warns(RunLogWarning, match="damaged"):
        assert run.sql("SELECT * FROM cells").rows() == []
    assert sorted(part.file.name for part in doctor.examine(run.folder) if part.state == "damaged") == sorted(
        (note.path.name, table.path.name)
    )
    doctor.salvage_run(run.folder, tmp_path / "salvaged")
    assert len(list((tmp_path / "salvaged").glob("*.media/*"))) == len(list(run.folder.glob("*.media/*"))) - 2


def test_they_go_with_their_run(run: Run) -> None:
    stray = run.media()[0].path.with_name("0123.png.part")
    stray.write_bytes(b"")
    assert orphans(run.folder) == [stray]
    assert not footprint(run.folder).others
    assert delete(footprint(run.folder))
    assert not run.folder.exists()


def told(kind: Any, file: Any) -> str:
    return json.dumps({"name": "a", "kind": kind, "file": file, "number": 0, "bytes": 1})


NAME = "0" * 32


@pytest.mark.parametrize(
    "text",
    [
        "{", "[]", '{"name": "a"}', told("text", "../rank-0.db"), told("html", f"{NAME}.html"),
        told("image", f"{NAME}.txt"), told(["text"], 3),
    ],
)  # fmt: skip
def test_no_log_leads_to_another_file(tmp_path: Path, text: str) -> None:
    with LogFile(tmp_path / "run" / "rank-0.db") as file:
        file.event(1, "media", text)
    assert sf.open(tmp_path)["run"].media() == []


def test_what_can_not_be_stored_is_told_and_the_rest_is_logged(tmp_path: Path) -> None:
    with sf.start_run(tmp_path) as made:
        made.log({"loss": 1.0})
        made.folder.joinpath("rank-0.media").write_text("in the way", encoding="utf-8")
        made.log({"note": "lost", "loss": 2.0})
    run = sf.open(tmp_path)["latest"]
    assert run.media() == [] and run.scalars("loss").values.tolist() == [1.0, 2.0]
    (event,) = [event for event in run.first.events() if event.kind == "media-lost"]
    assert event.text.startswith("note: ")
