"""What a program tells parsers and loggers is in its run; the original gets the same, and our failures stay with us."""

import argparse
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from click.testing import CliRunner

import surefoot as sf
from surefoot.capture import Capture, command_line, tensorboard
from surefoot.capture.capture import LISTENERS, MOST_FAILURES
from surefoot.capture.own import own_name
from surefoot.runlog.write.run import Run


class Writer:
    """Has the methods of a SummaryWriter that are listened to."""

    def __init__(self) -> None:
        self.written: list[tuple[Any, ...]] = []

    def add_scalar(self, tag: str, scalar_value: Any, global_step: int | None = None) -> None:
        if tag == "refused":
            raise ValueError(tag)
        if tag == "old":
            warnings.warn("an old name", stacklevel=2)
        self.written.append((tag, scalar_value, global_step))

    def add_scalars(self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: int | None = None) -> None:
        for tag, value in tag_scalar_dict.items():
            self.add_scalar(f"inner/{main_tag}/{tag}", value, global_step)


@pytest.fixture
def said(tmp_path: Path) -> Iterator[tuple[Run, list[str]]]:
    """The run, and what was complained of."""
    complaints: list[str] = []
    capture = Capture(complaints.append)
    with sf.start_run(tmp_path / "runs") as run:
        capture.start()
        try:
            yield run, complaints
        finally:
            capture.stop()


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch, said: Any) -> Any:
    """A module that is imported while we listen."""
    home = ModuleType("tensorboardX.writer")
    own = type("SummaryWriter", (Writer,), dict(vars(Writer)))
    home.SummaryWriter = own  # type: ignore[attr-defined]
    capture = Capture(said[1].append)
    tensorboard.install(home, capture._listening)
    yield own()
    capture.stop()
    assert own.add_scalar is Writer.add_scalar


def scalars(run: Run) -> dict[str, list[tuple[int, float]]]:
    run.flush()
    found: dict[str, list[tuple[int, float]]] = {}
    for name, step, value in sf.open(run.folder.parent).sql("select name, step, value from scalars order by 1, 2"):
        found.setdefault(name, []).append((step, value))
    return found


def test_a_writer_gets_everything_unchanged_and_so_does_the_run(writer: Writer, said: tuple[Run, list[str]]) -> None:
    writer.add_scalar("train/acc", 0.5, 10)
    writer.add_scalar("train/acc", scalar_value=0.75, global_step=20)
    writer.add_scalars("both", {"a": 1, "b": 2}, 3)
    with pytest.raises(ValueError, match="refused"):
        writer.add_scalar("refused", 1.0, 1)
    assert writer.written == [
        ("train/acc", 0.5, 10), ("train/acc", 0.75, 20), ("inner/both/a", 1, 3), ("inner/both/b", 2, 3),
    ]  # fmt: skip
    assert scalars(said[0]) == {"train/acc": [(10, 0.5), (20, 0.75)], "both/a": [(3, 1)], "both/b": [(3, 2)]}
    assert said[1] == []


def test_failures_of_ours_are_told_once_and_the_program_goes_on(writer: Writer, said: tuple[Run, list[str]]) -> None:
    for _ in range(MOST_FAILURES + 2):
        writer.add_scalar("acc", 0.5, "ten")  # type: ignore[arg-type] - this writer takes it
    assert len(writer.written) == MOST_FAILURES + 2
    assert len(said[1]) == 1
    assert "values passed to tensorboard are no longer logged" in said[1][0]


def test_warnings_name_the_line_that_calls_the_logger(writer: Writer) -> None:
    with pytest.warns(UserWarning, match="an old name") as told:
        writer.add_scalar("old", 1.0, 1)
    assert Path(told[0].filename) == Path(__file__)


def test_what_a_signal_handler_raises_while_we_read_reaches_the_program(
    writer: Writer, said: tuple[Run, list[str]]
) -> None:
    class Late:
        def item(self) -> float:
            signal.raise_signal(signal.SIGINT)
            return 1.0

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGINT, stop)
    try:
        with pytest.raises(TimeoutError):
            writer.add_scalar("acc", 0.5, Late())  # type: ignore[arg-type]
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(writer.written) == 1
    writer.add_scalar("acc", 0.75, 2)
    assert scalars(said[0]) == {"acc": [(2, 0.75)]}


def test_names_of_our_own_get_the_loggers_name(writer: Writer, said: tuple[Run, list[str]]) -> None:
    writer.add_scalar("loss", 1.0, 1)
    said[0].has_own_series = True
    writer.add_scalar("loss", 2.0, 1)
    assert scalars(said[0]) == {"loss": [(1, 1.0)], "tensorboard/loss": [(1, 2.0)]}
    assert own_name("val/loss", "wandb") == "val/loss"
    assert own_name("grad_norm/0.weight", "wandb") == "wandb/grad_norm/0.weight"


def test_settings_are_the_namespace_that_the_script_gets(
    said: tuple[Run, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "fit", "--lr", "0.1"])
    parser = argparse.ArgumentParser()
    parser.add_argument("--api-key", default="0123456789abcdef")
    inner = parser.add_subparsers(dest="command").add_parser("fit")
    inner.add_argument("--lr", type=float)
    assert parser.parse_args().lr == 0.1
    assert parser.parse_known_args(["fit", "--lr", "0.2", "rest"])[1] == ["rest"]
    run = said[0]
    run.log({"acc": 1.0})
    run.flush()
    found = {name: setting.value for name, setting in sf.open(run.folder.parent)["latest"].settings.items()}
    assert found == {"api_key": "…", "command": "fit", "lr": 0.2}


def test_parsers_of_libraries_are_their_own_business(said: tuple[Run, list[str]]) -> None:
    code = compile("parser.parse_args(['--level', '3'])", str(Path(argparse.__file__).parent / "lib.py"), "exec")
    parser = argparse.ArgumentParser()
    parser.add_argument("--level", type=int)
    exec(code, {"parser": parser, "__name__": "lib"})
    said[0].log({"acc": 1.0})
    said[0].flush()
    assert sf.open(said[0].folder.parent)["latest"].settings == {}


def test_commands_of_click_are_read_before_they_run(said: tuple[Run, list[str]]) -> None:
    seen: list[dict[str, Any]] = []

    @click.group()
    @click.option("--seed", default=1)
    def group(seed: int) -> None:
        pass

    @group.command()
    @click.option("--lr", type=float)
    def fit(lr: float) -> None:
        said[0].log({"acc": lr})
        said[0].flush()
        found = sf.open(said[0].folder.parent)["latest"].settings
        seen.append({name: (setting.value, setting.source) for name, setting in found.items()})

    assert CliRunner().invoke(group, ["--seed", "7", "fit", "--lr", "0.5"]).exit_code == 0
    assert seen == [{"seed": (7, "click"), "lr": (0.5, "click")}]


def test_references_of_a_config_are_followed_without_calling_anything() -> None:
    values = {"a": {"lr": "${b.rate}", "seed": "${random:3}"}, "b": {"rate": "${c}"}, "c": 0.1, "loop": "${loop}"}
    found = dict(command_line._followed(values, values))
    assert found == {"a": {"lr": 0.1, "seed": "${random:3}"}, "b": {"rate": 0.1}, "c": 0.1, "loop": "${loop}"}


def test_every_module_of_ours_that_listens_exists() -> None:
    folder = Path(command_line.__file__).parent
    assert {name for name in LISTENERS.values() if not (folder / f"{name}.py").is_file()} == set()
