"""Who is let in: a browser on this machine that was given the token. Other sites, other hosts and guesses are not."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from surefoot.dashboard.server.reply import refuse

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE = ("GET", "HEAD")
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?", re.I | re.A)
_CLOSED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>surefoot</title>
<p>This dashboard asks for its token. Open the address that <code>surefoot dash</code> has printed."""
_ON = """<!doctype html><html lang="en"><meta charset="utf-8"><title>surefoot</title>
<meta http-equiv="refresh" content="0;url=/"><p><a href="/">On to the dashboard</a>"""


class Auth:
    """`token` opens it as long as the server runs; `pass_once` makes one that opens it a single time."""

    def __init__(self, hosts: Iterable[str] = (), *, port: int = 0, is_open: bool = False) -> None:
        self.token = secrets.token_urlsafe(24)
        # A browser shares cookies among all ports of a host: named by its port, each server has its own, and one.
        self.cookie = f"surefoot-{port}"
        self._secret = secrets.token_urlsafe(24)
        self._once: set[str] = set()
        self._hosts = {host.lower() for host in hosts} | {"localhost"}
        self._is_open = is_open

    def pass_once(self) -> str:
        """For the command line of a browser, which every user of the machine can read."""
        token = secrets.token_urlsafe(24)
        self._once.add(token)
        return token

    def knows(self, host: str) -> bool:
        """Names that others could point at this machine are refused; an address is no such name."""
        name = _host_of(host)
        if name in self._hosts:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._is_open or address.is_loopback

    def opens(self, token: str) -> bool:
        is_once = [known for known in self._once if secrets.compare_digest(known.encode(), token.encode())]
        self._once.difference_update(is_once)
        return bool(is_once) | secrets.compare_digest(self.token.encode(), token.encode())

    def has_been_in(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        shown = cookies[self.cookie].value if self.cookie in cookies else ""
        return secrets.compare_digest(self._secret.encode(), shown.encode())

    def let_in(self, response: Response) -> Response:
        response.set_cookie(self.cookie, self._secret, httponly=True, samesite="strict", path="/")
        response.headers["Cache-Control"] = "no-store"
        return response


class Guard:
    """Stands before the whole application."""

    def __init__(self, app: ASGIApp, auth: Auth) -> None:
        self._app = app
        self._auth = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        answer = self._answer(scope, Headers(scope=scope))
        await (answer or self._app)(scope, receive, _with_headers(send))

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What to say at access control; None: come in."""
        if len(headers.getlist("host")) != 1 or not self._auth.knows(headers["host"]):
            return refuse(403, "this server is asked for by a name that is not its own.")
        if not _is_own(headers, is_safe=scope["method"] in SAFE):
            return refuse(403, "another site asks, and gets no answer.")
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for key, value in query if key == "token"]
        if scope["path"] == "/" and tokens and scope["method"] == "GET":
            return self._exchange(tokens[0], [pair for pair in query if pair[0] != "token"], headers)
        if not self._auth.has_been_in(headers):
            return HTMLResponse(_CLOSED, 401) if scope["path"] == "/" else refuse(401, "the token is missing.")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and scope["path"] != "/":
            return refuse(403, "another site asks, and gets no answer.")
        return None

    def _exchange(self, token: str, rest: list[tuple[str, str]], headers: Headers) -> Response:
        if not self._auth.opens(token):
            return HTMLResponse(_CLOSED, 401)
        # A strict cookie is not sent after a redirect that began at another site: there the page has to move on itself.
        if headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            return self._auth.let_in(RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", 303))
        return self._auth.let_in(HTMLResponse(_ON))


def _is_own(headers: Headers, *, is_safe: bool) -> bool:
    """What a browser says about the page that asks; what changes or costs something must say it."""
    origin = headers.get("origin")
    if origin is None:
        return is_safe
    try:
        named = urlsplit(origin)
    except ValueError:
        return False
    return named.scheme in ("http", "https") and named.netloc.lower() == headers["host"].lower()


def _host_of(host: str) -> str:
    """A name or an address and nothing else; without the port, which may be another one through a tunnel."""
    parsed = _HOST.fullmatch(host)
    if parsed is None or int(parsed["port"] or 0) > 65535:
        return ""
    return (parsed["address"] or parsed["name"]).lower()


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)  # an answer may have a stricter policy of its own
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return sending
