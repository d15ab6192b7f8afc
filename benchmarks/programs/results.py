"""Keeps what was measured, round by round: a file for each state of surefoot's source."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.programs.cost import Cost, Round, cost
from benchmarks.programs.measure import Lengths
from benchmarks.programs.program import Program
from benchmarks.turns import ROOT

FOLDER = ROOT / "results" / "programs"


@dataclass(slots=True)
class Result:
    """Of one program: its rounds so far, or why there are none."""

    digest: str
    lengths: Lengths | None = None
    rounds: list[Round] = field(default_factory=list)
    failure: str | None = None

    @property
    def cost(self) -> Cost | None:
        if self.lengths is None or not self.rounds or self.failure is not None:
            return None
        return cost(self.rounds, self.lengths.short, self.lengths.long)


class Results:
    """Results by the name of their program, in a JSON file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[str, Result] = {}
        if path.exists():
            self._kept = {name: _result(**kept) for name, kept in json.loads(path.read_text()).items()}

    def of(self, program: Program) -> Result:
        """What is known of it; nothing if its text has changed since."""
        result = self._kept.get(program.name)
        if result is None or result.digest != program.digest:
            return Result(program.digest)
        return result

    def keep(self, program: Program, result: Result) -> None:
        self._kept[program.name] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps({name: asdict(kept) for name, kept in self._kept.items()}, indent=1))
        fresh.replace(self.path)


def open_results(*, quick: bool) -> Results:
    return Results(FOLDER / f"{source_digest()}{'-quick' if quick else ''}.json")


def source_digest() -> str:
    """Of surefoot's Python files: rows of another state of it do not belong into one table."""
    digest = hashlib.sha256()
    package = ROOT / "src" / "surefoot"
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _result(digest: str, lengths: dict[str, int] | None, rounds: list[dict[str, float]], failure: str | None) -> Result:
    return Result(digest, Lengths(**lengths) if lengths else None, [Round(**one) for one in rounds], failure)
