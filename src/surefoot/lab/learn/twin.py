"""`python -m surefoot.lab.learn.twin FILE`: run one program under all rules, and tell on stdout what it does.

One JSON object a line: `{"kind": "ready"}` once torch is there, then rows of `course.py` in bunches, then findings,
then `{"kind": "end"}`. What the program prints goes to stderr. A program for several ranks is run on two of them; rows
are those of the first.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, NoReturn

from surefoot.dashboard.data.encode import encode
from surefoot.facts import Record
from surefoot.facts import encode as encode_record
from surefoot.judge import Finding
from surefoot.lab.learn.end_with_parent import end_group, when_parent_ends
from surefoot.lab.learn.ranks import OTHER, OtherRanks, is_note, judge_all
from surefoot.launch import outcome
from surefoot.launch.program import Program
from surefoot.rules.catalogue import catalogue
from surefoot.rules.lesson import is_for_ranks
from surefoot.runlog.write.current import decide

BUNCH_SECONDS = 0.1
TORCH_KNOWS_IT_TOO = ("Detected call of `lr_scheduler.step", "This DataLoader will create")


class Telling:
    """Rows go out in bunches, everything else at once."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._rows: list[dict[str, Any]] = []
        self._flushed = time.monotonic()

    def row(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if time.monotonic() - self._flushed > BUNCH_SECONDS:
            self._flush()

    def say(self, kind: str, **fields: Any) -> None:
        self._flush()
        self._write({"kind": kind, **fields})

    def _flush(self) -> None:
        self._flushed = time.monotonic()
        if self._rows:
            self._write({"kind": "rows", "rows": self._rows})
            self._rows = []

    def _write(self, message: dict[str, Any]) -> None:
        self._stream.write(f"{encode(message)}\n")
        self._stream.flush()


def main() -> NoReturn:
    when_parent_ends(end_group)
    lines = Telling(_own_stdout())
    decide(None)  # nothing of it is kept
    file, is_first, notes = sys.argv[1], OTHER not in sys.argv, list[Record]()
    others = OtherRanks(file, wanted=is_first and is_for_ranks(Path(file).read_text(encoding="utf-8")))
    from surefoot.lab.learn.course import CourseProbe  # brings torch along
    from surefoot.sanitizer import Sanitizer
    from surefoot.watch.settings import Settings

    lines.say("ready")
    for text in TORCH_KNOWS_IT_TOO:
        warnings.filterwarnings("ignore", text, UserWarning)
    sanitizer = Sanitizer(
        catalogue().values(),
        settings=Settings(overhead=1.0, gradcheck=True, thorough=True),
        on_failure=lambda name, error: print(f"surefoot: {name} failed: {error!r}", file=sys.stderr),
        on_record=lambda record: notes.append(record) if is_note(record) else None,
        probes=[CourseProbe(lines.row)],
    )
    sanitizer.start()
    ended = outcome.run(Program(file).run)
    sanitizer.finish(ended.reason)
    findings = [_plain(finding) for finding in sanitizer.judge.findings]
    if is_first:
        shown = others.join(has_failed=ended.status != 0)
        findings += [message["finding"] for message in shown if message["kind"] == "finding"]
        findings += [_plain(finding) for finding in judge_all(notes, shown)]
    else:
        for record in notes:
            lines.say("note", record=encode_record(record))
    once: dict[tuple[str, int], dict[str, Any]] = {}
    for finding in findings:  # ranks find the same
        once.setdefault((finding["rule"], finding["line"]), finding)
    for finding in once.values():
        lines.say("finding", finding=finding)
    lines.say("end", status=ended.status, reason=ended.reason, steps=sanitizer.recorder.num_steps)
    sys.stderr.flush()
    os._exit(ended.status)  # all is told; taking torch down would take another second


def _own_stdout() -> IO[str]:
    """For us alone: what the program prints goes to stderr."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return ours


def _plain(finding: Finding) -> dict[str, Any]:
    fields = asdict(finding)
    del fields["file"]  # a temporary one
    return fields


if __name__ == "__main__":
    main()
