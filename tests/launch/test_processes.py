"""Children and ranks that train are part of the one report; helpers say nothing."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from surefoot.launch.ranks import Ranks
from surefoot.report import Report
from tests.cli.command import make_finding, python, write
from tests.forked import client as forked

TRAIN = """
import sys
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset

def train(rank, steps=8):
    torch.manual_seed(rank)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = TensorDataset(torch.randn(64, 4))
    for (x,) in DataLoader(data, batch_size=64 // steps, shuffle=True, num_workers=rank):
        loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
    return steps

class Trainer(mp.get_context("spawn").Process):
    def run(self):
        train(0, 4)
"""
STEP_LINE = 15

WAYS = {
    "spawn": "mp.spawn(train, nprocs=2)",
    "fork": "p = mp.get_context('fork').Process(target=train, args=(1,)); p.start(); p.join(); print(p.exitcode)",
    "subclass": "p = Trainer(); p.start(); p.join(); print(p.exitcode, sorted(vars(p)))",
    "pool": "with mp.get_context('fork').Pool(2) as pool: print(pool.map(train, [0]))",
    "parent too": "train(0)\n    p = mp.get_context('fork').Process(target=train, args=(0, 2)); p.start(); p.join()",
}


@pytest.mark.parametrize(
    ("way", "steps", "count", "logs"),
    [("spawn", 16, 14, 2), ("fork", 8, 7, 1), ("subclass", 4, 3, 1), ("pool", 8, 7, 1), ("parent too", 10, 8, 2)],
)
def test_children_that_train(way: str, steps: int, count: int, logs: int, tmp_path: Path) -> None:
    write(tmp_path / "train.py", f'{TRAIN}\nif __name__ == "__main__":\n    {WAYS[way]}\n')
    plain = forked.python("train.py", cwd=tmp_path)
    done = forked.surefoot("run", "--report", "report.json", "train.py", cwd=tmp_path, TMPDIR=str(tmp_path))
    assert done.out == plain.out
    assert done.status == 1, done.err
    report = json.loads((tmp_path / "report.json").read_text())
    (found,) = report["findings"]
    assert (found["rule"], found["line"]) == ("stale-gradients", STEP_LINE)
    assert report["steps"] == steps
    assert found["count"] == count
    assert done.err.count("surefoot: 1 finding") == 1
    (run,) = (tmp_path / "runs").iterdir()
    assert len([file for file in run.iterdir() if file.suffix == ".db"]) == logs
    assert list(tmp_path.glob("surefoot-*")) == []  # what was handed over is gone


RANKS = """
import sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for i in range(6):
    x = torch.randn(16, 4)
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
for _ in range(3 * rank):
    optimizer.zero_grad()
    model.module(x).square().mean().backward()
    optimizer.zero_grad()
    optimizer.step()
dist.destroy_process_group()
sys.stdout.write(f"rank {rank}\\n")
"""


def test_ranks_give_one_report(tmp_path: Path) -> None:
    write(tmp_path / "train.py", RANKS)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    done = python(
        "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr", "127.0.0.1", "--master-port", port,
        "-m", "surefoot", "run", "--report", "report.json", "train.py", cwd=tmp_path, TMPDIR=str(tmp_path),
    )  # fmt: skip
    assert sorted(done.out.split(b"\n")) == [b"", b"rank 0", b"rank 1"]
    report = json.loads((tmp_path / "report.json").read_text())
    found = {finding["rule"]: (finding["line"], finding["count"]) for finding in report["findings"]}
    assert found["stale-gradients"] == (15, 10)
    assert found["gradients-cleared-before-step"][0] == 19
    assert report["steps"] == 9
    assert done.err.count("surefoot: 2 findings in 9 steps") == 1
    (run,) = (tmp_path / "runs").iterdir()
    assert sorted(file.name for file in run.glob("*.db")) == ["rank-0.db", "rank-1.db"]
    assert list(tmp_path.glob("surefoot-*")) == []


def make_ranks(folder: Path, rank: int, **changes: Any) -> Ranks:
    return Ranks(**{"rank": rank, "local_rank": rank, "num_local": 2, "folder": folder / "ranks"} | changes)


def test_the_first_rank_waits_only_so_long(tmp_path: Path) -> None:
    mine = Report("train.py", 3, [make_finding(count=1)])
    report, missing = make_ranks(tmp_path, 0).union(mine, 0.1)
    assert (report, missing) == (mine, 1)
    make_ranks(tmp_path, 1).hand_over(
        Report("train.py", 4, [make_finding(count=2, evidence={"x": float("inf")})], {"r": "off"}, 7)
    )
    report, missing = make_ranks(tmp_path, 0).union(mine)
    assert (report.steps, report.findings[0].count, report.not_checked, missing) == (4, 3, {"r": "off"}, 0)
    make_ranks(tmp_path, 0).clear()
    assert not (tmp_path / "ranks").exists()


def test_ranks_agree_on_one_answer(tmp_path: Path) -> None:
    assert make_ranks(tmp_path, 1).agree("second") == "second"
    assert make_ranks(tmp_path, 0).agree("first") == "second"


def test_ranks_are_known_by_torchruns_environment() -> None:
    assert Ranks.from_environment({}) is None
    assert Ranks.from_environment({"RANK": "0", "WORLD_SIZE": "2"}) is None
    base = {"TORCHELASTIC_RUN_ID": "a/b c", "RANK": "3", "WORLD_SIZE": "4", "MASTER_PORT": "29500"}
    assert Ranks.from_environment({**base, "WORLD_SIZE": "1"}) is None
    ranks = Ranks.from_environment({**base, "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2"})
    assert ranks is not None
    assert (ranks.rank, ranks.num_local, ranks.tells, ranks.writes_report) == (3, 2, True, False)
    assert ranks.folder.name.endswith("-a-b-c-29500-")
    again = Ranks.from_environment({**base, "TORCHELASTIC_RESTART_COUNT": "1"})
    assert again is not None and again.folder != ranks.folder and not again.tells


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getuid", lambda: -1)
    with pytest.raises(PermissionError, match="belongs to somebody else"):
        make_ranks(tmp_path, 1).hand_over(Report("train.py"))
