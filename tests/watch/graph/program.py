"""Run a piece of a program under the sanitizer."""

import textwrap
from pathlib import Path

from surefoot.facts import EndFacts, Record, StepFacts
from surefoot.judge import Finding
from tests.rules.twins import watch_program

START = """
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

"""


def watch(body: str, folder: Path) -> tuple[list[Finding], list[Record], list[str]]:
    """The findings, the records, and the lines of the program."""
    code = START + textwrap.dedent(body)
    findings, records = watch_program(code, folder / "program.py")
    return findings, records, ["", *code.splitlines()]


def steps_of(records: list[Record]) -> list[StepFacts]:
    return [record for record in records if isinstance(record, StepFacts)]


def end_of(records: list[Record]) -> EndFacts:
    (end,) = (record for record in records if isinstance(record, EndFacts))
    return end
