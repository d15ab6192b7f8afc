"""What `surefoot fix` found out, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from surefoot.fix.patch import Fixed, Patch
from surefoot.fix.trial import Trial
from surefoot.judge import Finding
from surefoot.report.place import relative

if TYPE_CHECKING:
    from rich.text import Text

UNWRAPPED = 10_000  # columns, for files and pipes
_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def as_text(fixed: Fixed, stream: IO[str]) -> str:
    """Coloured if the stream is a terminal."""
    from rich.console import Console

    console = Console(file=stream, highlight=False, emoji=False, markup=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = UNWRAPPED
    with console.capture() as captured:
        for text in _parts(fixed):
            console.print(text)
    return captured.get()


def _parts(fixed: Fixed) -> Iterator[Text]:
    from rich.text import Text

    for patch in fixed.patches:
        yield _head(patch.finding, patch.line, patch.meaning)
        yield _diff(patch.diff)
        yield Text(f"  proven: the finding is gone, no new one came; {_loss(patch)}\n")
        if patch.alternative is not None:
            yield Text(f"  or: {patch.alternative.meaning}")
            yield _diff(patch.alternative.diff)
            yield Text(
                f"  proven as well; {_loss(patch.alternative)}. "
                f"Only you know which was meant: --alternative {patch.finding.rule} takes this one.\n"
            )
    for each in fixed.unpatched:
        yield _head(each.finding, each.finding.line, "not patched")
        yield Text(f"  {each.why}\n  by hand: {each.finding.fix}\n")
    yield Text(summary(fixed))


def _head(finding: Finding, line: int | None, what: str) -> Text:
    from rich.text import Text

    where = "" if finding.file is None else f" {relative(finding.file) or finding.file}:{line}"
    return Text.assemble((f"{finding.severity}[{finding.rule}]", _COLOURS[finding.severity]), where, f": {what}")


def _diff(diff: str) -> Text:
    from rich.text import Text

    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines = [(line, colours.get(line[:1], "")) for line in diff.splitlines()]
    return Text("\n").join(Text(line, style) for line, style in lines)


def _loss(patch: Patch) -> str:
    return f"final loss {number(patch.loss_before)} → {number(patch.loss_after)}"


def number(loss: float | None) -> str:
    return "not seen" if loss is None else f"{loss:.4g}"


def summary(fixed: Fixed) -> str:
    if not fixed.patches and not fixed.unpatched:
        return f"surefoot: nothing to mend in {_steps(fixed.before)}"
    before, after = (_num_findings(trial) for trial in (fixed.before, fixed.after))
    patches = _count(len(fixed.patches), "proven patch", "proven patches")
    losses = f"final loss {number(fixed.before.final_loss)} → {number(fixed.after.final_loss)}"
    return f"surefoot: {patches}; findings {before} → {after}; {losses}"


def _num_findings(trial: Trial) -> int:
    return sum(finding.severity != "note" for finding in trial.findings)


def _steps(trial: Trial) -> str:
    return _count(trial.steps, "step", "steps")


def _count(num: int, one: str, several: str) -> str:
    return f"{num or 'no'} {one if num == 1 else several}"
