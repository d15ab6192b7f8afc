"""The examples run, learn, and the sanitizer has nothing to say about them."""

import re
from pathlib import Path

import pytest

from tests.cli.command import Done
from tests.forked.client import python, python_on_ranks

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str, cwd: Path, num_loops: int = 1) -> str:
    """What it prints."""
    return printed(python(*command(name, *arguments), cwd=cwd), num_loops)


def command(name: str, *arguments: str) -> list[object]:
    return ["-W", "error", EXAMPLES / f"{name}.py", *arguments]


def printed(done: Done, num_loops: int = 1) -> str:
    assert done.status == 0, done.err
    assert len(re.findall(r"surefoot: 0 findings in \d+ steps", done.err)) == num_loops, done.err
    return done.out.decode()


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found[1])


def test_digits_and_going_on(tmp_path: Path) -> None:
    first = run("loop_digits", "--epochs", "2", cwd=tmp_path)
    assert number(r"accuracy ([\d.]+)%", first) > 80
    again = run("loop_digits", "--epochs", "2", cwd=tmp_path)
    assert "going on after update 40" in again
    assert again.splitlines()[1:] == first.splitlines()


@pytest.mark.parametrize(
    ("name", "arguments", "pattern", "low", "high"),
    [
        ("loop_transformer", ("--epochs", "12"), r"to ([\d.]+)", 0.5, 2.4),
        ("loop_gan", ("--rounds", "400"), r"radius ([\d.]+)", 0.5, 1.6),
        ("loop_finetune", ("--epochs", "2"), r"accuracy ([\d.]+)%", 80, 100),
    ],
)
def test_it_learns(
    name: str, arguments: tuple[str, ...], pattern: str, low: float, high: float, tmp_path: Path
) -> None:
    said = run(name, *arguments, cwd=tmp_path, num_loops=1 + (name == "loop_finetune"))
    assert low <= number(pattern, said) <= high


def test_alone_and_on_two_processes_it_is_the_same_training(tmp_path: Path) -> None:
    alone = run("ddp", "--epochs", "2", cwd=tmp_path)
    assert alone.startswith("1 processes, 24 updates")
    assert number(r"accuracy ([\d.]+)%", alone) > 75
    for way in ("ddp", "fsdp"):
        first, second = python_on_ranks(*command("ddp", "--epochs", "2", "--parallel", way), cwd=tmp_path)
        assert printed(first) == alone.replace("1 processes", "2 processes")
        assert second.status == 0 and not second.out, second.err
