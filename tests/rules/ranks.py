"""Run programs on two real ranks, one after the other in the same two processes, each under every rule."""

import faulthandler
import gc
import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from surefoot.facts import Record, StepFacts, decode, encode
from surefoot.judge import Finding
from surefoot.report import Report, judge_together
from surefoot.rules.catalogue import catalogue
from tests.cli.command import environment
from tests.forked.client import server
from tests.rules.twins import watch_program

NUM_RANKS = 2
TIMEOUT_SECONDS = 550  # only to end what hangs
HANGS_SECONDS = 200  # of one program, which then tells where it is
ROOT = Path(__file__).parents[2]
START = """
import sys
from pathlib import Path

sys.path[0] = {root!r}
from tests.rules.ranks import run

run(Path({folder!r}))
"""


@dataclass(frozen=True)
class Ranks:
    """What the ranks of one program found, each by itself and together."""

    findings: list[list[Finding]]
    records: list[list[Record]]

    @property
    def together(self) -> list[Finding]:
        """What follows from the notes of all."""
        notes = [r.note for records in self.records for r in records if isinstance(r, StepFacts) and r.note is not None]
        return judge_together(Report("", notes=notes), catalogue().values(), _fail).findings

    @property
    def all_findings(self) -> list[Finding]:
        return [*(finding for findings in self.findings for finding in findings), *self.together]


def _fail(rule: str, error: Exception) -> None:
    raise AssertionError(f"{rule} failed") from error


def watch_on_ranks(programs: Mapping[str, str], folder: Path) -> dict[str, Ranks]:
    """By the names of the programs."""
    ports = _free_ports(len(programs))
    plan = [
        {"name": name, "code": code, "port": port} for (name, code), port in zip(programs.items(), ports, strict=True)
    ]
    (folder / "plan.json").write_text(json.dumps(plan))
    start = folder / "start.py"
    start.write_text(START.format(root=str(ROOT), folder=str(folder)))
    every = {**environment(), "WORLD_SIZE": str(NUM_RANKS), "MASTER_ADDR": "127.0.0.1"}
    each = []
    for rank in range(NUM_RANKS):
        said = folder / f"rank-{rank}.said"
        said.touch()
        each.append(({"in": Path(os.devnull), "out": said, "err": said}, every | {"RANK": str(rank)}))
    statuses = server("bare").run_together(each, [str(start)], ROOT, TIMEOUT_SECONDS)
    told = [files["err"].read_text() for files, _ in each]
    assert statuses == [0] * NUM_RANKS, "\n".join([f"exit statuses {statuses}", *told])
    return {name: _read(folder, name) for name in programs}


def _free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _read(folder: Path, name: str) -> Ranks:
    read = [json.loads((folder / f"rank-{rank}" / f"{name}.json").read_text()) for rank in range(NUM_RANKS)]
    return Ranks(
        [[Finding(**finding) for finding in one["findings"]] for one in read],
        [[decode(record) for record in one["records"]] for one in read],
    )


def run(folder: Path) -> None:
    import torch.distributed as dist

    mine = folder / f"rank-{os.environ['RANK']}"
    mine.mkdir()
    gc.freeze()  # each start of a sanitizer looks through what the collector sees
    destroy = dist.destroy_process_group
    for program in json.loads((folder / "plan.json").read_text()):
        faulthandler.dump_traceback_later(HANGS_SECONDS, exit=True)
        os.environ["MASTER_PORT"] = str(program["port"])
        dist.destroy_process_group = partial(_destroy, destroy, mine / f"{program['name']}.over")
        findings, records = watch_program(program["code"], mine / f"{program['name']}.py")
        found = {"findings": [asdict(finding) for finding in findings], "records": [encode(r) for r in records]}
        (mine / f"{program['name']}.json").write_text(json.dumps(found))
    faulthandler.cancel_dump_traceback_later()


def _destroy(destroy: Callable[..., None], mine: Path, *args: object) -> None:
    """Once both are at their ends: a rank that is still in its last collective may wait for ever for one that left.

    Elsewhere the other's process would end. Here it goes on to the next program.
    """
    mine.touch()
    deadline = time.monotonic() + TIMEOUT_SECONDS
    others = [mine.parent.parent / f"rank-{rank}" / mine.name for rank in range(NUM_RANKS)]
    while not all(other.exists() for other in others) and time.monotonic() < deadline:
        time.sleep(0.01)
    destroy(*args)
