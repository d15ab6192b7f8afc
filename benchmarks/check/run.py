"""Run `surefoot check` on one program, and tell what became of it."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.check.defects import OPTIONS, PROGRAMS, Defect


def check(code: str, name: str, *options: str) -> dict[str, dict[str, Any]]:
    """Verdicts by the name of the check."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        known = OPTIONS.get(name, [])
        command = [sys.executable, "-m", "surefoot", "check", "--json", "checks.json", *known, *options, f"{name}.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if not (folder / "checks.json").exists():
            raise RuntimeError(f"{name}: exit status {done.returncode}\n{done.stderr}")
        told = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
        return {one["name"]: one for one in told["checks"]}


def clean(name: str) -> dict[str, dict[str, Any]]:
    return check((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), name)


def with_defect(defect: Defect, *options: str) -> dict[str, dict[str, Any]]:
    return check(defect.code(), defect.program, *options)
