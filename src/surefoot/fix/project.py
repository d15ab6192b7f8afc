"""The user's source files: the script and what it imports from its own folders."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from surefoot.fix.code.source import Source
from surefoot.fix.patch import original_line
from surefoot.judge import Finding
from surefoot.launch.program import Program


class Project:
    """Reads files once, and knows what patches have made of them."""

    def __init__(self, program: Program, holds: Callable[[Path], bool]) -> None:
        self._holds = holds
        self._originals: dict[Path, str] = {}
        self.texts: dict[Path, str] = {}  # of files that patches changed
        self.script = script_file(program)

    def source(self, file: Path) -> Source | None:
        """None if it is no file of the project, or no Python that can be read."""
        text = self.text(file)
        return None if text is None else Source(file, text)

    def text(self, file: Path) -> str | None:
        if file in self.texts:
            return self.texts[file]
        if file not in self._originals:
            if file.suffix != ".py" or not self._holds(file) or not file.is_file():
                return None
            try:
                text = file.read_bytes().decode()
                ast.parse(text)
            except (OSError, UnicodeDecodeError, SyntaxError, ValueError):
                return None
            self._originals[file] = text
        return self._originals[file]

    def original(self, file: Path) -> str:
        return self._originals[file]

    def original_line(self, finding: Finding) -> int | None:
        """The line of a finding in the user's own file."""
        file = None if finding.file is None else Path(finding.file)
        if file is None or file not in self.texts:
            return finding.line
        return original_line(self.original(file), self.texts[file], finding.line)

    def sources(self, first: Path | None) -> list[Source]:
        """That of a finding first, then the script, then what it imports."""
        files = [*([first] if first is not None else []), *self._files()]
        found = [self.source(file) for file in dict.fromkeys(files)]
        return [source for source in found if source is not None]

    def _files(self) -> list[Path]:
        if self.script is None:
            return []
        known: list[Path] = []
        waiting = [self.script]
        while waiting:
            file = waiting.pop(0)
            text = self.text(file)
            if file in known or text is None:
                continue
            known.append(file)
            waiting += self._imported(file, text)
        return known

    def _imported(self, file: Path, text: str) -> Iterator[Path]:
        folders = [file.parent, *([self.script.parent] if self.script else []), Path.cwd(), *map(Path, sys.path)]
        for name in _imported_names(ast.parse(text)):
            for folder in folders:
                place = folder.joinpath(*name.split(".")).resolve()
                for candidate in (place.with_suffix(".py"), place / "__init__.py"):
                    if self._holds(candidate) and candidate.is_file():
                        yield candidate


def script_file(program: Program) -> Path | None:
    if not program.is_module:
        path = Path(program.name)
        return (path / "__main__.py" if path.is_dir() else path).resolve()
    sys.path.insert(0, str(Path.cwd()))
    try:
        spec = importlib.util.find_spec(program.name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{program.name}.__main__")
    except (ImportError, ValueError):
        spec = None
    finally:
        sys.path.pop(0)
    return None if spec is None or spec.origin is None else Path(spec.origin).resolve()


def _imported_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module:
                yield module
            yield from (f"{module}.{alias.name}".lstrip(".") for alias in node.names)
