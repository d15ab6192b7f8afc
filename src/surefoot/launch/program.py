"""A script or a module, loaded and run as `python SCRIPT` or `python -m MODULE` would."""

import builtins
import difflib
import importlib.util
import os
import pkgutil
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.watch.recursion import LIMIT, num_frames

_OTHER = "name the script that reads it."
NOT_PYTHON = {
    ".ipynb": "in a notebook, call sf.watch(model, optimizer).",
    ".sh": "put `surefoot run` in place of `python` inside it.",
    **dict.fromkeys((".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".txt", ".md", ".csv", ".pt", ".pth"), _OTHER),
}


FRAMES_OF_RUNPY = 2  # below a module that Python itself runs


class ProgramError(Exception):
    """There is nothing that could be run."""


@frozen
class Program:
    """`name` is a path, or with `is_module` the name of a module or package."""

    name: str
    args: tuple[str, ...] = ()
    is_module: bool = False

    def check(self) -> None:
        """Say what is wrong before anything runs. A module is only looked up when it runs, as in Python."""
        path = Path(self.name)
        if self.is_module:
            if path.suffix == ".py" and path.is_file():
                raise ProgramError(f"-m takes the name of a module, {self.name!r} is a file: leave out -m.")
            return
        if not path.exists():
            raise ProgramError(f"there is no file {self.name!r} in {Path.cwd()}.{_near(path)}")
        if path.is_dir() and not (path / "__main__.py").is_file():
            raise ProgramError(f"{self.name!r} is a folder without a __main__.py. Name the script inside it.")
        if path.is_file() and not os.access(path, os.R_OK):
            raise ProgramError(f"{self.name!r} can't be read: its permissions do not allow it.")
        if path.suffix.lower() in NOT_PYTHON:
            raise ProgramError(f"{self.name!r} is no Python script: {NOT_PYTHON[path.suffix.lower()]}")

    @property
    def folder(self) -> Path:
        """Where its settings are looked for, from here upwards."""
        return Path.cwd() if self.is_module else Path(self.name).absolute().parent

    def run(self) -> None:
        """Run it as `__main__`. Whatever it raises, it raises here."""
        main = ModuleType("__main__")
        sys.modules["__main__"] = main
        code = self._load_module(main) if self.is_module else self._load_script(main)
        frames = num_frames() - (FRAMES_OF_RUNPY if self.is_module else 0)
        with LIMIT.kept(frames):
            exec(code, main.__dict__)

    def _load_script(self, main: ModuleType) -> CodeType:
        sys.argv = [self.name, *self.args]
        file = self.name if os.path.isabs(self.name) else os.path.join(os.getcwd(), self.name)  # noqa: PTH109, PTH117, PTH118
        archive = pkgutil.get_importer(file)
        if Path(file).is_dir() or archive is not None:
            return _load_archive(file, archive, main)
        _set_first_path(str(Path(file).resolve().parent))
        loader = (SourcelessFileLoader if file.endswith(".pyc") else SourceFileLoader)("__main__", file)
        _fill(main, file, loader, None)
        if isinstance(loader, SourcelessFileLoader):
            code = loader.get_code("__main__")
            assert code is not None
            return code
        return compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)

    def _load_module(self, main: ModuleType) -> CodeType:
        sys.argv = ["-m", *self.args]  # what Python shows while it looks for the module
        _set_first_path(str(Path.cwd()))
        spec = _find(self.name)
        if spec.submodule_search_locations is not None:
            spec = _find(f"{self.name}.__main__")
        code = _code(spec)
        assert spec.origin is not None
        sys.argv[0] = spec.origin
        _fill(main, spec.origin, spec.loader, spec)
        return code


def _near(path: Path) -> str:
    """A script beside it with nearly that name."""
    try:
        scripts = [file.name for file in path.parent.iterdir() if file.suffix == ".py" or file.name == path.name]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, scripts, n=1, cutoff=0.65)
    return f" Did you mean {str(path.with_name(near[0]))!r}?" if near else ""


def _load_archive(path: str, importer: Any, main: ModuleType) -> CodeType:
    """A folder or a zip file with a `__main__.py` inside."""
    _set_first_path(path)
    finder = importer or pkgutil.get_importer(path)
    spec = finder.find_spec("__main__") if finder is not None else None
    if spec is None:
        raise ProgramError(f"{path!r} has no __main__.py.")
    _fill(main, spec.origin or path, spec.loader, spec)
    return _code(spec)


def _find(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        spec = None
    if spec is None:
        raise ProgramError(f"there is no module named {name!r}.")
    return spec


def _code(spec: ModuleSpec) -> CodeType:
    code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None  # type: ignore[union-attr]
    if code is None:
        raise ProgramError(f"{spec.name!r} has no Python code to run.")
    assert isinstance(code, CodeType)
    return code


def _set_first_path(folder: str) -> None:
    # Where Python was told not to put the script's folder first, it is not there to be replaced.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def _fill(main: ModuleType, file: str, loader: Any, spec: ModuleSpec | None) -> None:
    main.__dict__.update(
        __builtins__=builtins,
        __annotations__={},
        __file__=file,
        __cached__=None if spec is None else spec.cached,
        __loader__=loader,
        __spec__=spec,
        __package__=None if spec is None else spec.parent,
    )
