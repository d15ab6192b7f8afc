"""`[tool.surefoot]` in pyproject.toml."""

from pathlib import Path

import pytest

from surefoot.judge import RuleSettings, SettingsError, read_settings


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    outer, inner = tmp_path / "pyproject.toml", tmp_path / "a" / "pyproject.toml"
    outer.write_text('[tool.surefoot]\nselect = ["grad"]\nignore = ["clip", "stale-gradients"]\n')
    (tmp_path / "a" / "b").mkdir(parents=True)
    expected = RuleSettings(("grad",), ("clip", "stale-gradients"), outer)
    assert read_settings(tmp_path / "a" / "b") == expected
    inner.write_text("[tool.other]\nx = 1\n")
    assert read_settings(tmp_path / "a" / "b") == expected
    inner.write_text('[tool.surefoot]\nignore = ["amp"]\n')
    assert read_settings(tmp_path / "a" / "b") == RuleSettings((), ("amp",), inner)


def test_there_may_be_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    assert read_settings(tmp_path).select == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.surefoot\n", "is no valid TOML"),
        ("[tool]\nsurefoot = 3\n", "must be a table, got 3"),
        ('[tool.surefoot]\nselects = ["grad"]\n', "has 'selects'; it takes select and ignore"),
        ('[tool.surefoot]\nignore = "grad"\n', "must be a list of rule names, got 'grad'"),
        ("[tool.surefoot]\nignore = [1]\n", "must be a list of rule names, got"),
    ],
)
def test_mistakes_are_named(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(SettingsError, match=said.replace("[", r"\[")) as error:
        read_settings(tmp_path)
    assert "pyproject.toml" in str(error.value)
