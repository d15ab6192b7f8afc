"""`pytest --surefoot` in a process of its own, found by its entry point as in an environment of a user."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
TRAINING = """
def train(steps=5, *, clear):
    import torch
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(steps):
        if clear:
            optimizer.zero_grad()
        x = torch.randn(16, 4)
        torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
"""
STEP_LINE = 12
TESTS = """
import pytest
import surefoot as sf
from training import train

def test_torch_is_first_imported_inside_a_test():
    train(clear=False)

def test_right():
    train(clear=True)

@pytest.fixture
def trained():
    train(clear=False)

def test_fixtures_are_watched(trained):
    pass

def test_own_failure():
    train(clear=False)
    assert "mine" == "kept"

@pytest.fixture
def broken():
    train(clear=False)
    raise OSError("no data")

def test_broken_fixture(broken):
    pass

def test_judges_itself(surefoot_watch):
    assert surefoot_watch.findings == []
    train(clear=False)
    assert [finding.rule for finding in surefoot_watch.findings] == ["stale-gradients"]

def test_its_own_watch_works():
    with sf.watch() as watch:
        train(clear=True)
    assert watch.report().steps == 5

def test_assert_trains_judges_what_it_runs():
    for _ in range(2):
        with pytest.raises(AssertionError, match="stale-gradients"):
            sf.testing.assert_trains(lambda: train(clear=False))
    train(clear=True)

def test_found_after_assert_trains():
    sf.testing.assert_trains(lambda: train(40, clear=True))
    train(clear=False)

@pytest.fixture
def watch_without_end():
    yield
    sf.watch()

def test_leaves_a_watch_running(watch_without_end):
    pass

def test_that_follows():
    train(clear=True)
"""
PLAIN = """
import sys

def test_nothing_is_imported():
    assert "surefoot.testing.plugin" in sys.modules
    assert not {"torch", "surefoot.watch", "surefoot.sanitizer", "surefoot.judge"} & set(sys.modules)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of a user, beside what an installed surefoot tells pytest of its plugins."""
    folder = tmp_path_factory.mktemp("project")
    entry_points = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    installed = folder / "installed" / "surefoot_plugin-0.dist-info"
    installed.mkdir(parents=True)
    lines = [f"{name} = {module}" for name, module in entry_points["pytest11"].items()]
    (installed / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines]))
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: surefoot-plugin\nVersion: 0\n")
    (folder / "training.py").write_text(TRAINING)
    (folder / "test_training.py").write_text(TESTS)
    (folder / "test_plain.py").write_text(PLAIN)
    return folder


def run_pytest(folder: Path, *args: str) -> str:
    path = os.pathsep.join([str(folder / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--color=no", *args],
        cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=280,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "200"},
    )  # fmt: skip
    return done.stdout + done.stderr


def outcomes(output: str) -> dict[str, str]:
    """By test; an error comes with the outcome of no call."""
    return {name: outcome for outcome, name in re.findall(r"^([A-Z]+) \S+?::(\w+)", output, re.MULTILINE)}


@pytest.fixture(scope="module")
def output(folder: Path) -> str:
    """Of a session in two processes, as xdist starts them; the tests share one of them."""
    return run_pytest(folder, "--surefoot", "-n1", "test_training.py")


def test_findings_fail_the_tests_that_caused_them(output: str) -> None:
    failed = {name for name, outcome in outcomes(output).items() if outcome == "FAILED"}
    assert failed == {
        "test_torch_is_first_imported_inside_a_test", "test_fixtures_are_watched", "test_own_failure",
        "test_found_after_assert_trains", "test_that_follows",
    }, output  # fmt: skip
    assert outcomes(output)["test_broken_fixture"] == "ERROR"
    assert outcomes(output)["test_leaves_a_watch_running"] == "PASSED"


def test_the_failure_names_rule_line_message_and_fix(output: str) -> None:
    first = output.partition("test_torch_is_first_imported_inside_a_test ___")[2].partition("\n____")[0]
    assert f"surefoot found error[stale-gradients] at training.py:{STEP_LINE}\n" in first
    assert "step with gradients that step 1 already used" in first
    assert f"> {STEP_LINE} |         optimizer.step()" in first
    assert "fix: call optimizer.zero_grad() once per step" in first
    assert "Traceback" not in first


def test_a_test_that_fails_by_itself_keeps_its_failure(output: str) -> None:
    own = output.partition("___ test_own_failure ___")[2].partition("\n____")[0]
    assert "'mine' == 'kept'" in own
    assert "Captured surefoot call" in own
    assert "stale-gradients" in own


def test_what_another_watch_hides_is_said(output: str) -> None:
    assert "another watch runs in this process, so --surefoot can't tell what this test did" in output


def test_it_is_off_by_default_and_imports_nothing(folder: Path) -> None:
    output = run_pytest(folder, "test_plain.py")
    assert outcomes(output) == {"test_nothing_is_imported": "PASSED"}, output


def test_a_folder_may_follow_the_option_and_settings_are_checked(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.surefoot]\nignore = ["stale-gradient"]\n')
    output = run_pytest(folder, "--surefoot=warning", "--surefoot", "test_plain.py", "--rootdir", str(folder))
    (folder / "pyproject.toml").unlink()
    expected = "ERROR: surefoot: there is no rule or family named 'stale-gradient'. Did you mean 'stale-gradients'?\n"
    assert output.endswith((expected, expected + "\n")), output
