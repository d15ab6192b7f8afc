"""`surefoot check` as a user runs it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import surefoot as sf
from surefoot.check.checks import _value_of, _with_option
from surefoot.check.verdict import NAMES
from surefoot.cli.check_command import _parse
from surefoot.cli.main import main
from surefoot.runlog.read.result import read_result
from tests.cli.command import python, write
from tests.launch.test_redirect import digest

FROZEN = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 4)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=20, shuffle=True)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
for epoch in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
        torch.save(model.state_dict(), "model.pt")
        torch.save(model.state_dict(), __file__ + ".pt")
    with open("log.txt", "a") as log:
        log.write("epoch")
"""


DETACHED = """
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
data = torch.randn(200, 2) @ torch.randn(2, 8)
encoder, decoder = nn.Linear(8, 2), nn.Linear(2, 8)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for epoch in range(9):
    for x in DataLoader(data, batch_size=40, shuffle=True):
        code = encoder(x)
        out = decoder((0 * code + torch.randn_like(code)).detach())
        loss = ((out - x) ** 2).mean() + 1e-3 * code.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_inputs_that_make_no_difference_to_the_batch_are_told(tmp_path: Path) -> None:
    write(tmp_path / "train.py", DETACHED)
    done = python("-m", "surefoot", "check", "--no-log", "--only=overfits-one-batch", "train.py", cwd=tmp_path)
    assert done.status == 1, done.err
    assert "What the model is given makes no difference" in " ".join(done.err.split())


def test_a_defect_is_told_and_nothing_is_changed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project / "train.py", FROZEN)
    write(project / "model.pt", "an older model")
    write(project / "log.txt", "before")
    before = digest(project)
    only = "--only=overfits-one-batch,first-loss-is-what-chance-predicts,the-future-is-hidden"
    written = ["--json", tmp_path / "o.json", "--log", tmp_path / "runs"]
    done = python("-m", "surefoot", "check", "--steps", 30, only, "train.py", *written, cwd=project)
    assert done.status == 1, done.err
    assert digest(project) == before
    checks = {one["name"]: one for one in json.loads((tmp_path / "o.json").read_text())["checks"]}
    assert {name: one["verdict"] for name, one in checks.items()} == {
        "overfits-one-batch": "fail", "first-loss-is-what-chance-predicts": "pass",
        "the-future-is-hidden": "not-tested",
    }  # fmt: skip
    assert "No weight changed in 30 steps" in checks["overfits-one-batch"]["why"]
    assert checks["overfits-one-batch"]["evidence"]["rate"] == 0.0
    assert "1 passed, 1 failed, 1 not tested" in done.err
    assert done.out == b""
    (kept,) = sf.open(tmp_path / "runs")
    assert kept.status == "failed"
    assert f"saved as {tmp_path / 'runs' / kept.name}" in done.err
    result = read_result(kept)
    assert result is not None
    assert (result["of"], result["checks"]) == ("check", list(checks.values()))


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path / "wait.py", "import pathlib, time\npathlib.Path('/dev/null').touch()\ntime.sleep(600)")
    process = subprocess.Popen(
        [sys.executable, "-m", "surefoot", "check", "wait.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("surefoot-check-*/1/output.txt")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "surefoot: interrupted; nothing of the script is left running.\n"
    assert [file.name for file in tmp_path.iterdir()] == ["wait.py"]


def test_a_script_that_fails_is_not_tested(tmp_path: Path) -> None:
    write(tmp_path / "bad.py", "raise ValueError('no data\\nhere')")
    done = python("-m", "surefoot", "check", "bad.py", cwd=tmp_path)
    assert done.status == 1
    assert done.err.count("It failed before its first optimizer step: ValueError: no data") == len(NAMES) - 2
    assert "surefoot: nothing could be tested: it failed before its first optimizer step" in done.err
    assert "Traceback" not in done.err


def test_an_option_that_the_script_does_not_know_is_named(tmp_path: Path) -> None:
    write(tmp_path / "train.py", "import argparse\nargparse.ArgumentParser().parse_args()")
    done = python("-m", "surefoot", "check", "--only=overfits-one-batch", "train.py", "--resume-wiht", cwd=tmp_path)
    assert done.status == 1
    assert "error: unrecognized arguments: --resume-wiht." in done.err


STOPPED = FROZEN.replace("    for inputs", "    if epoch == 2:\n        raise OSError('disk is full')\n    for inputs")


def test_a_script_that_fails_later_is_looked_at_up_to_there(tmp_path: Path) -> None:
    write(tmp_path / "train.py", STOPPED)
    done = python("-m", "surefoot", "check", "--no-log", "--only=samples-are-independent", "train.py", cwd=tmp_path)
    assert done.status == 0
    assert "With sample 10 of 20 replaced, no other prediction changes." in done.err
    assert "surefoot: the script raised OSError: disk is full after 20 steps; checks are about those." in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a SCRIPT, or a module with -m MODULE"),
        (["nowhere.py"], "there is no file 'nowhere.py'"),
        (["--only", "nothing", "a.py"], "there is no check 'nothing'. There are: overfits-one-batch"),
        (["--timeout", "0", "a.py"], "must be a number of seconds above 0"),
        (["--jsno", "x", "a.py"], "has no option --jsno. Did you mean --json?"),
        (["--batch-option=--b", "a.py"], "--accumulate-option and --batch-option go together"),
    ],
)
def test_wrong_usage_is_one_line(
    tmp_path: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_own_options_may_stand_right_behind_the_script() -> None:
    options, program = _parse(["train.py", "--json", "o.json", "--steps=7", "--lr", "1", "--json", "theirs"])
    assert (options.json, options.steps, program.args) == (Path("o.json"), 7, ("--lr", "1", "--json", "theirs"))
    options, program = _parse(["train.py", "--no-log", "--", "--steps", "3"])
    assert (options.no_log, program.args) == (True, ("--steps", "3"))
    options, program = _parse(["--", "train.py", "--json", "o.json"])
    assert (options.json, program.args) == (None, ("--json", "o.json"))
    options, program = _parse(["--json", "a", "-m", "train", "--json", "b"])
    assert (options.json, program.args) == (Path("b"), ())


def test_options_of_the_script_are_replaced() -> None:
    args = ("--lr", "1", "--batch", "16", "--k=2")
    assert _value_of(args, "--batch") == 16
    assert _value_of(args, "--k") == 2
    assert _value_of(args, "--other") is None
    assert _with_option(args, "--batch", 4) == ("--lr", "1", "--k=2", "--batch", "4")
    assert _with_option(args, "--k", 4) == ("--lr", "1", "--batch", "16", "--k", "4")


def test_a_function_that_no_other_process_finds_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be a function at the top of a module or script, got .*<lambda>"):
        sf.check(lambda: None)
    with pytest.raises(ValueError, match="there is no check 'x' of loops"):
        sf.check(make_loop, only=["x"])


def make_loop() -> tuple[object, ...]:
    return ()
