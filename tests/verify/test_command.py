"""`surefoot verify` as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.verify.pairs import AGREEING, DEFECTS, Pair

import surefoot as sf
from surefoot.cli.main import main
from surefoot.runlog.read.result import read_result
from surefoot.verify.presets import accumulated, on_ranks
from surefoot.verify.runner import CannotCompareError, _last_words, launched
from tests.cli.command import TIMEOUT_SECONDS

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys

import torch

torch.manual_seed(0)
x = torch.randn(64, 4)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    loss = model(x[16 * step :][:16]).square().mean()
    (loss * (2 if "--twice" in sys.argv else 1)).backward()
    optimizer.step()
open("written.txt", "w").close()
"""


def test_two_commands_are_compared_in_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = ["--json", "found.json", "--log", "kept", "--steps", "2"]
    words = [*options, "--", "python", "train.py", "--", "python", "train.py", "--twice"]
    assert main(["verify", *words]) == 1
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    first = found["first_difference"]
    assert (first["step"], first["quantity"], first["name"]) == (1, "gradient", "0.weight")
    assert "2 times the reference's" in first["likely"]
    assert found["reference_is_deterministic"] and found["steps"] == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["found.json", "kept", "train.py"]
    (run,) = sf.open("kept")
    kept = read_result(run)
    assert kept is not None
    assert kept["summary"].startswith("The runs differ first at step 1: gradient of 0.weight")
    assert {row["quantity"]: row["beyond"] for row in kept["rows"]}["gradients"] != "-"


def test_pairs_on_ranks_are_judged_right() -> None:
    """A few of `make bench-verify`, in one process with forks."""
    words = ["left out", "norm of each rank's shard", "fully_shard"]
    command = [sys.executable, "-m", "benchmarks.verify", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert "3 pairs, 0 judged wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("pair", [*DEFECTS, *AGREEING], ids=lambda pair: f"{pair.program}: {pair.name}")
def test_pairs_can_be_made(pair: Pair) -> None:
    compile(pair.code(), pair.program, "exec")
    assert bool(pair.quantity) == pair.is_defect


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--", "python", "a.py"], "needs two commands here"),
        (["--compile", "--bf16", "a.py"], "are two comparisons"),
        (["--compile"], "needs one command here"),
        (["--ddp", "1", "a.py"], "at least 2, got '1'"),
        (["--ddp", "2", "--", "bash", "a.sh"], "--ddp runs a Python script under torchrun, got 'bash'"),
        (["--accumulate", "2", "a.py"], "add --accumulate-option=--accumulate and --batch-option=--batch-size"),
        (["--with", "--lr 1", "--", "a.py", "--", "b.py"], "write its options into the second command"),
        (["--", "no-such-program", "--", "no-such-program"], "'no-such-program' can't be run"),
        (["--fused", "no-such-file.py"], "there is no file 'no-such-file.py'"),
    ],
)
def test_wrong_usage_is_answered_in_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1


def test_presets_derive_the_second_command() -> None:
    assert on_ranks("ddp", 4, ["python", "-m", "train", "--lr", "1"]).command == [
        "torchrun", "--nproc-per-node", "4", "-m", "train", "--lr", "1"
    ]  # fmt: skip
    assert on_ranks("fsdp", 2, ["train.py"]).wrapper == "DTensor"
    found = accumulated(4, ["train.py", "--batch=32"], "--acc", "--batch")
    assert found.command == ["train.py", "--batch=32", "--batch", "8", "--acc", "4"]
    for batch, told in ((["--batch", "30"], "got 30"), ([], "which is not given")):
        with pytest.raises(CannotCompareError, match=told):
            accumulated(4, ["train.py", *batch], "--acc", "--batch")


def test_commands_run_with_this_python() -> None:
    assert launched(["train.py", "-x"]) == [sys.executable, "train.py", "-x"]
    assert launched(["torchrun", "train.py"])[:3] == [sys.executable, "-m", "torch.distributed.run"]
    assert launched(["accelerate", "launch"]) == ["accelerate", "launch"]


def test_programs_that_can_not_be_compared_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text("import torch\nraise SystemExit('no data')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "--fused", "train.py"]) == 2
    told = capsys.readouterr().err
    assert "took no optimizer step" in told and "It ended with status 1: no data" in told


def test_the_exception_of_a_rank_is_told_not_that_of_its_launcher() -> None:
    said = [
        "[rank1]:     raise ValueError(size)",
        "[rank1]: ValueError: 3 samples for 2 ranks",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "train.py FAILED",
    ]
    assert _last_words(said) == "ValueError: 3 samples for 2 ranks"
    assert _last_words(["a library", "says something"]) == "says something"
