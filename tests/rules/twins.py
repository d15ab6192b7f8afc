"""The Bad and Good programs in a rule's docstring, and how to run a program under the sanitizer."""

import gc
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch.distributed as dist

from surefoot.facts import Record
from surefoot.judge import Finding
from surefoot.rules.catalogue import catalogue
from surefoot.sanitizer import Sanitizer
from surefoot.watch.settings import Settings

_BLOCK = re.compile(r"^## (?P<twin>Bad|Good)\b.*?^```python\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


def twins(doc: str) -> dict[str, str]:
    """The programs under "Bad" and "Good"."""
    return {match["twin"]: match["code"] for match in _BLOCK.finditer(doc)}


@contextmanager
def _groups_outlive_models() -> Iterator[None]:
    """Torch may hang for ever where a wrapped model is the last that holds its process group.

    The model's end then joins the group's threads while it holds the interpreter's lock, for which one of them may be
    waiting, to let go of the last backward. A program that is run as a script keeps its models until it exits; here
    they go at its last line. What Python holds is ended without that lock.
    """
    destroy, kept = dist.destroy_process_group, list[Any]()

    def destroy_process_group(*args: Any, **kwargs: Any) -> None:
        kept.extend(dist.distributed_c10d._world.pg_map)
        destroy(*args, **kwargs)

    dist.destroy_process_group = destroy_process_group
    try:
        yield
    finally:
        dist.destroy_process_group = destroy
        if kept:
            gc.collect()  # functions of a program hold its names


@_groups_outlive_models()
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
