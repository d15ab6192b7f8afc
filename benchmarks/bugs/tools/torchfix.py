"""TorchFix reads the source; it runs nothing."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bugs.process import run
from benchmarks.bugs.program import Program
from benchmarks.bugs.verdict import Remark, Verdict

_LINE = re.compile(r"^(?P<file>.+?\.py):(?P<line>\d+):\d+: (?P<code>TOR\d+)", re.MULTILINE)

# Codes that speak of a bug of the corpus; the others are deprecations and hints.
_MEANING = {"TOR002": {"misspelled-requires-grad"}}


def judge(programs: Sequence[Program], python: Path) -> list[Verdict]:
    said = run([python.with_name("torchfix"), "--jobs", "1", *[p.path for p in programs]])
    remarks: dict[str, list[Remark]] = {}
    for match in _LINE.finditer(said.stdout):
        names = frozenset(_MEANING.get(match["code"], ()))
        place = _short(Path(match["file"]))
        remarks.setdefault(place, []).append(Remark(names, match["code"], int(match["line"])))
    return [Verdict(p, tuple(remarks.get(_short(p.path), ()))) for p in programs]


def _short(path: Path) -> str:
    """It prints paths relative to wherever it likes: folder and name identify a program."""
    return "/".join(path.parts[-2:])
