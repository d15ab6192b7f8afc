"""`trainer_state.json`, which HF Trainer puts into each checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from surefoot.runlog.exchange.source import Point, Say, SourceError, numbers

NAME = "trainer_state.json"


def newest(files: Iterable[Path]) -> list[Path]:
    """Each holds all that was logged before: of the checkpoints of one training, the last one has it all."""
    best: dict[Path, tuple[int, Path]] = {}
    for file in files:
        output = file.parent.parent if file.parent.name.startswith("checkpoint-") else file.parent
        step = int(_load(file).get("global_step") or 0)
        if output not in best or step > best[output][0]:
            best[output] = (step, file)
    return [file for _, file in best.values()]


def run_name(file: Path) -> str:
    folder = file.parent
    return (folder.parent if folder.name.startswith("checkpoint-") else folder).name


def read_trainer_state(file: Path, say: Say) -> Iterator[Point]:
    for entry in _load(file).get("log_history") or ():
        for name, value in numbers({key: value for key, value in entry.items() if key != "step"}):
            yield Point(name, int(entry.get("step") or 0), 0.0, value)


def _load(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SourceError(f"{file} is no JSON: {error}.") from None
    return found if isinstance(found, dict) else {}
