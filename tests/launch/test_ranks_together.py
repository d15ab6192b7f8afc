"""What no rank sees by itself is found when their notes are joined, at the end of a run and in its replay."""

import json
import sys
from pathlib import Path

from surefoot.facts import RanksFacts, ReplicaFacts, Site
from surefoot.launch.handover import hand_over, received
from surefoot.report import Report, judge_together, merge
from surefoot.rules.catalogue import catalogue
from tests.cli.command import Done, write
from tests.forked.client import python_on_ranks, surefoot, surefoot_on_ranks

DIVERGED = """
import sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
torch.manual_seed(dist.get_rank())
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * (1 + dist.get_rank()))
for _ in range(6):
    x = torch.randn(16, 16)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
dist.destroy_process_group()
sys.stdout.write(f"{model.module.weight.double().sum().item().hex()}\\n")
"""
STEP_LINE = 14
TELL = """
import sys
from pathlib import Path

with Path(__file__).with_name("told.txt").open("a") as file:
    file.write(sys.stdin.read() + chr(10))
"""
ONE_RANK_STALE = """
import os
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    x = torch.randn(8, 4)
    if os.environ["RANK"] == "0":
        optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
"""


def alert(folder: Path) -> tuple[str, str]:
    write(folder / "tell.py", TELL)
    return ("--alert", f"cmd:{Path(sys.executable).as_posix()} tell.py")


def told(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line)["surefoot"] for line in (folder / "told.txt").read_text().splitlines()]


def run_on_ranks(folder: Path, *args: object) -> list[Done]:
    """tests/launch/test_processes.py has ranks that torchrun starts."""
    return surefoot_on_ranks("run", *args, *alert(folder), "train.py", cwd=folder, TMPDIR=str(folder))


def test_what_another_rank_finds_is_told_too_and_once(tmp_path: Path) -> None:
    write(tmp_path / "train.py", ONE_RANK_STALE)
    done = run_on_ranks(tmp_path, "--fail-on", "never")
    assert [one.status for one in done] == [0, 0], done
    assert [one["rule"] for one in told(tmp_path)] == ["stale-gradients"]
    write(tmp_path / "train.py", ONE_RANK_STALE.replace('== "0"', '== "2"'))
    (tmp_path / "told.txt").unlink()
    run_on_ranks(tmp_path, "--fail-on", "never")
    assert [one["rule"] for one in told(tmp_path)] == ["stale-gradients"]  # found by both


def test_copies_that_differ_are_found_by_whoever_joins_the_ranks(tmp_path: Path) -> None:
    write(tmp_path / "train.py", DIVERGED)
    plain = python_on_ranks("train.py", cwd=tmp_path)
    done = run_on_ranks(tmp_path, "--report", "report.json")
    assert [one.out for one in done] == [one.out for one in plain]  # to the last bit
    assert plain[0].out != plain[1].out
    assert [one.err.count("error[replicas-diverged]") for one in done] == [1, 0]
    (found,) = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert (found["rule"], found["line"], found["step"]) == ("replicas-diverged", STEP_LINE, 2)
    logged = surefoot("query", "select rule from findings", "--format", "csv", cwd=tmp_path)
    assert logged.out.split() == [b"rule", b"replicas-diverged"]  # and not only told at the end
    assert [one["rule"] for one in told(tmp_path)] == ["replicas-diverged"]
    again = surefoot("replay", "latest", "--report", "again.json", cwd=tmp_path)
    assert again.status == 1, again.err
    assert json.loads((tmp_path / "again.json").read_text())["findings"] == [found]


def note(rank: int, **fields: object) -> ReplicaFacts:
    given = {"num_ranks": 2, "optimizer": 1, "update": 1, "sums": (1.0 + rank,), "sizes": (4.0,), "checksum": rank}
    site = Site("train.py", 7)
    return ReplicaFacts(**{"rank": rank, "step": 3, "site": site, "names": ("w",), **given, **fields})  # type: ignore[arg-type]


def test_notes_are_handed_over_and_joined(tmp_path: Path) -> None:
    hand_over(Report("train.py", 3, notes=[note(1)]), tmp_path, "rank-1")
    report = merge([Report("train.py", 3, notes=[note(0)]), *received(tmp_path).values()])
    assert report.notes == [note(0), note(1)]
    (found,) = judge_together(report, catalogue().values(), lambda rule, error: None).findings
    assert (found.rule, found.file, found.line, found.step) == ("replicas-diverged", "train.py", 7, 3)


def test_one_rank_alone_is_not_judged() -> None:
    report = Report("train.py", 3, notes=[note(1), note(1, update=2)])
    assert judge_together(report, catalogue().values(), lambda rule, error: None) is report


def test_rules_that_a_rank_could_not_check_are_not_asked() -> None:
    report = Report("train.py", 3, not_checked={"replicas-diverged": "off"}, notes=[note(0), note(1)])
    assert judge_together(report, catalogue().values(), lambda rule, error: None).findings == []


def test_notes_of_the_same_update_make_a_round() -> None:
    facts = RanksFacts(0, (note(1), note(0), note(0, update=2), note(1, update=4, optimizer=2)))
    assert [[n.rank for n in notes] for notes in facts.rounds] == [[0, 1]]
