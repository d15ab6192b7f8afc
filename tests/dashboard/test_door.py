"""Who is let in, and who is not."""

import pytest

from surefoot.dashboard.server.auth import Auth
from tests.dashboard.client import Client

OWN = {"Origin": "http://127.0.0.1:6180"}
PATHS = ("/", "/api/runs", "/api/live", "/static/index.html", "/static/../server/door.py")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_told_without_the_token(stranger: Client, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 401
    assert "train" not in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "ö", "a" * 10_000])
def test_a_wrong_token_is_refused(stranger: Client, token: str) -> None:
    answer = stranger.get("/", params={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert stranger.get("/api/runs").status_code == 401


def test_the_token_is_exchanged_for_a_cookie(stranger: Client, auth: Auth) -> None:
    answer = stranger.get(f"/?token={auth.token}&view=a%26b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?view=a%26b")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert auth.token not in answer.headers["set-cookie"]
    assert stranger.get("/api/runs").status_code == 200


def test_after_a_link_of_another_site_the_page_moves_on_itself(stranger: Client, auth: Auth) -> None:
    """A strict cookie would not be sent along with a redirect."""
    answer = stranger.get(f"/?token={auth.token}", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 200 and "refresh" in answer.text
    assert stranger.get("/").status_code == 200


def test_the_browsers_token_opens_once(stranger: Client, auth: Auth) -> None:
    token = auth.pass_once()
    assert stranger.get(f"/?token={token}").status_code == 303
    stranger.cookies.clear()
    assert stranger.get(f"/?token={token}").status_code == 401
    assert stranger.get(f"/?token={auth.token}").status_code == 303


@pytest.mark.parametrize("cookie", ["", "x", "=;;=", "a=b; \x01"])
def test_a_wrong_cookie_is_refused(stranger: Client, auth: Auth, cookie: str) -> None:
    answer = stranger.get("/api/runs", headers={"Cookie": f"{auth.cookie}={cookie}"})
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "",
        "[",
        "localhost.evil",
        "a@b:c@d",
        "a@localhost",
        "localhost/evil",
        "localhost?x",
        "localhost#x",
        "localhost:",
        "localhost:99999",
        "localhost:80x",
        " localhost",
        "127.0.0.1:80:80",
        "[::1",
        "::1",
        "localhost,evil.example",
        "127.1",
        "0x7f000001",
        "[::1%25eth0]",
        "localhost.",
    ],
)
def test_a_foreign_host_is_refused(client: Client, host: str) -> None:
    """A name that somebody has pointed at this machine."""
    assert client.get("/api/runs", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:6180", "LOCALHOST"])
def test_the_own_names_are_known_at_any_port(auth: Auth, host: str) -> None:
    """A tunnel may give it another one."""
    assert auth.knows(host)


def test_each_port_has_one_cookie() -> None:
    """Or a browser would send one server's to the other, which would have to ask for the token again."""
    assert Auth(port=6180).cookie == "surefoot-6180" != Auth(port=6181).cookie


def test_an_open_server_is_known_by_its_addresses_and_names() -> None:
    auth = Auth(["box.example"], is_open=True)
    assert auth.knows("192.168.1.7:6180") and auth.knows("box.example:6180")
    assert not auth.knows("evil.example")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://["])
def test_a_foreign_origin_is_refused(client: Client, origin: str) -> None:
    assert client.get("/api/runs", headers={"Origin": origin}).status_code == 403
    answer = client.post("/api/query", json={"sql": "SELECT 1"}, headers={"Origin": origin})
    assert answer.status_code == 403


def test_another_site_gets_no_answer_even_where_no_origin_is_sent(client: Client) -> None:
    for site in ("cross-site", "same-site"):
        assert client.get("/api/runs", headers={"Sec-Fetch-Site": site}).status_code == 403
        assert client.get("/static/index.html", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_a_question_must_say_where_it_comes_from(client: Client) -> None:
    assert client.post("/api/query", json={"sql": "SELECT 1"}).status_code == 403
    assert client.post("/api/query", json={"sql": "SELECT 1"}, headers=OWN).status_code == 200


def test_every_answer_has_the_strict_headers(client: Client) -> None:
    for path in ("/", "/api/runs", "/nothing", "/static/index.html"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_nothing_is_changed_by_any_method(client: Client) -> None:
    for method in ("PUT", "DELETE", "PATCH", "POST"):
        assert client.request(method, "/api/runs", headers=OWN).status_code == 405
