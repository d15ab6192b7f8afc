"""Wrong usage is answered in one line that says what to do, with exit status 2 and without a traceback."""

import shlex
from pathlib import Path

import pytest

from surefoot.cli.main import main
from tests.cli.command import CLEAN, write
from tests.runlog.making import LogFile

HOOK = "https://hooks.slack.com/services/T000/B000/SECRET"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write(folder / "train.py", CLEAN)
    write(folder / "broken.py", "loss = (")
    for name in ("notes.txt", "config.yaml", "nb.ipynb", "train.sh"):
        write(folder / name, "key: 1")
    (folder / "empty").mkdir()
    LogFile(folder / "runs" / "20260115-231405-train-abc123" / "rank-0.db").connection.close()
    return folder


CASES = {
    "rnu train.py": "there is no command 'rnu'. Did you mean run?",
    "frobnicate": "The commands are run, ",
    "train.py": "`surefoot run train.py`",
    "--verison": "Did you mean --version?",
    "--log x runs": "options follow the command, as in `surefoot runs --log …`.",
    "run": "name a SCRIPT, or a module with -m MODULE.",
    "run -m": "name a SCRIPT",
    "run train": "Did you mean 'train.py'?",
    "run trian.py": "Did you mean 'train.py'?",
    "run nothing-like-it.py": "there is no file 'nothing-like-it.py'",
    "run empty": "a folder without a __main__.py",
    "run notes.txt": "name the script that reads it",
    "run config.yaml": "is no Python script",
    "run nb.ipynb": "sf.watch(model, optimizer)",
    "run train.sh": "put `surefoot run` in place of `python`",
    "run -m train.py": "leave out -m",
    "run --max-step 3 train.py": "Did you mean --max-steps?",
    "run --max-steps x train.py": "--max-steps: must be a whole number, at least 1, got 'x'.",
    "run --max-steps 0 train.py": "at least 1, got '0'",
    "run --fail-on eror train.py": "must be one of error, warning, never, got 'eror'. Did you mean error?",
    "run --format xml train.py": "must be one of text, json, github, sarif, agent",
    "run --select stale-gradient train.py": "Did you mean 'stale-gradients'?",
    "run --overhead abc train.py": "must be a share between 0 and 1, got 'abc'",
    "run --overhead 2 train.py": "must be a share between 0 and 1, got '2'",
    "run --overhead nan train.py": "must be a share between 0 and 1",
    "run --report missing/x.json train.py": "can't be written to 'missing/x.json': No such file",
    "run --report empty train.py": "can't be written to 'empty': Is a directory",
    "run --log notes.txt train.py": "notes.txt is not a folder. Choose another folder with --log",
    "run --log notes.txt/deep/down train.py": "notes.txt is not a folder",
    "run --alert train.py": "--alert has taken train.py for its value",
    "run --alert foo train.py": "an alert goes to an address",
    "run --alert-on error train.py": "needs an address: --alert URL",
    "run --alert env:SUREFOOT_NOTHING train.py": "the variable SUREFOOT_NOTHING holds no address",
    "run --alert cmd: train.py": "cmd: needs a command",
    "run --prometheus 99999 train.py": "from 0 to 65535, got '99999'",
    "run --no-log --prometheus train.py": "leave out --no-log",
    "trace": "name a SCRIPT",
    "trace trian.py": "Did you mean 'train.py'?",
    "trace --steps 0 train.py": "--steps: must be",
    "runs missing": "there is no folder missing.",
    "runs notes.txt": "notes.txt can't be read: Not a directory",
    "runs --fromat csv": "Did you mean --format?",
    "runs --limit 0": "--limit: must be",
    "runs a b c": "surefoot runs takes no further arguments, got: b c.",
    "show": "surefoot show needs RUN.",
    "show nope": "`surefoot runs runs` lists them",
    "show latest --log empty": "there is no run in empty yet",
    "show latest --rank x": "--rank: must be a whole number",
    "query": "surefoot query needs SQL.",
    "query select * from runs": "put quotes around it",
    "run --notes=yes train.py": "--notes: takes no value.",
    "query 'select 1' --log missing": "there is no folder missing.",
    "query 'selec 1'": 'syntax error at or near "selec"',
    "query 'drop table runs'": "only SELECT is possible, got DROP",
    "query 'select * from scalarz'": "Did you mean scalars?",
    "query 'select now()'": "cast it, as in now()::TIMESTAMP",
    "query 'select 1' --memory lots": 'such as "2GB" or "500MB", got',
    "query 'select lss from scalars'": 'Referenced column "lss" not found',
    "query 'select 1; select 2'": "one query at a time",
    "query ''": "got 0 statements",
    "query \"select * from read_csv('/etc/passwd')\"": "read_csv() is not allowed",
    "query 'select 1' --seconds soon": "--seconds: must be a number of seconds above 0",
    "query 'select 1' --format parquet": "name a file with -o FILE",
    "query 'select 1' -o missing/x.csv": "can't be written: No such file",
    "replay nope": "there is no run 'nope'",
    "compare": "surefoot compare needs RUN, RUN.",
    "compare latest nope": "there is no run 'nope'",
    "report nope": "there is no run 'nope'",
    "export latest": "surefoot export needs --to, -o/--output.",
    "export latest --to excel -o x": "must be one of tensorboard, csv, parquet, mlflow",
    "export latest --to csv -o notes.txt": "notes.txt exists already",
    "import missing": "there is no file or folder missing",
    "import notes.txt": "its first line must name at least two columns",
    "import empty": "holds none of what can be imported",
    "rm": "surefoot rm needs RUN.",
    "rm nope": "there is no run 'nope'",
    "prune --older-than soon": "such as 12h, 30d or 8w",
    "prune --keep=-1": "--keep: must be a whole number, at least 0",
    "schedule": "surefoot schedule needs",
    "schedule 'OneCycelLR(optimizer, 1)'": "Did you mean OneCycleLR?",
    "schedule cosin": "There are inverse_time, step_decay, warmup_constant_decay, warmup_cosine and those of",
    "schedule 'StepLR(optimizer'": "can't be evaluated: SyntaxError",
    "schedule OneCycleLR": "OneCycleLR(optimizer, …), got the class",
    "schedule 'StepLR(optimizer, 3)'": "--updates 1000",
    "schedule 3 --updates 5": "must return a scheduler, got int",
    "schedule 'StepLR(optimizer, 3)' --updates many": "--updates: must be a whole number",
    "lr-find": "surefoot lr-find needs MODULE:FUNCTION.",
    "lr-find train": "name it as MODULE:NAME",
    "lr-find missing.py:make": "there is no file 'missing.py'",
    "lr-find train.py:make --low tiny": "--low: must be a number, got 'tiny'",
    "gradcheck missing.py": "there is no file 'missing.py'",
    "gradcheck broken.py": "broken.py, line 1, is not valid Python: '(' was never closed.",
    "gradcheck notes.txt": "there is no module 'notes.txt'",
    "rules nope": "there is no rule or family named 'nope'",
    "fix train.py --alternative stale-gradient": "Did you mean 'stale-gradients'?",
    "explain": "surefoot explain needs RULE.",
    "explain stale_gradients": "Did you mean 'stale-gradients'?",
    "learn stale-gradient": "Did you mean 'stale-gradients'?",
    "dash --port 70000": "from 0 to 65535, got '70000'",
    "dash --prot 80": "Did you mean --port?",
    "dash --host 0.0.0.0": "Add --open-to-network",
    "dash --compare latest": "--compare takes 2 to 50 runs, got 1",
}


