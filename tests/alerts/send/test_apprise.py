"""Every other address goes through apprise, in a process of its own. Here a small package stands in its place."""

import json
from pathlib import Path

import pytest

from surefoot.alerts.send import DestinationError, SendError, destination

STAND_IN = """
import json, pathlib

class Apprise:
    def add(self, url):
        self.url = url
        return url.startswith(("slack://", "broken://"))

    def notify(self, **what):
        pathlib.Path("notified.json").write_text(json.dumps({"url": self.url, **what}))
        return self.url.startswith("slack://")
"""


@pytest.fixture
def apprise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "apprise.py").write_text(STAND_IN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("apprise")
def test_it_is_notified(tmp_path: Path) -> None:
    where = destination("slack://TOKEN/B/C")
    where.check()
    assert not (tmp_path / "notified.json").exists()
    where.send({"title": "hello", "message": "two\nlines", "type": "failure"})
    assert json.loads((tmp_path / "notified.json").read_text()) == {
        "url": "slack://TOKEN/B/C", "title": "hello", "body": "two\nlines", "notify_type": "failure",
    }  # fmt: skip
    assert where.shown == "slack://…"
    with pytest.raises(SendError, match="the service did not take it"):
        destination("broken://TOKEN").send({"title": "", "message": "", "type": "info"})


@pytest.mark.usefixtures("apprise")
@pytest.mark.parametrize("url", ["what://TOKEN", "https://example.org/TOKEN", "json://h/TOKEN?method=put"])
def test_what_it_does_not_know_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(DestinationError, match="does not know") as refused:
        destination(url).check()
    assert "TOKEN" not in str(refused.value)
    assert ("jsons://…" in str(refused.value)) is url.startswith("https")


def test_without_apprise_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DestinationError, match=r"pip install 'surefoot\[alerts\]'"):
        destination("slack://TOKEN/B/C").check()
    with pytest.raises(DestinationError, match="what was given is none"):
        destination("TOKEN")
