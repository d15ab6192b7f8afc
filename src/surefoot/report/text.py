"""The report for people: each finding with the lines around it, the evidence, what follows and the fix."""

from __future__ import annotations

import linecache
import random
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from surefoot.judge import Finding
from surefoot.report.place import cause_of, relative
from surefoot.report.processes import not_covered, nothing_trained, who_trained
from surefoot.runlog.secret_text import masked_lines

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text

    from surefoot.report.report import Report

_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
UNWRAPPED = 10_000  # columns; what reads a file or a pipe wraps by itself
LINES_BEFORE = 2
LINES_AFTER = 1


def as_text(
    report: Report, stream: IO[str], *, num_hidden: int = 0, log: Path | None = None, loss_summary: Sequence[str] = ()
) -> str:
    """Coloured and wrapped if the stream is a terminal; `NO_COLOR` is heard."""
    told = [finding_as_text(finding, stream) for finding in report.worst_first]
    end = [
        *(f"surefoot: {line}" for line in (*not_covered(report), *loss_summary)),
        summary(report, num_hidden, log),
    ]
    return "".join([*told, *(_wrapped(line, stream) for line in end)])


def finding_as_text(finding: Finding, stream: IO[str]) -> str:
    drawn = random.getstate()
    from rich.console import Group
    from rich.text import Text

    random.setstate(drawn)  # rich draws a number when it is imported, and the program may have seeded
    return _rendered(Group(_finding(finding), Text()), stream)


def _wrapped(line: str, stream: IO[str]) -> str:
    """A plain line, without rich: most runs have nothing else to tell, and its import takes longer than ten steps."""
    if _is_terminal(stream):
        line = textwrap.fill(line, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False)
    return f"{line}\n"


def _is_terminal(stream: IO[str]) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # no file at all, or a closed one
        return False


def _rendered(what: RenderableType, stream: IO[str]) -> str:
    from rich.console import Console

    # in a notebook, rich would show something empty beside what it captures
    console = Console(file=stream, highlight=False, emoji=False, markup=False, force_jupyter=False)
    if not console.is_terminal:
        console.width = UNWRAPPED
    with console.capture() as captured:
        console.print(what)
    return captured.get()


def _finding(finding: Finding) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    colour = _COLOURS[finding.severity]
    head = Text.assemble((f"{finding.severity}[{finding.rule}]", colour), " ", (finding.message, "bold"))
    when = f"at step {finding.step}" if finding.step else "before the first step"
    often = f"{finding.count} times, first {when}" if finding.count > 1 else when
    parts: list[RenderableType] = [head]
    if finding.file is None:
        parts.append(_indented(f"no line of the program; {often}", "dim"))
    else:
        shown = relative(finding.file) or finding.file
        parts.append(_indented(Text.assemble(("--> ", "blue"), f"{shown}:{finding.line}", (f"  {often}", "dim"))))
        parts += [Text(line, no_wrap=True, overflow="ellipsis") for line in code_frame(finding.file, finding.line or 0)]
    numbers = ", ".join(f"{name.replace('_', ' ')} {_number(value)}" for name, value in finding.evidence.items())
    cause = cause_of(finding)
    for word, text in (("follows from", cause), ("evidence", numbers), ("why", finding.why), ("fix", finding.fix)):
        if text:
            parts.append(_indented(Text.assemble((f"{word}: ", "bold"), text)))
    return Group(*parts)


def _indented(text: Text | str, style: str = "") -> Padding:
    from rich.padding import Padding
    from rich.text import Text

    return Padding(Text(text, style) if isinstance(text, str) else text, (0, 0, 0, 2), expand=False)


def code_frame(file: str, line: int) -> Iterator[str]:
    """The line and its neighbours, numbered; nothing when the file can't be read."""
    width = len(str(line + LINES_AFTER))
    numbers = range(max(1, line - LINES_BEFORE), line + LINES_AFTER + 1)
    lines = [linecache.getline(file, number) for number in numbers]
    for number, text, source in zip(numbers, lines, masked_lines(lines), strict=True):
        if text:
            source = source.rstrip().expandtabs(4)
            mark = ">" if number == line else " "
            yield f"  {mark} {number:>{width}} | {source}".rstrip()


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_number(item) for item in value) + "]"
    return str(value)


def summary(report: Report, num_hidden: int = 0, log: Path | None = None) -> str:
    num = len(report.findings)
    checked = report.num_rules - len(report.not_checked)
    parts = [
        f"{_count(num, 'finding')} in {_count(report.steps, 'step')}",
        f"{_count(checked, 'rule')} checked",
    ]
    parts += who_trained(report)
    if num_hidden:
        parts.append(f"{_count(num_hidden, 'note')} hidden (--notes shows them)")
    if report.not_checked:
        reasons = dict.fromkeys(report.not_checked.values())
        grouped = [f"{_rules(report, why)} ({why})" for why in reasons]
        parts.append(f"{len(report.not_checked)} not checked: {'; '.join(grouped)}")
    if log is not None:
        parts.append(f"logged in {relative(str(log)) or log}")
    if not report.steps:
        parts.insert(0, nothing_trained(report))
    return "surefoot: " + "; ".join(parts)


def _rules(report: Report, why: str) -> str:
    names = [rule for rule, reason in report.not_checked.items() if reason == why]
    return ", ".join(names) if len(names) < report.num_rules else "all of them"


def _count(num: int, word: str) -> str:
    return f"{num} {word}{'' if num == 1 else 's'}"
