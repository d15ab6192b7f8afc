"""The Bad and Good programs in a rule's docstring, and how to run a program under the sanitizer."""

import re
import warnings
from pathlib import Path
from typing import Any

from surefoot.facts import Record
from surefoot.judge import Finding
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.settings import Settings

_BLOCK = re.compile(r"^## (?P<twin>Bad|Good)\b.*?^```python\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def twins(doc: str) -> dict[str, str]:
    """The programs under "Bad" and "Good"."""
    return {match["twin"]: match["code"] for match in _BLOCK.finditer(doc)}


def watch_program(code: str, file: Path, names: dict[str, Any] | None = None) -> tuple[list[Finding], list[Record]]:
    """Run a program from a real file under every rule; its findings and its records.

    `names` are those that it has already, and gets new ones.
    """
    records: list[Record] = []
    failures: list[str] = []
    file.write_text(code, encoding="utf-8")
    sanitizer = Sanitizer(
        catalogue().values(),
        settings=Settings(overhead=1.0, gradcheck=True),  # every rule, every step, also those on request
        on_record=records.append,
        on_failure=lambda name, error: failures.append(f"{name}: {error!r}"),
    )
    sanitizer.start()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Detected call of `lr_scheduler.step", UserWarning)  # torch sees it too
            warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)  # more workers than cores
            exec(compile(code, str(file), "exec"), {"__name__": "__main__"} if names is None else names)
    finally:
        sanitizer.finish()
    assert not failures, failures
    return sanitizer.judge.findings, records


def above_notes(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings if finding.severity != "note"}
