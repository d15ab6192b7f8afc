"""One program of the corpus: what is wrong with it, and on which lines a reader would say so.

A buggy program ends in `_bad.py` and marks its guilty lines with a trailing comment:

    optimizer.step()  # BUG: stale-gradients
    loss.backward()   # BUG: parameter-replaced, parameters-not-in-optimizer
    optimizer.step()  # BUG: non-finite-step  ALSO: non-finite-loss

Any marked line is a right answer. Several names say that each is a right name for the bug; names after ALSO are true
consequences, neither asked for nor held against anybody. The clean twin, `_good.py`, has no marks.

Programs rebuilt from public reports (`reported/`, see the README there) also say in comments at their top where the
bug was reported (`# source:`), what was changed to rebuild it (`# changed:`), and why no rule knows of it (`# gap:`).
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
FRAMEWORKS = PROGRAMS / "frameworks"
REPORTED = Path(__file__).parent / "reported"

_BUG = re.compile(r"# BUG: (?P<names>[a-z0-9, -]+?)(?:\s+ALSO: (?P<also>[a-z0-9, -]+))?\s*$")
_OPTIONS = re.compile(r"^# surefoot options: (?P<options>.+)$", re.MULTILINE)
_NEEDS = re.compile(r"^# needs: (?P<package>\S+)$", re.MULTILINE)
_ORIGIN = re.compile(r"^# (?P<field>source|changed|gap): (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    path: Path
    rule: str  # the folder's: what is wrong with it, or what its buggy twin does
    is_buggy: bool
    names: frozenset[str]  # right names for the bug
    consequences: frozenset[str]  # true too, and not asked for
    lines: frozenset[int]  # right places
    options: tuple[str, ...]  # for `surefoot run`
    needs: str | None  # a package outside of torch
    source: str = ""  # the address of the report
    changed: str = ""  # what was changed to rebuild it
    gap: str = ""  # why no rule knows of it

    @property
    def kind(self) -> str:
        """The folder, which for a reported program says what kind of bug it has."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}"


def read_program(path: Path) -> Program:
    text = path.read_text()
    names: set[str] = set()
    also: set[str] = set()
    marked: set[int] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _BUG.search(line):
            names |= _split(match["names"])
            also |= _split(match["also"] or "")
            marked.add(number)
    options = _OPTIONS.search(text)
    needs = _NEEDS.search(text)
    origin = {match["field"]: match["text"] for match in _ORIGIN.finditer(text)}
    rule = path.parent.name
    if path.parent == FRAMEWORKS and names:
        rule = next(iter(_split(min(names))))
    return Program(
        path=path,
        rule=rule,
        is_buggy=path.stem.endswith("_bad"),
        names=frozenset(names),
        consequences=frozenset(also),
        lines=frozenset(marked | _statement_lines(ast.parse(text), marked)),
        options=tuple(options["options"].split()) if options else (),
        needs=needs["package"] if needs else None,
        **origin,
    )


def corpus() -> list[Program]:
    """Every program of our own, sorted by name."""
    return [read_program(path) for path in sorted(PROGRAMS.glob("*/*.py"))]


def reported_corpus() -> list[Program]:
    """Every program rebuilt from a public report, sorted by name."""
    return [read_program(path) for path in sorted(REPORTED.glob("*/*.py"))]


def _split(names: str) -> set[str]:
    return {name.strip() for name in names.split(",")} - {""}


def _statement_lines(tree: ast.AST, marked: set[int]) -> set[int]:
    """A call may be written over several lines: all lines of a marked simple statement count."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if marked.intersection(span):
                lines.update(span)
    return lines
