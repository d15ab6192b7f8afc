"""`surefoot learn`, as far as nothing is run."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from surefoot.cli import learn_command
from surefoot.cli.main import main
from surefoot.lab.learn.page import contents
from surefoot.lab.learn.quiz import ask
from surefoot.rules.catalogue import catalogue
from surefoot.rules.question import questions_of
from tests.cli.command import surefoot

PAGE = (Path(__file__).parents[2] / "docs" / "learn.md").read_text(encoding="utf-8")


def said(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["learn", *args]) == 0
    return capsys.readouterr().out


def test_all_are_listed_with_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys)
    assert "grad: Zeroing, accumulation, leakage: what a step really uses." in text
    for name, rule in catalogue().items():
        assert f"  {name} " in text and rule.summary in text
    assert text.startswith(contents(catalogue().values()))
    listed = json.loads(said(capsys, "--format", "json"))["families"]
    assert [rule["rule"] for family in listed for rule in family["rules"]] == list(catalogue())


def test_a_family_has_beliefs_and_questions(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "grad")
    assert "*Believed:* Each optimizer manages its own gradients." in text
    assert "1. What does a second `backward()` do" in text and "   - b) it adds to them" in text
    assert ") is right" not in text
    assert "b) is right. Several losses" in said(capsys, "grad", "--answers")
    told = json.loads(said(capsys, "grad", "--format", "json"))
    assert len(told["questions"]) >= 3 and told["questions"][0]["right"] == 1


def test_a_rule_shows_wrong_code_beside_right_code(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "stale-gradients")
    assert "\n+     optimizer.zero_grad()\n" in text and "\n      loss.backward()\n" in text
    assert text.index("## Common belief") < text.index("## In truth") < text.index("## Bad (-)")
    assert "surefoot learn stale-gradients --run" in text
    lines = json.loads(said(capsys, "stale-gradients", "--format", "json"))["lines"]
    assert not any(line["differs"] for line in lines["bad"])
    assert [line["text"].strip() for line in lines["good"] if line["differs"]] == ["optimizer.zero_grad()"]


def test_what_can_not_be_run_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surefoot.rules.lesson.sys.platform", "darwin")
    assert "The programs fork their workers" in said(capsys, "duplicate-worker-randomness")
    assert main(["learn", "duplicate-worker-randomness", "--run"]) == 2
    assert "duplicate-worker-randomness: The programs fork" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["stale-gradient"], "Did you mean 'stale-gradients'?"),
        (["gard"], "Did you mean 'grad'?"),
        (["grad", "--run"], "--run runs the programs of a rule."),
        (["--run"], "--run runs the programs of a rule."),
        (["../../etc/passwd", "--run"], "there is no rule or family named '../../etc/passwd'."),
    ],
)
def test_a_wrong_name_is_told(args: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", *args]) == 2
    assert told in capsys.readouterr().err


def test_questions_are_asked_one_by_one() -> None:
    questions = questions_of("grad")[:3]
    given, written = iter(["x", "b", "", "C)"]), []
    assert ask(questions, lambda prompt: next(given), written.append) == 2
    text = "\n".join(written)
    assert text.count(") is right.") == 1 and text.count("Right. ") == 2 and "No. " not in text
    assert ask(questions[:1], lambda prompt: "a", written.append) == 0 and "No. b) is right." in written[-1]


def test_whoever_has_enough_ends_the_questions() -> None:
    def read(prompt: str) -> str:
        raise EOFError

    assert ask(questions_of("grad"), read, lambda text: None) == 0


def test_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: "a")
    assert "of 3 right." in said(capsys, "clip")


def test_nothing_but_a_run_imports_torch(tmp_path: Path) -> None:
    code = "import sys; from surefoot.cli.main import main; main(sys.argv[1:]); print('torch' in sys.modules)"
    for args in ([], ["grad"], ["stale-gradients"], ["grad", "--format", "json"]):
        done = subprocess.run([sys.executable, "-c", code, "learn", *args], capture_output=True, cwd=tmp_path)
        assert done.stdout.decode().endswith("False\n"), done.stderr


def test_a_run_as_text_is_as_the_page_about_it_shows(tmp_path: Path) -> None:
    done = surefoot("learn", "gradients-cleared-before-step", "--run", cwd=tmp_path, PYTHONIOENCODING="utf-8")
    assert done.status == 0, done.err
    command = "$ surefoot learn gradients-cleared-before-step --run\n"
    assert f"{command}{done.out.decode()}```\n" in PAGE
    assert "Bad trains." in done.err and not list(tmp_path.iterdir())


def test_every_option_is_told() -> None:
    options = re.findall(r'add_argument\("(--[\w-]+)"', Path(learn_command.__file__).read_text(encoding="utf-8"))
    assert len(options) == 4
    for option in options:
        assert option in PAGE, option
