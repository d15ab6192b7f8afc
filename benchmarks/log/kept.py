"""Results of a long proof, a line of JSON each: one that was interrupted goes on where it was."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


class Kept:
    """The results of one kind, such as kills; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._file = None if folder is None else folder / f"{name}.jsonl"

    def load(self, make: Callable[..., Result]) -> dict[int, list[Result]]:
        """By the seed that they came of."""
        found: dict[int, list[Result]] = {}
        for line in self._lines():
            fields = json.loads(line)
            found.setdefault(fields.pop("of_seed"), []).append(make(**fields))
        return found

    def add(self, seed: int, result: Any) -> None:
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"of_seed": seed, **asdict(result)}) + "\n")

    def _lines(self) -> Iterator[str]:
        if self._file is not None and self._file.exists():
            yield from self._file.read_text(encoding="utf-8").splitlines()