@pytest.mark.parametrize("line", CASES)
def test_it_is_answered_in_one_line(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(shlex.split(line)) == 2
    told = capsys.readouterr()
    assert not told.out
    (said,) = told.err.splitlines()
    assert said.startswith("surefoot: ") and CASES[line] in said


@pytest.mark.parametrize(
    "line",
    [
        f"run --alerts {HOOK} train.py",
        f"run --alerts={HOOK} train.py",
        f"run --alert-on error {HOOK}",
        f"run --alert {HOOK} --alert-on 'loss >' train.py",
        f"run --alert env:{HOOK} train.py",
        f"run --alert cmd:{HOOK} train.py",
        "run --alert cmd:hooks.slack.com/services/T000/B000/SECRET train.py",
        f"run --alert {HOOK} --fial-on error train.py",
        f"run --log {HOOK}/x {HOOK}",
        f"runs {HOOK} {HOOK}",
        "run --max-steps hf_SECRETSECRETSECRETSECRET train.py",
        "runs one --token=SECRETSECRET two",
    ],
)
def test_what_is_mistyped_does_not_give_a_secret_away(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(shlex.split(line)) == 2
    assert "SECRET" not in capsys.readouterr().err


def test_the_schedule_of_the_readme_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    (line,) = [line for line in readme.splitlines() if line.startswith("$ surefoot schedule ")]
    assert main(shlex.split(line)[2:]) == 0
    told = capsys.readouterr().out
    assert told.startswith("OneCycleLR") and "training would fail after update 501" in told
