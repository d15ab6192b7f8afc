"""A run as one file: everything is in it, and nothing that a run says can run there."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import surefoot as sf
from surefoot.cli.main import main
from surefoot.dashboard.report import gather as gathering
from surefoot.dashboard.report import html as making
from surefoot.dashboard.report import notebook_html, report_html
from surefoot.runlog.read.run import load_run
from tests.dashboard.conftest import EVIL, TRAIN
from tests.runlog.making import LogFile

INDEX = """<!doctype html>
<html lang="en"><head><title>surefoot</title>
<link rel="icon" href="static/icon.svg"><link rel="stylesheet" href="static/a.css">
<script src="static/script/first.js"></script>
<script type="module" src="static/script/main.js"></script>
</head><body><img src="static/icon.svg" alt=""></body></html>
"""
MODULES = {
    "script/main.js": 'import { b } from "./view/b.js"; import * as source from "./source.js"; import("./view/b.js");',
    "script/view/b.js": "import { series } from '../source.js'; import u from \"../../vendor/u.js\"; export let b;",
    "script/view/learn.js": "fetch('twins')", "script/learn/run.js": "let run;",
    "script/source.js": "fetch('api')", "script/first.js": "let first;", "vendor/u.js": "export default 1;",
    "a.css": "p { color: red }", "icon.svg": "<svg/>", "index.html": INDEX,
}  # fmt: skip


@pytest.fixture(autouse=True)
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small page like the real one."""
    for name, text in MODULES.items():
        (tmp_path / "page" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "page" / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(making, "PAGE", tmp_path / "page")
    making._import_map.cache_clear()
    yield
    making._import_map.cache_clear()


def data_of(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def modules_of(text: str) -> dict[str, str]:
    (found,) = re.findall(r'<script type="importmap">(.*?)</script>', text)
    imports: dict[str, str] = json.loads(found)["imports"]
    return {name: base64.b64decode(url.partition(",")[2]).decode() for name, url in imports.items()}


def test_all_that_the_page_asks_for_is_in_it(log: Path) -> None:
    data = data_of(report_html(load_run(log / TRAIN)))
    assert data["run"]["run"]["run"] == TRAIN and data["run"]["ranks"] == [0, 1]
    loss = next(one for one in data["ranks"]["0"]["series"] if one["name"] == "loss")
    assert loss["steps"] == list(range(1, 101)) and loss["lasts"][-1] == "NaN"
    assert "lows" not in loss, "every row is there"
    assert len(data["ranks"]["1"]["series"]) == 1
    assert data["findings"]["findings"][0]["rule"] == "stale-gradients"
    assert data["rules"]["stale-gradients"]["bad"]


def test_modules_import_each_other_by_names_of_the_file(log: Path) -> None:
    modules = modules_of(report_html(load_run(log / TRAIN)))
    imported = {name for text in modules.values() for name in re.findall(r"""["'](surefoot/[^"']+)["']""", text)}
    assert imported == {"surefoot/script/view/b.js", "surefoot/script/source.js", "surefoot/vendor/u.js"}
    assert imported <= modules.keys()
    assert "fetch" not in "".join(modules.values()) and "onlyRun" in modules["surefoot/script/source.js"]


def test_pages_that_need_the_server_are_left_out(log: Path, tmp_path: Path) -> None:
    for name in ("lab/map.js", "view/lab.js", "view/label.js"):
        file = tmp_path / "page" / "script" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("export let a;", encoding="utf-8")
    found = [name for name in modules_of(report_html(load_run(log / TRAIN))) if "lab" in name]
    assert found == ["surefoot/script/view/label.js"]


def test_nothing_is_loaded_and_only_its_own_scripts_run(log: Path) -> None:
    text = report_html(load_run(log / TRAIN))
    assert "static/" not in text.partition('id="data"')[0]
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    scripts = re.findall(r'<script(?: type="(?:importmap|module)")?>(.*?)</script>', text, re.DOTALL)
    assert len(scripts) == 3
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy


def test_what_a_run_says_stays_text(log: Path) -> None:
    text = report_html(load_run(log / EVIL))
    assert "alert(1)" in text and "<script>alert" not in text and "<img src=x" not in text
    data = data_of(text)
    assert data["run"]["run"]["script"] == "<script>alert(1)</script>"
    assert any(one["name"] == "</script><script>alert(1)</script>" for one in data["ranks"]["0"]["series"])


def test_long_series_and_many_of_them_are_held_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LogFile(tmp_path / "run" / "rank-0.db") as file:
        file.log(range(1, 3001), size=1000, **{f"s{i}": [math.sin(i)] * 3000 for i in range(10)})
    run = load_run(tmp_path / "run")
    few = gathering.gather(run)["ranks"]["0"]["series"]
    assert {len(one["steps"].values) for one in few} == {1500} and "lows" in few[0]
    monkeypatch.setattr(gathering, "ALL_POINTS", 1000)
    assert {len(one["steps"].values) for one in gathering.gather(run)["ranks"]["0"]["series"]} == {100}


def test_a_run_shows_itself_in_a_notebook(log: Path) -> None:
    run = load_run(log / EVIL)
    card = run._repr_html_()
    assert len(card) < 100_000
    assert "<script" not in card and "<img" not in card and "run.page()" in card
    shown = run.page()._repr_html_()
    assert shown == notebook_html(load_run(log / EVIL))
    assert 'sandbox="allow-scripts allow-downloads"' in shown and "<img" not in shown
    content = base64.b64decode(shown.partition("base64,")[2].partition('"')[0]).decode()
    assert data_of(content)["run"]["run"]["run"] == EVIL


def test_so_does_one_that_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUREFOOT_LOG", raising=False)
    with sf.start_run(tmp_path / "log") as run:
        assert run._repr_html_() is None
        sf.log({"loss": 1.0})
        shown = run._repr_html_()
        assert shown is not None and run.name in shown


def test_the_command(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.html"
    assert main(["report", TRAIN, "--log", str(log), "-o", str(file)]) == 0
    assert main(["report", TRAIN, "--log", str(log), "-o", str(file)]) == 2
    assert "replace it with --force" in capsys.readouterr().err
    assert main(["report", TRAIN, "--log", str(log), "-o", str(file), "--force"]) == 0
    assert "out.html" in capsys.readouterr().out
    assert data_of(file.read_text(encoding="utf-8"))["run"]["run"]["run"] == TRAIN
    assert main(["report", TRAIN, "--log", str(log), "-o", str(tmp_path)]) == 2
    assert "can't be written" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
def test_a_full_disk_is_said(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    full = tmp_path / "report.html"
    full.symlink_to("/dev/full")
    assert main(["report", TRAIN, "--log", str(log), "-o", str(full)]) == 2
    assert "can't be written: No space left on device" in capsys.readouterr().err
    assert full.is_symlink()


def test_a_picture_that_is_damaged_is_named(tmp_path: Path) -> None:
    with sf.start_run(tmp_path / "runs", name="media") as made:
        made.log({"note": "as it was"}, step=1)
    (note,) = (tmp_path / "runs").rglob("*.txt")
    note.write_text("as it is")
    run = load_run(tmp_path / "runs" / made.name)
    gathered = gathering.gather(run)
    assert [line.get("address") for line in gathered["media"] if line["name"] == "note"] == [None]
    assert gathered["run"]["problems"] == run.problems == [f"{note} is damaged: it is not what was stored there."]
