"""`surefoot run --alert`, `--prometheus`, and `surefoot replay --alert-dry-run`."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli.main import main
from tests.alerts.receiving import receiving
from tests.cli.command import CLEAN, STALE, Done, write
from tests.cli.conftest import RunHere
from tests.forked.client import surefoot
from tests.runlog.write.stored import ask, meta

LOGGED = """
import surefoot as sf
{more}
for step in range(1, 201):
    sf.log({{"loss": 9.0 if step > 150 else 1 + step % 2 / 100, "val/loss": 2.5}}, step=step)
"""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def surefoot_to_file(*args: str, cwd: Path) -> Done:
    """With stderr in a file that the script can read."""
    with (cwd / "stderr.txt").open("w") as stderr:
        done = subprocess.run(
            [sys.executable, "-m", "surefoot", *args], cwd=cwd, stdout=subprocess.PIPE, stderr=stderr, timeout=300
        )
    return Done(done.returncode, done.stdout, (cwd / "stderr.txt").read_text())


def log_file(folder: Path) -> Path:
    (file,) = folder.glob("runs/*/rank-0.db")
    return file


def test_findings_and_expressions_arrive(run_here: RunHere, tmp_path: Path) -> None:
    write(tmp_path / "train.py", STALE)
    with receiving() as receiver:
        done = run_here(
            "--alert", receiver.url, "--alert-on", "error", "--alert-on", "loss > 0 for 2 steps", "train.py"
        )
    assert done.status == 1
    found, expression = sorted(receiver.posted, key=lambda told: told["type"])
    assert found["title"] == "surefoot: error[stale-gradients] in train.py"
    assert found["surefoot"]["line"] == 11
    assert expression["surefoot"]["expression"] == "loss > 0 for 2 steps"
    file = log_file(tmp_path)
    assert found["surefoot"]["run"] == file.parent.name
    events = ask(file, "SELECT kind, text FROM events ORDER BY text")
    shown = f"sent to json://127.0.0.1:{receiver.port}/…"
    assert events == [("alert", f"{shown}: error[stale-gradients]"), ("alert", f"{shown}: loss > 0 for 2 steps")]


def test_no_address_is_stored_or_said(tmp_path: Path) -> None:
    """In a process of its own, whose command line has it."""
    write(tmp_path / "train.py", STALE)
    with receiving(404) as receiver:
        url = receiver.url
        done = surefoot("run", "--alert", url, "--alert=env:HOOK", "train.py", cwd=tmp_path, HOOK=url)
    assert done.err.count("could not be sent to json://127.0.0.1:") == 1
    assert len(receiver.posted) == 1
    file = log_file(tmp_path)
    command = json.loads(meta(file)["command"])
    assert command[-5:] == ["run", "--alert", "json:…", "--alert=env:…", "train.py"]
    assert sorted(kind for (kind,) in ask(file, "SELECT kind FROM events")) == ["alert", "alert-failed"]
    everything = b"".join(one.read_bytes() for one in file.parent.rglob("*") if one.is_file())
    assert b"SECRET" not in everything
    assert "SECRET" not in done.err


def test_a_dead_server_changes_nothing_else(run_here: RunHere, tmp_path: Path) -> None:
    write(tmp_path / "train.py", STALE)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    done = run_here("--alert", f"json://127.0.0.1:{port}/SECRET", "train.py")
    assert done.status == 1
    assert "surefoot: an alert could not be sent to json://127.0.0.1:" in done.err
    assert done.err.splitlines()[-1].startswith("surefoot: 1 finding in 6 steps")
    assert [kind for (kind,) in ask(log_file(tmp_path), "SELECT kind FROM events")] == ["alert-failed"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--alert", "json://h/x", "--alert-on", "zscore(loss, 50 > 4"],
            "  zscore(loss, 50 > 4\n                  ^\n",
        ),
        (["--alert", "json://h/x", "--alert-on", "eror"], "Did you mean 'error'?"),
        (["--alert", "nonsense"], "what was given is none"),
        (["--alert", "cmd:no-such-command-here"], "there is no command"),
        (["--alert-on", "error"], "--alert-on needs an address"),
        (["--alert", "json://h/x", "--alert-on", "loss > 3", "--no-log"], "leave out --no-log"),
        (["--prometheus", "--no-log"], "leave out --no-log"),
    ],
)
def test_what_is_wrong_is_refused_before_the_script_starts(
    options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train.py", "raise SystemExit('it ran')")
    assert main(["run", *options, "train.py"]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert "it ran" not in said


def test_alerts_without_a_log(run_here: RunHere, tmp_path: Path) -> None:
    write(tmp_path / "train.py", STALE)
    with receiving() as receiver:
        run_here("--no-log", "--alert", receiver.url, "train.py")
    assert [told["surefoot"]["run"] for told in receiver.posted] == [""]
    assert not (tmp_path / "runs").exists()


def test_children_tell_each_cause_once(tmp_path: Path) -> None:
    code = """
