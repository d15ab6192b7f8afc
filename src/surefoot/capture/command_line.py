"""What command lines were read as: argparse, click and typer, Hydra and OmegaConf."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections.abc import Iterator
from typing import Any

from surefoot.capture.listening import Listening
from surefoot.capture.logged import Logged, argument

_REFERENCE = re.compile(r"\$\{([\w.]+)\}")  # to another setting; with a colon it would call a function
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_OWN = re.compile(r"[\\/]surefoot[\\/]capture[\\/](?:importlib_bootstrap[\\/]\.\.[\\/])?\w+\.py$")


def install(module: Any, listening: Listening) -> None:
    if module.__name__ == "argparse":
        listening.listen_to_result(module.ArgumentParser, "parse_known_args", "argparse", _parsed)
        listening.listen_to_result(module.ArgumentParser, "parse_args", "argparse", _parsed)
    elif module.__name__.endswith("click.core"):
        listening.listen_first(module.Command, "invoke", "click", _invoked)
    elif module.__name__ == "hydra.core.hydra_config":
        listening.listen(module.HydraConfig, "set_config", "hydra", _composed)
    else:
        OmegaConfLines().install(module, listening)


def _parsed(result: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
    """Libraries have parsers, too, whose settings are their own business; Hydra's reads the line for its config."""
    words = argument(args, given, 1, "args")
    namespace = result[0] if isinstance(result, tuple) else result
    frame: Any = sys._getframe()
    while frame is not None and _is_between(frame):
        frame = frame.f_back
    if frame is None or str(frame.f_globals.get("__name__")).startswith("hydra."):
        return None
    is_programs = not frame.f_code.co_filename.startswith(_LIBRARIES)
    return Logged(settings=namespace) if is_programs or words is None or list(words) == sys.argv[1:] else None


def _is_between(frame: Any) -> bool:
    return bool(_OWN.search(frame.f_code.co_filename)) or frame.f_globals.get("__name__") == "argparse"


def _invoked(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    return Logged(settings=dict(argument(args, given, 1, "ctx").params))


def _composed(args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
    values = dict(contained(argument(args, given, 1, "cfg")))
    values.pop("hydra", None)
    return Logged(settings=values)


class OmegaConfLines:
    """A config into which the command line was merged; others may be of anything."""

    def __init__(self) -> None:
        self._from_line: list[Any] = []

    def install(self, module: Any, listening: Listening) -> None:
        listening.listen_to_result(module.OmegaConf, "from_cli", "omegaconf", self._read)
        listening.listen_to_result(module.OmegaConf, "merge", "omegaconf", self._merged)

    def _read(self, result: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Logged:
        self._from_line.append(result)
        return Logged(settings=contained(result))

    def _merged(self, result: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Logged | None:
        if not any(part is known for part in args for known in self._from_line):
            return None
        self._from_line.append(result)
        return Logged(settings=contained(result))


def contained(config: Any) -> dict[str, Any]:
    """Of an OmegaConf: its resolvers are functions of the program, and not called; references are followed."""
    values = sys.modules["omegaconf"].OmegaConf.to_container(config, resolve=False)
    return dict(_followed(values, values)) if isinstance(values, dict) else {}


def _followed(values: dict[Any, Any], root: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        yield str(name), dict(_followed(value, root)) if isinstance(value, dict) else _look_up(value, root)


def _look_up(value: Any, root: dict[Any, Any]) -> Any:
    for _ in range(8):
        found = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            return value
        inner: Any = root
        for key in found[1].split("."):
            inner = inner.get(key) if isinstance(inner, dict) else None
        if inner is None or isinstance(inner, dict):
            return value
        value = inner
    return value
