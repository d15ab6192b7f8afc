"""With the usual settings, a bug is found after a long healthy stretch, and in a short program."""

import re
import warnings
from pathlib import Path

import pytest

from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import needs_device
from surefoot.sanitizer import Sanitizer
from surefoot.watch.settings import Settings
from tests.rules.twins import twins

RULES = catalogue()
ALONE = [name for name, rule in RULES.items() if rule.family != "dist" and not needs_device(rule.doc)]
ON_REQUEST = {"wrong-custom-backward"}  # by `gradcheck`

HEALTHY = """
def healthy():
    import torch

    torch.manual_seed(1)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(200):
        x = torch.randn(16, 4)
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


healthy()
del healthy
"""

SEVERAL = "stays silent in programs with several optimizers"
RECORDS = "needs more records of signals in a row than the usual settings make after the first 32"

NOT_LATE = {  # not found after the healthy loop, and why
    "loss-spike-at-start": SEVERAL,
    "overfitting": SEVERAL,
    "loss-diverging": SEVERAL,
    "output-collapsed": SEVERAL,
    "update-too-small": SEVERAL,
    "forward-called-directly": "calls are watched during the first three steps of a program",
    "initial-loss-off": "judges the first backward of a program",
    "optimizer-never-steps": "judges programs in which nothing steps",
}
NOT_IN_ITS_LENGTH = {  # missed with the usual settings at any moment, found with overhead=1
    "loss-flat": f"{RECORDS}; {SEVERAL}",
    "loss-oscillating": f"{RECORDS}: 48 in a row; {SEVERAL}",
    "parameter-flat": RECORDS,
    "parameter-jump": f"{RECORDS}, and that of the one update that jumps",
    "exploding-gradients": RECORDS,
    "gradient-spike": f"{RECORDS}, and that of the one update that has it",
    "update-too-large": f"{RECORDS}; {SEVERAL}",
}
NOT_IN_30_STEPS = NOT_IN_ITS_LENGTH | {
    **dict.fromkeys(("loss-diverging", "output-collapsed", "update-too-small"), "waits for more records"),
    "clip-always-active": "waits for more steps, whatever the settings",
    "vanishing-gradients": "waits for more steps, whatever the settings",
    "target-never-moved": "waits for more steps, whatever the settings",
}

LOOP = re.compile(r"(for \w+ in range)\((\d+)\)")
BAD = {name: twins(RULES[name].doc)["Bad"] for name in ALONE}


def shortened(code: str, most: int = 30) -> str:
    return LOOP.sub(lambda loop: f"{loop[1]}({min(int(loop[2]), most)})", code)


def found(name: str, code: str, file: Path) -> set[str]:
    """Rules, with the settings that a user has who sets none."""
    failures: list[str] = []
    file.write_text(code, encoding="utf-8")
    sanitizer = Sanitizer(
        RULES.values(),
        settings=Settings(gradcheck=name in ON_REQUEST),
        on_failure=lambda probe, error: failures.append(f"{probe}: {error!r}"),
    )
    sanitizer.start()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Detected call of `lr_scheduler.step", UserWarning)  # torch sees it too
            warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)  # more workers than cores
            exec(compile(code, str(file), "exec"), {"__name__": "__main__"})
    finally:
        sanitizer.finish()
    assert not failures, failures
    return {finding.rule for finding in sanitizer.judge.findings}


@pytest.mark.parametrize("name", [name for name in ALONE if name not in NOT_LATE | NOT_IN_ITS_LENGTH])
def test_after_a_healthy_loop(name: str, tmp_path: Path) -> None:
    assert name in found(name, HEALTHY + BAD[name], tmp_path / "late.py")


@pytest.mark.parametrize("name", sorted(NOT_LATE))
def test_by_itself(name: str, tmp_path: Path) -> None:
    assert name in found(name, BAD[name], tmp_path / "bad.py")


@pytest.mark.parametrize(
    "name", [name for name in ALONE if shortened(BAD[name]) != BAD[name] and name not in NOT_IN_30_STEPS]
)
def test_in_30_steps(name: str, tmp_path: Path) -> None:
    assert name in found(name, shortened(BAD[name]), tmp_path / "short.py")


def test_what_is_left_out_exists() -> None:
    assert set(NOT_LATE | NOT_IN_30_STEPS) <= set(ALONE)
