"""Reads from a device in every step. No device is here: the CPU is taken for one that has a queue."""

from pathlib import Path

import pytest

from surefoot.facts import EndFacts, HostReadFacts, Site
from surefoot.rules import Evidence, History
from surefoot.rules.catalogue import catalogue
from surefoot.rules.speed.host_waits_every_step import check
from surefoot.watch.speed import host_read
from tests.rules.twins import twins, watch_program

NAME = "host-waits-every-step"
TWINS = twins(catalogue()[NAME].doc)
LINE = Site("train.py", 14)


def ask(num_steps: int, num_since: int) -> list[Evidence]:
    reads = HostReadFacts(LINE, ".item()", "cuda", num_steps, num_since)
    return list(check.check(EndFacts(9, host_reads=(reads,)), History(())))


def test_a_line_that_reads_in_every_step_is_told() -> None:
    (evidence,) = ask(398, 400)
    assert evidence.site == LINE and evidence.numbers == {"steps": 398, "of": 400}
    assert evidence.message.startswith("this line reads a tensor on cuda with .item() in 398 of 400 steps, and each")


@pytest.mark.parametrize(("num_steps", "num_since"), [(40, 400), (99, 99), (340, 400)])
def test_rare_reads_and_short_runs_are_not(num_steps: int, num_since: int) -> None:
    assert not ask(num_steps, num_since)


@pytest.mark.parametrize(("twin", "lines"), [("Bad", [14]), ("Good", [])])
def test_twins_where_the_device_has_a_queue(
    twin: str, lines: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_read, "NEAR", frozenset())
    findings, _ = watch_program(TWINS[twin], tmp_path / "twin.py")
    assert [(f.rule, f.line) for f in findings] == [(NAME, line) for line in lines]


READS = """
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(120):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    optimizer.step()
    if loss.detach() > 1e9:
        break
    text = f"{loss.detach():.3f}"
    if step % 10 == 0:
        print(loss, loss.tolist())
"""


def test_lines_of_the_program_alone_count_and_nothing_is_replaced_on_a_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watch_program(READS, tmp_path / "cpu.py")[0] == []
    monkeypatch.setattr(host_read, "NEAR", frozenset())
    findings, records = watch_program(READS, tmp_path / "far.py")
    assert [f.line for f in findings] == [12, 14]
    (end,) = [r for r in records if isinstance(r, EndFacts)]
    assert [(reads.what, reads.num_steps) for reads in end.host_reads] == [
        ("bool()", 120), ("a format string", 120), (".tolist()", 12),
    ]  # fmt: skip
