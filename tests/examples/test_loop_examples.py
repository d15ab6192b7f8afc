"""The examples run, learn, and the sanitizer has nothing to say about them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str, cwd: Path, num_loops: int = 1) -> subprocess.CompletedProcess[str]:
    return check([sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments], cwd, num_loops)


def check(command: list[str], cwd: Path, num_loops: int = 1) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"surefoot: 0 findings in \d+ steps", done.stderr)) == num_loops, done.stderr
    return done


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found is not None, text
    return float(found[1])


def test_digits_and_going_on(tmp_path: Path) -> None:
    first = run("loop_digits", "--epochs", "2", cwd=tmp_path)
    assert number(r"accuracy ([\d.]+)%", first.stdout) > 80
    again = run("loop_digits", "--epochs", "2", cwd=tmp_path)
    assert "going on after update 40" in again.stdout
    assert again.stdout.splitlines()[1:] == first.stdout.splitlines()


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
    assert (
        low
        <= number(pattern, run(name, *arguments, cwd=tmp_path, num_loops=1 + (name == "loop_finetune")).stdout)
        <= high
    )


def test_alone_and_on_two_processes_it_is_the_same_training(tmp_path: Path) -> None:
    script = [str(EXAMPLES / "ddp.py"), "--epochs", "2"]
    alone = check([sys.executable, "-W", "error", *script], tmp_path).stdout
    assert alone.startswith("1 processes, 24 updates")
    assert number(r"accuracy ([\d.]+)%", alone) > 75
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *script]
    for way in ("ddp", "fsdp"):
        pair = check([*torchrun, "--parallel", way], tmp_path).stdout
        assert pair.splitlines() == [alone.strip().replace("1 processes", "2 processes")]