import multiprocessing

def train():
    {body}

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=train) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
"""
    write(tmp_path / "train.py", code.format(body=STALE.strip().replace("\n", "\n    ")))
    with receiving() as receiver:
        done = surefoot("run", "--alert", receiver.url, "train.py", cwd=tmp_path)
    assert done.status == 1
    assert [told["surefoot"]["rule"] for told in receiver.posted] == ["stale-gradients"]


def test_numbers_for_prometheus(tmp_path: Path) -> None:
    ask_for = """
import re, urllib.request
for line in open("stderr.txt"):
    found = re.search(r"metrics are at (\\S+)", line)
    if found:
        break
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
page = ""
while "surefoot_scalar{" not in page:  # rows are handed over some at a time
    page = opener.open(found[1], timeout=10).read().decode()
print(page)
"""
    write(tmp_path / "train.py", STALE + ask_for)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = surefoot_to_file("run", "--prometheus", str(port), "train.py", cwd=tmp_path)
    assert done.status == 1, done.err
    lines = done.out.decode().splitlines()
    assert 'surefoot_findings_total{rule="stale-gradients",severity="error"} 5' in lines
    assert "surefoot_updates_total 6" in lines
    assert any(line.startswith('surefoot_scalar{name="loss"} ') for line in lines)
    assert f":{port}/" not in done.err  # it was taken


def test_the_dry_run_tells_what_would_have_been_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    exec(LOGGED.format(more=""), {})
    from surefoot.runlog.write.current import current_run

    run = current_run()
    assert run is not None
    run.close()
    capsys.readouterr()
    on = ["zscore(loss, 50) > 4", "val/loss > 2 for 100 steps", "loss > 3 for 1 hour", "acc < 0.5", "error"]
    options = [word for text in on for word in ("--alert-on", text)]
    assert main(["replay", "latest", "--alert-dry-run", *options]) == 0
    said = capsys.readouterr()
    head, *lines = said.out.splitlines()
    assert head.split() == ["step", "time", "(UTC)", "alert", "because"]
    assert [line.split()[0] for line in lines] == ["101", "151"]
    assert "val/loss > 2 for 100 steps  at step 101: val/loss 2.5" in lines[0]
    assert "zscore(loss, 50) > 4" in lines[1]
    assert "surefoot: an alert refers to 'acc', which the run never logged." in said.err
    assert said.err.endswith("surefoot: 2 alerts would have been sent.\n")
    assert main(["replay", "latest", "--alert-on", "error"]) == 2
    assert main(["replay", "latest", "--alert-dry-run", "--alert-on", "loss >"]) == 2
    assert "a value is missing" in capsys.readouterr().err


def test_the_dry_run_and_the_run_agree(
    run_here: RunHere, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    write(tmp_path / "train.py", LOGGED.format(more=STALE))
    on = ["--alert-on", "warning", "--alert-on", "mean(loss, 5) > 2", "--alert-on", "loss > 3 for 20 steps"]
    with receiving() as receiver:
        run_here("--alert", receiver.url, *on, "train.py")
    sent = sorted((told["surefoot"]["step"], told["title"]) for told in receiver.posted)
    assert len(sent) == 3
    assert main(["replay", "latest", "--alert-dry-run", *on]) == 0
    told = capfdbinary.readouterr().out.decode().splitlines()[1:]
    columns = [re.split(r"\s{2,}", line.strip()) for line in told]
    assert sorted((int(step), f"surefoot: {title} in train.py") for step, _, title, _ in columns) == sent


def test_the_end_of_a_run_sums_up(run_here: RunHere, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code = (
        CLEAN.replace("range(6)", "range(400)")
        + '\nimport surefoot\nfor s in range(400): surefoot.log({"loss": 1 / (s + 9)}, s)'
    )
    write(tmp_path / "train.py", code)
    done = run_here("train.py")
    *_, numbers, verdict, move, last = done.err.splitlines()
    assert numbers.startswith("surefoot: loss ")
    assert last.startswith("surefoot: 0 findings in 400 steps")
    assert move.startswith("surefoot: next: ")
    assert main(["show", "latest"]) == 0
    shown = capfdbinary.readouterr().out.decode()
    assert (
        f"how the loss ended:\n  {numbers.removeprefix('surefoot: ')}\n  {verdict.removeprefix('surefoot: ')}\n"
        in shown
    )
