"""`[tool.surefoot]` in pyproject.toml: which rules are asked. Everything else is a flag or Python."""

from pathlib import Path
from typing import Any

from surefoot.facts.frozen import frozen

_KEYS = ("select", "ignore")


class SettingsError(ValueError):
    """A pyproject.toml that can't be followed, and why."""


@frozen
class RuleSettings:
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    file: Path | None = None  # where they come from


def read_settings(folder: Path) -> RuleSettings:
    """The settings of the nearest pyproject.toml with a [tool.surefoot], from a folder upwards."""
    for above in (folder, *folder.parents):
        file = above / "pyproject.toml"
        if file.is_file():
            table = _table(file)
            if table is not None:
                return _settings(file, table)
    return RuleSettings()


def _table(file: Path) -> Any:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None  # not ours to complain about
    if "surefoot" not in text:
        return None
    import tomllib  # here, because few projects have settings for us

    try:
        return tomllib.loads(text).get("tool", {}).get("surefoot")
    except AttributeError:
        return None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{file} is no valid TOML: {error}") from None


def _settings(file: Path, table: Any) -> RuleSettings:
    if not isinstance(table, dict):
        raise SettingsError(f"[tool.surefoot] in {file} must be a table, got {table!r}.")
    for key, value in table.items():
        if key not in _KEYS:
            raise SettingsError(f"[tool.surefoot] in {file} has {key!r}; it takes {' and '.join(_KEYS)}.")
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise SettingsError(f"{key} of [tool.surefoot] in {file} must be a list of rule names, got {value!r}.")
    return RuleSettings(tuple(table.get("select", ())), tuple(table.get("ignore", ())), file)
