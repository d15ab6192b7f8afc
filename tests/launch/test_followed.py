"""Training in processes that a program starts, in any way, is part of the one report."""

import json
import signal
import socket
from pathlib import Path
from typing import Any

from tests.cli.command import STALE, STALE_LINE, Done, write
from tests.forked.client import surefoot

WAYS = """
import concurrent.futures, multiprocessing, os, subprocess, sys

def import_(name):
    __import__(name)
    return name

if __name__ == "__main__":
    module = subprocess.Popen(["python", "-m", "package.by_module"])
    bare = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    pid = os.posix_spawn(sys.executable, [sys.executable, "by_posix_spawn.py"], bare)
    print(module.wait(), os.waitpid(pid, 0)[1], flush=True)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        print(pool.submit(import_, "by_executor").result(), flush=True)
    worker = multiprocessing.get_context("forkserver").Process(target=import_, args=("by_forkserver",))
    worker.start()
    worker.join()
    print(worker.exitcode, sorted(name for name in os.environ if "SUREFOOT_F" in name))
"""


def run(folder: Path, *args: object, **env: str) -> tuple[Done, dict[str, Any]]:
    done = surefoot("run", "--report", "report.json", *args, cwd=folder, TMPDIR=str(folder), **env)
    assert list(folder.glob("surefoot-*")) == []  # what was handed over is gone
    return done, json.loads((folder / "report.json").read_text())


def places(report: dict[str, Any]) -> list[tuple[str, str, int]]:
    return sorted((f["rule"], Path(f["file"]).name, f["line"]) for f in report["findings"])


def test_children_are_followed_however_they_are_started(tmp_path: Path) -> None:
    names = ("by_executor", "by_forkserver", "by_module", "by_posix_spawn")
    for name in names:
        write(tmp_path / ("package" if name == "by_module" else "") / f"{name}.py", STALE)
    write(tmp_path / "launch.py", WAYS)
    done, report = run(tmp_path, "launch.py")
    assert done.out == b"0 0\nby_executor\n0 []\n", done.err
    assert done.status == 1
    assert places(report) == [("stale-gradients", f"{name}.py", STALE_LINE) for name in names]
    assert report["steps"] == 6 * len(names)
    assert [f["count"] for f in report["findings"]] == [5] * len(names)
    assert "not_followed" not in report, report["not_followed"]
    assert done.err.count("stale-gradients") == len(names)
    assert done.err.count("surefoot:") == 1
    (log,) = (tmp_path / "runs").iterdir()
    assert len(list(log.glob("child-*.db"))) == len(names)


def test_ranks_of_a_launcher_are_joined_as_ranks(tmp_path: Path) -> None:
    write(
        tmp_path / "train.py",
        """
        import sys
        import torch
        import torch.distributed as dist

        dist.init_process_group("gloo")
        torch.manual_seed(dist.get_rank())
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * (1 + dist.get_rank()))
        for _ in range(6):
            x = torch.randn(16, 16)
            torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
            optimizer.step()
        dist.destroy_process_group()
        sys.stdout.write(f"rank {dist.get_rank() if dist.is_initialized() else ''}\\n")
        """,
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ("--nproc-per-node", "2", "--master-addr", "127.0.0.1", "--master-port", port)
    done, report = run(tmp_path, "-m", "torch.distributed.run", *where, "train.py")
    assert done.out == b"rank \nrank \n"
    assert done.status == 1
    assert places(report) == [("replicas-diverged", "train.py", 13), ("stale-gradients", "train.py", 13)]
    assert report["steps"] == 6
    processes = sorted((p["name"], p["steps"], p["rank"]) for p in report["processes"])
    assert processes == [("train.py", 6, 0), ("train.py", 6, 1)]
    assert done.err.count("surefoot: 2 findings in 6 steps") == 1
    (log,) = (tmp_path / "runs").iterdir()
    assert {"rank-0.db", "rank-1.db"} <= {file.name for file in log.iterdir()}


def test_what_a_killed_grandchild_had_found_is_told(tmp_path: Path) -> None:
    write(tmp_path / "train.py", f"{STALE}\nimport os\nprint('done', flush=True)\nos.kill(os.getpid(), 9)\n")
    write(tmp_path / "middle.py", "import subprocess\nprint(subprocess.run(['python', 'train.py']).returncode)\n")
    write(tmp_path / "launch.py", "import os, sys\nsys.exit(os.system('python middle.py; exit 7') >> 8)\n")
    done, report = run(tmp_path, "--no-log", "launch.py")
    assert done.out == b"done\n-9\n"
    assert done.status == 7
    assert places(report) == [("stale-gradients", "train.py", STALE_LINE)]
    assert [p["name"] for p in report["processes"] if not p["is_complete"]] == ["train.py"]
    assert "surefoot: 1 child process (train.py) still ran or was killed when the run ended" in done.err


def test_a_program_that_becomes_another_one_is_followed(tmp_path: Path) -> None:
    again = "import os, sys\nif len(sys.argv) < 2:\n    os.execv(sys.executable, [sys.executable, __file__, 'again'])\n"
    write(
        tmp_path / "train.py", f"{again}{STALE}\nprint('done', flush=True)\nos.kill(os.getpid(), {int(signal.SIGTERM)})"
    )
    done, report = run(tmp_path, "--no-log", "train.py")
    assert done.out == b"done\n"
    assert done.status == -signal.SIGTERM
    assert places(report) == [("stale-gradients", "train.py", STALE_LINE + 3)]
    assert report["processes"] == [{"name": "train.py", "steps": 6, "rank": None, "is_complete": True}]
    assert done.err.count("surefoot: 1 finding in 6 steps") == 1


def test_settings_reach_children(tmp_path: Path) -> None:
    write(tmp_path / "train.py", STALE)
    write(
        tmp_path / "launch.py", "import subprocess, sys\nsys.exit(subprocess.run(['python', 'train.py']).returncode)\n"
    )
    done, report = run(tmp_path, "--stop-on", "error", "--no-log", "launch.py")
    assert done.status == 1
    assert places(report) == [("stale-gradients", "train.py", STALE_LINE)]
    assert report["steps"] == 2
    shown = done.err.partition("error[")[0].splitlines()
    assert shown[-1].startswith("surefoot.FindingError: stale-gradients")
    assert [line for line in shown if "File" in line] == [
        f'  File "{tmp_path}/train.py", line {STALE_LINE}, in <module>'
    ]
    assert not (tmp_path / "runs").exists()
