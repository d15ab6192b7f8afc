"""What surefoot says goes to stderr, never into a file of the program, and never fails."""

import io
import os
from pathlib import Path

from surefoot.cli.voice import Voice


def test_a_file_under_the_number_of_stderr_is_not_written(tmp_path: Path) -> None:
    with (tmp_path / "stderr").open("w") as stream, (tmp_path / "mine").open("w") as mine:
        voice = Voice(stream)
        voice.say("one")
        os.dup2(mine.fileno(), stream.fileno())
        voice.say("two")
    assert (tmp_path / "stderr").read_text() == "surefoot: one\n"
    assert (tmp_path / "mine").read_text() == ""


def test_a_pipe_in_the_place_of_stderr_is_written(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "stderr").open("w") as stream:
        voice = Voice(stream)
        os.dup2(writing, stream.fileno())
        voice.say("to tee")
    assert os.read(reading, 100) == b"surefoot: to tee\n"
    os.close(reading)
    os.close(writing)


def test_a_broken_pipe_leaves_nothing_behind_to_be_flushed() -> None:
    reading, writing = os.pipe()
    stream = os.fdopen(writing, "w")
    os.close(reading)
    Voice(stream).say("nobody hears it")
    stream.close()  # raises if something is left


def test_closed_and_missing_streams(tmp_path: Path) -> None:
    stream = (tmp_path / "stderr").open("w")
    voice = Voice(stream)
    stream.close()
    voice.say("nothing")
    Voice(stream).say("nothing")
    text = io.StringIO()
    Voice(text).say("words")
    assert text.getvalue() == "surefoot: words\n"
