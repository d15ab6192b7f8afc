"""What a command found out about a program, kept as a run: lists, SQL, the dashboard and `rm` treat it as one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from surefoot.runlog.folder import run_folder
from surefoot.runlog.secret_text import masked_data
from surefoot.runlog.write.run import Run

RESULT = "result"  # the kind of the event that holds it


class ResultRun:
    """Made when the command begins; nothing is written before it has a result.

    `of` is the command: "check", "verify", "compare" or "fix".
    """

    def __init__(self, log: Path, of: str, script: str, say: Callable[[str], None]) -> None:
        self._of = of
        self._run = Run(run_folder(log, f"{of}-{Path(script).stem}"), script, say, rank=0, num_ranks=1)

    def write(
        self, summary: str, result: Mapping[str, Any], status: int, *,
        findings: Iterable[Mapping[str, Any]] = (), series: Mapping[str, Sequence[float]] | None = None,
    ) -> Path:  # fmt: skip
        """`summary` is one line; `series` has a value for each step from 1 on. Where it was written."""
        told = masked_data({"of": self._of, "summary": summary, **result})
        with self._run as run:
            for step, values in enumerate(zip_longest(*(series or {}).values()), 1):
                known = zip(series or {}, values, strict=True)
                run.scalars(step, {name: value for name, value in known if value is not None})
            for number, finding in enumerate(findings):
                run.finding(number, finding)
            run.event(RESULT, json.dumps(told, allow_nan=False))
            run.close("finished", status)
        return run.folder
