"""Media that a program gives to loggers are in its run; those that can't be read do not stop the rest."""

import wave
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import surefoot as sf
from surefoot.capture import Capture, mlflow, tensorboard
from surefoot.capture.capture import MOST_FAILURES
from surefoot.capture.media import media_in
from surefoot.runlog.media.audio import Audio
from surefoot.runlog.media.image import Image
from surefoot.runlog.media.table import Table
from surefoot.runlog.write.run import Run


class Writer:
    """The methods of a SummaryWriter."""

    def add_scalar(self, tag: str, scalar_value: Any, global_step: int | None = None) -> None: ...
    def add_image(
        self, tag: str, img_tensor: Any, global_step: int = 0, walltime: Any = None, dataformats: str = "CHW"
    ): ...
    def add_images(
        self, tag: str, img_tensor: Any, global_step: int = 0, walltime: Any = None, dataformats: str = ""
    ): ...
    def add_text(self, tag: str, text_string: str, global_step: int = 0) -> None: ...
    def add_audio(self, tag: str, snd_tensor: Any, global_step: int = 0, sample_rate: int = 44100) -> None: ...


class Client:
    """The methods of an MlflowClient."""

    def log_image(
        self, run_id: str, image: Any, artifact_file: Any = None, key: Any = None, step: Any = None
    ) -> None: ...
    def log_text(self, run_id: str, text: str, artifact_file: str) -> None: ...
    def log_table(self, run_id: str, data: Any, artifact_file: str) -> None: ...


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with sf.start_run(tmp_path / "runs") as run:
        yield run


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def capture(run: Run, complaints: list[str]) -> Iterator[Capture]:
    capture = Capture(complaints.append)
    yield capture
    capture.stop()


@pytest.fixture
def writer(capture: Capture) -> Any:
    home = ModuleType("tensorboardX.writer")
    home.SummaryWriter = own = type("SummaryWriter", (Writer,), dict(vars(Writer)))  # type: ignore[attr-defined]
    tensorboard.install(home, capture._listening)
    return own()


def stored(run: Run) -> list[tuple[str, int, int, str]]:
    run.flush()
    found = sf.open(run.folder.parent).sql("select name, step, number, kind from media order by name, number")
    return [tuple(row) for row in found.rows()]


def pixels(run: Run, name: str) -> tuple[int, int]:
    run.flush()
    about = sf.open(run.folder.parent)[run.name].media(name)[0].about
    return about["width"], about["height"]


def test_what_a_summary_writer_gets(writer: Any, run: Run, complaints: list[str]) -> None:
    writer.add_image("image", np.zeros((3, 8, 10)), 1)
    writer.add_image("last", np.zeros((8, 10, 3), np.uint8), global_step=2, dataformats="HWC")
    writer.add_image("flat", np.zeros((8, 10)), 2, dataformats="HW")
    writer.add_images("batch", np.zeros((2, 8, 10, 1)), 3, dataformats="NHWC")
    writer.add_text("text", "hello", 4)
    writer.add_audio("tone", np.zeros((1, 100)), 5, 8000)
    assert stored(run) == [
        ("batch", 3, 0, "image"), ("batch", 3, 1, "image"), ("flat", 2, 0, "image"), ("image", 1, 0, "image"),
        ("last", 2, 0, "image"), ("text", 4, 0, "text"), ("tone", 5, 0, "audio"),
    ]  # fmt: skip
    assert [pixels(run, name) for name in ("image", "last", "flat", "batch")] == [(10, 8)] * 4
    assert complaints == []


def test_what_cant_be_read_does_not_stop_the_numbers(writer: Any, run: Run, complaints: list[str]) -> None:
    for step in range(MOST_FAILURES + 1):
        writer.add_image("image", np.zeros((8, 10)), step)  # its layout is not CHW
    writer.add_scalar("acc", 0.5, 9)
    assert stored(run) == []
    assert sf.open(run.folder.parent).sql("select name, value from scalars").rows() == [("acc", 0.5)]
    assert complaints == []


def test_what_mlflow_gets(capture: Capture, run: Run) -> None:
    home = ModuleType("mlflow.tracking.client")
    home.MlflowClient = own = type("MlflowClient", (Client,), dict(vars(Client)))  # type: ignore[attr-defined]
    mlflow.install(home, capture._listening)
    own().log_image("id", np.zeros((8, 10, 3), np.uint8), "a.png")
    own().log_image("id", np.zeros((8, 10, 3), np.uint8), key="b", step=3)
    own().log_text("id", "hello", "c.txt")
    own().log_table("id", {"x": [1, 2]}, artifact_file="d.json")
    assert [(name, kind) for name, _, _, kind in stored(run)] == [
        ("a.png", "image"), ("b", "image"), ("c.txt", "text"), ("d.json", "table"),
    ]  # fmt: skip
    assert ("b", 3, 0, "image") in stored(run)


def of(package: str, kind: str, **fields: Any) -> Any:
    return type(kind, (), {"__module__": f"{package}.data", **fields})()


def test_what_wandb_and_trackio_have(tmp_path: Path) -> None:
    with wave.open(str(tmp_path / "tone.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(400))
    picture = np.zeros((8, 10, 3), np.uint8)
    found = media_in(
        {
            "image": of("wandb", "Image", image=picture, _caption="c"),
            "two": [of("wandb", "Image", image=picture)] * 2,
            "tone": of("wandb", "Audio", _path=tmp_path / "tone.wav"),
            "table": of("wandb", "Table", columns=["a"], data=[[1]]),
            "rows": of("trackio", "Table", data=[{"a": 1}, {"a": 2, "b": 3}]),
            "own": of("trackio", "TrackioImage", _value=picture, caption="d"),
            "gone": of("wandb", "Audio", _path=tmp_path / "gone.wav"),
            "other": of("elsewhere", "Image", image=picture),
            "loss": 0.5,
            "list": [1, 2],
        }
    )
    kinds = {name: [type(one) for one in media] for name, media in found.items()}
    assert kinds == {
        "image": [Image], "two": [Image, Image], "tone": [Audio], "table": [Table], "rows": [Table], "own": [Image],
    }  # fmt: skip
    assert found["own"][0].encode().about["caption"] == "d"
    assert found["tone"][0].encode().about["channels"] == 2
    assert b'"rows"' in found["rows"][0].encode().content
    assert found["rows"][0].encode().about["rows"] == 2
    assert media_in("no dict") == {}
