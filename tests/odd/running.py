"""Run an odd program bare and watched, and tell what differs."""

import difflib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import surefoot
from tests.cli.command import environment
from tests.forked.client import SERVER, server

OWN = (str(Path(surefoot.__file__).parent), str(SERVER))
SECONDS = 60.0  # only to end what hangs
KNOWN_LIMITS = ("--gradcheck was not given", "torch.compile is in use")  # both are documented


@dataclass(frozen=True)
class Program:
    """Lines `# odd: ...` at its top tell how it has to be run."""

    path: Path
    needs_own_process: bool  # what it does would show that it was forked
    has_report: bool  # it ends in a way that leaves no time for one
    stdin: str = ""

    @staticmethod
    def read(path: Path) -> "Program":
        said = re.findall(r"^# odd: (.*)$", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        stdin = next((line.removeprefix("stdin ") for line in said if line.startswith("stdin ")), "")
        return Program(path, "own process" in said, "no report" not in said, stdin)


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str
    report: dict[str, Any] | None = field(default=None)


def run_bare(program: Program, folder: Path) -> Ran:
    return _run("bare", program, folder, [])


def run_watched(program: Program, folder: Path, *options: str) -> Ran:
    report = folder.with_suffix(".json")
    ran = _run("surefoot", program, folder, ["run", *options, "--report", str(report)])
    return Ran(ran.status, ran.out, ran.err, json.loads(report.read_text()) if report.exists() else None)


def _run(kind: str, program: Program, folder: Path, before: list[str]) -> Ran:
    """In a folder of its own."""
    folder.mkdir()
    files = {name: folder.with_suffix(f".{name}") for name in ("in", "out", "err")}
    for name, file in files.items():
        file.write_text(program.stdin if name == "in" else "")
    args, env = [*before, str(program.path)], environment() | {"PYTHONFAULTHANDLER": ""}
    if program.needs_own_process:
        module = ["-m", "surefoot"] if kind == "surefoot" else []
        with files["in"].open() as stdin, files["out"].open("w") as out, files["err"].open("w") as err:
            streams: Any = {"stdin": stdin, "stdout": out, "stderr": err}
            command = [sys.executable, *module, *args]
            status = subprocess.run(command, cwd=folder, env=env, timeout=SECONDS, **streams).returncode
    else:
        status = server(kind).run(args, folder, files, env, SECONDS)
    return Ran(status, *(files[name].read_text(encoding="utf-8", errors="replace") for name in ("out", "err")))


def differences(program: Program, bare: Ran, watched: Ran) -> Iterator[str]:
    """What a user could tell them apart by, and what was not watched."""
    if watched.status != bare.status:
        yield f"exit status {watched.status}, bare {bare.status}\n{watched.err}"
    yield from _diff("stdout", bare.out, watched.out)
    yield from _diff("stderr", as_bare(bare.err), as_bare(watched.err))
    yield from (line for line in watched.err.splitlines() if line.startswith("surefoot: ") and "failed" in line)
    if watched.report is None:
        if program.has_report:
            yield "there is no report"
        return
    yield from (f"{found['severity']}[{found['rule']}] {found['message']}" for found in watched.report["findings"])
    for item in watched.report["not_checked"]:
        if not item["why"].endswith(KNOWN_LIMITS):
            yield f"{item['rule']} was not checked: {item['why']}"


def as_bare(err: str) -> str:
    """Without the lines of surefoot, and without its frames, which its wrappers can't avoid."""
    lines: list[str] = []
    is_own = False
    for line in err.splitlines():
        if line.startswith("surefoot: "):
            continue
        frame = re.match(r'[ |]+File "(.*?)", line \d+', line)
        if frame is not None:
            is_own = frame[1].startswith(OWN)
        elif not line.startswith("    ") and not line.startswith("  |     "):
            is_own = False
        if not is_own:
            lines.append(re.sub(r"0x[0-9a-f]+|(?<=^USDT:)\S+ \S+ \d+:\d+", "", line))  # the profiler tells its pid
    return "\n".join(lines)


def _diff(name: str, bare: str, watched: str) -> Iterator[str]:
    if bare != watched:
        lines = difflib.unified_diff(bare.splitlines(), watched.splitlines(), "bare", "watched", lineterm="", n=1)
        yield f"{name} differs:\n" + "\n".join(lines)
