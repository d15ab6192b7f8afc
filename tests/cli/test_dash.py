"""`surefoot dash`: what is refused before anything listens, and how it starts."""

import sys
from pathlib import Path

import pytest

from surefoot.cli.main import main
from surefoot.dashboard.server import serve as serving
from surefoot.dashboard.server.serve import Listening, NoPortError, can_show_browser, listen
from tests.cli.command import python


def test_a_host_that_others_reach_asks_for_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dash", "--host", "0.0.0.0"]) == 2
    assert "--open-to-network" in capsys.readouterr().err


def test_no_torch_and_nothing_heavy_is_loaded_to_start(tmp_path: Path) -> None:
    code = "import sys, surefoot.dashboard.server.serve; print({'torch', 'numpy', 'duckdb'} & set(sys.modules))"
    assert python("-c", code, cwd=tmp_path).out.strip() == b"set()"


def test_all_that_is_loaded_later_needs_no_torch(tmp_path: Path) -> None:
    code = "import sys; from surefoot.dashboard.server.late import warm_up; warm_up(); print('torch' in sys.modules)"
    assert python("-c", code, cwd=tmp_path).out.strip() == b"False"


def test_an_address_that_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(NoPortError, match="can't be listened at"):
        listen(Listening(tmp_path, "203.0.113.7", 0))


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("box", False)]
)
def test_which_hosts_are_this_machine_only(host: str, expected: bool) -> None:
    assert Listening(Path(), host).is_loopback == expected


def test_the_browser_is_opened_once_with_a_token_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(serving.Server, "run", lambda self, sockets: (self._tell_started(), sockets[0].close()))
    monkeypatch.setattr(serving, "warm_up", lambda: None)
    monkeypatch.setattr(serving.threading.Thread, "start", lambda self: self.run())
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(serving, "can_show_browser", lambda: True)
    assert main(["dash", str(tmp_path), "--port", "0"]) == 0
    said = capsys.readouterr().err
    assert str(tmp_path) in said and "token=" in said
    assert len(opened) == 1 and opened[0] not in said


def test_no_browser_where_there_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not can_show_browser()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert can_show_browser()


def test_runs_that_are_compared_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("20260101-a b-1", "20260102-train-2", "20260102-train-3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rank-0.db").touch()
    places: list[Listening] = []
    monkeypatch.setattr(serving, "serve", lambda place, *rest: places.append(place))
    assert main(["dash", str(tmp_path), "--no-browser", "--compare", "20260101", "latest"]) == 0
    assert main(["dash", str(tmp_path), "--no-browser"]) == 0
    assert [place.view for place in places] == ["#/compare?run=20260101-a+b-1&run=20260102-train-3", ""]


@pytest.mark.parametrize(
    ("runs", "said"), [(["20260101"], "2 to 50 runs, got 1"), (["none", "latest"], "there is no run 'none'")]
)
def test_runs_that_can_not_be_compared(
    runs: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "20260101-train").mkdir()
    (tmp_path / "20260101-train" / "rank-0.db").touch()
    assert main(["dash", str(tmp_path), "--no-browser", "--compare", *runs]) == 2
    assert said in capsys.readouterr().err
