"""The page's library: fetched when the lock file asks for another one, and only then."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vendor", ROOT / "tools" / "vendor.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which npm has done its work."""
    lock(tmp_path, "1.0.0")
    for name in tool.FILES:
        file = tmp_path / tool.LIBRARY / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name} as npm has it", encoding="utf-8")
    monkeypatch.setattr(tool.shutil, "which", lambda name: name)

    class Done:
        returncode, stderr = 0, ""

    monkeypatch.setattr(tool.subprocess, "run", lambda *args, **kwargs: Done())
    return tmp_path


def lock(root: Path, version: str) -> None:
    packages = {"node_modules/uplot": {"version": version, "integrity": "sha512-x"}}
    (root / "package-lock.json").write_text(json.dumps({"packages": packages}), encoding="utf-8")


def test_files_are_copied_once_for_each_version(root: Path, tool: ModuleType) -> None:
    assert tool.vendor(root)
    assert (root / tool.FOLDER / "uPlot.esm.js").read_text(encoding="utf-8") == "dist/uPlot.esm.js as npm has it"
    assert (root / tool.FOLDER / "uPlot.LICENSE").is_file()
    assert not tool.vendor(root)
    lock(root, "1.0.1")
    assert tool.vendor(root) and not tool.vendor(root)


def test_a_file_that_is_missing_is_fetched_again(root: Path, tool: ModuleType) -> None:
    tool.vendor(root)
    (root / tool.FOLDER / "uPlot.min.css").unlink()
    assert tool.vendor(root)


def test_without_npm_it_is_said_plainly(root: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    tool.vendor(root)
    monkeypatch.setattr(tool.shutil, "which", lambda name: None)
    assert not tool.vendor(root), "it is not needed when the files are there"
    lock(root, "2.0.0")
    with pytest.raises(tool.VendorError, match=r"Install Node\.js"):
        tool.vendor(root)


def test_what_npm_says_is_told(root: Path, tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failed:
        returncode, stderr = 1, "no network"

    monkeypatch.setattr(tool.subprocess, "run", lambda *args, **kwargs: Failed())
    with pytest.raises(tool.VendorError, match="no network"):
        tool.vendor(root)


def test_the_version_is_pinned_exactly() -> None:
    wanted: dict[str, Any] = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    locked = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in {**wanted["dependencies"], **wanted.get("devDependencies", {})}.items():
        assert locked[f"node_modules/{name}"]["version"] == version
        assert locked[f"node_modules/{name}"]["integrity"]
