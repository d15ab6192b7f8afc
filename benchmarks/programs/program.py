"""What is measured: the training programs, and those that grow in one dimension."""

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.turns import ENVIRONMENT, ROOT

HERE = Path(__file__).parent
BENCH_PYTHON = ROOT / ".venv-bench" / "bin" / "python"  # made by `make bench-setup`
FRAMEWORKS = {"lightning_trainer": "lightning", "hf_trainer": "transformers", "accelerate_loop": "accelerate"}
GROWTH = {
    "optimizers": (1, 10, 100, 1000),
    "tensors": (4, 100, 1000, 20_000),
    "micro_batches": (1, 4, 16, 64),
}


@dataclass(frozen=True, slots=True)
class Program:
    """A script that takes its number of steps, and perhaps a size, and prints a checksum of its weights."""

    name: str
    path: Path
    size: int | None = None
    package: str | None = None

    @property
    def python(self) -> str:
        return str(BENCH_PYTHON) if self.package else sys.executable

    @property
    def is_growth(self) -> bool:
        return self.size is not None

    @property
    def digest(self) -> str:
        """Changes with the program: what was measured of another text is not its result."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]

    def command(self, steps: int, *, watched: bool) -> list[str]:
        sizes = [] if self.size is None else [str(self.size)]
        surefoot = ["-m", "surefoot", "run"] if watched else []
        return [self.python, *surefoot, str(self.path), str(steps), *sizes]

    def obstacle(self) -> str | None:
        """Why it can't run here, if it can't."""
        if self.package is None or _has_package(self.package):
            return None
        return f"{self.package} is not installed in .venv-bench (make bench-setup)"


def programs() -> list[Program]:
    paths = sorted((HERE / "programs").glob("*.py"))
    return [Program(path.stem, path, package=FRAMEWORKS.get(path.stem)) for path in paths]


def growth() -> list[Program]:
    return [
        Program(f"{family}-{size}", HERE / "growth" / f"{family}.py", size)
        for family, sizes in GROWTH.items()
        for size in sizes
    ]


def environment() -> dict[str, str]:
    """As users have it: nothing is set for surefoot, and Python keeps what it has compiled."""
    unusual = {name for name in os.environ if name.startswith("SUREFOOT_")} | {"PYTHONDONTWRITEBYTECODE"}
    inherited = {name: value for name, value in os.environ.items() if name not in unusual}
    return {**inherited, **ENVIRONMENT}


@cache
def _has_package(package: str) -> bool:
    if not BENCH_PYTHON.exists():
        return False
    check = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return subprocess.run([str(BENCH_PYTHON), "-c", check]).returncode == 0
