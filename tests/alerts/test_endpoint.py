"""The page for Prometheus, asked for as Prometheus does."""

import http.client
import re
import socket
import struct
import urllib.request
from collections.abc import Iterator

import pytest

from surefoot.alerts.alert import About
from surefoot.alerts.endpoint import Endpoint
from surefoot.alerts.exposition import exposition, number
from tests.cli.command import make_finding

LINE = re.compile(
    r'[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? (NaN|[+-]Inf|[-+0-9.e]+)'
)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    findings = [make_finding(), make_finding(file="a.py"), make_finding(rule="clip-after-step", severity="warning")]
    made = Endpoint(0, About("mine", 'a "b"\\c\nd'), findings=lambda: findings, num_updates=lambda: 7)
    yield made
    made.close()
    made.close()


def give(endpoint: Endpoint, step: int, at: float, **values: float) -> None:
    endpoint.scalars(tuple(values), step, at, struct.pack(f"<{len(values)}d", *values.values()))


def scrape(endpoint: Endpoint) -> list[str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(endpoint.url, timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = answer.read().decode()
    assert text.endswith("\n")
    lines: list[str] = text.splitlines()
    assert all(LINE.fullmatch(line) for line in lines if not line.startswith("# ")), lines
    return lines


def test_what_the_run_stands_at(endpoint: Endpoint) -> None:
    give(endpoint, 1, 10.0, loss=0.5, lr=0.1)
    give(endpoint, 2, 20.0, loss=0.25, lr=0.1)
    give(endpoint, 1, 15.0, **{"val/loss": float("nan")})
    give(endpoint, 3, 30.0, loss=0.125)  # another set of names, and newer
    lines = scrape(endpoint)
    assert 'surefoot_scalar{name="loss"} 0.125' in lines
    assert 'surefoot_scalar{name="lr"} 0.1' in lines
    assert 'surefoot_scalar{name="val/loss"} NaN' in lines
    assert 'surefoot_scalar_step{name="lr"} 2' in lines
    assert 'surefoot_scalar_time_seconds{name="val/loss"} 15' in lines
    assert "surefoot_step 3" in lines
    assert "surefoot_updates_total 7" in lines
    assert 'surefoot_findings_total{rule="stale-gradients",severity="error"} 6' in lines
    assert 'surefoot_findings_total{rule="clip-after-step",severity="warning"} 3' in lines
    assert 'surefoot_run_info{run="mine",script="a \\"b\\"\\\\c\\nd",host=""} 1' in lines
    assert lines.count("# TYPE surefoot_scalar gauge") == 1


def test_before_anything_is_logged(endpoint: Endpoint) -> None:
    assert not [line for line in scrape(endpoint) if "surefoot_scalar" in line or "surefoot_step" in line]


def test_other_pages_and_foreign_names(endpoint: Endpoint) -> None:
    def status(path: str, host: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=10)
        connection.request("GET", path, headers={"Host": host})
        found = connection.getresponse().status
        connection.close()
        return found

    assert status("/", "localhost") == 404
    assert status("/metrics?x=1", f"localhost:{endpoint.port}") == 200
    assert status("/metrics", "[::1]:9464") == 200
    assert status("/metrics", "evil.example.org") == 403


def test_a_port_that_is_taken_gives_way(endpoint: Endpoint) -> None:
    second = Endpoint(endpoint.port, About())
    assert second.port != endpoint.port
    second.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", second.port), timeout=1)


def test_names_that_change_all_the_time_do_not_fill_the_memory(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("surefoot.alerts.endpoint.MOST_ROWS", 2)
    for step in range(5):
        give(endpoint, step, float(step), **{f"loss-{step}": 1.0})
    assert len([line for line in scrape(endpoint) if line.startswith("surefoot_scalar{")]) == 2


def test_numbers() -> None:
    told = [number(value) for value in (1.0, -2.5, 1e300, float("inf"), float("-inf"), 1e-9)]
    assert told == ["1", "-2.5", "1e+300", "+Inf", "-Inf", "1e-09"]
    assert exposition([("a", "gauge", "b\nc", [({}, 1.0)])]) == "# HELP a b\\nc\n# TYPE a gauge\na 1\n"
