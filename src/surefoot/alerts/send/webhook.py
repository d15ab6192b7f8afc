"""`json://` and `jsons://`: a JSON document by POST over HTTP and HTTPS, as apprise spells it."""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from surefoot.alerts.send.destination import SEND_SECONDS, Destination, DestinationError, SendError
from surefoot.version import __version__

PATH = "/%:@!$&'()*+,;=~"  # what stays as it is in a path
SCHEMES = {"json": "http", "jsons": "https"}


def is_plain(url: str) -> bool:
    """Whether it asks for no more than this: apprise knows many more settings."""
    scheme, _, rest = url.partition("://")
    _, _, query = rest.partition("?")
    return scheme.lower() in SCHEMES and all(part.startswith("+") for part in query.split("&") if part)


class Webhook(Destination):
    """`+Name=value` in the query is a header; a user and a password are basic authentication."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or any(c.isspace() for c in url):
            raise DestinationError(
                f"{parts.scheme}:// needs a host, as in {parts.scheme}://example.org/hook; what was given has none."
            )
        self.shown = f"{parts.scheme}://{host}{f':{port}' if port else ''}/…"
        self._url = _http(parts, f"[{host}]" if ":" in host else host)
        self._headers = {"Content-Type": "application/json", "User-Agent": f"surefoot/{__version__}", **_given(parts)}

    def send(self, payload: Mapping[str, Any]) -> None:
        data = json.dumps(payload, allow_nan=False, default=str).encode()
        request = urllib.request.Request(self._url, data, self._headers, method="POST")
        try:
            with _opener().open(request, timeout=SEND_SECONDS) as answer:
                answer.read(1024)
        except urllib.error.HTTPError as error:
            with error:
                may_pass = error.code >= 500 or error.code in (408, 429)
                raise SendError(f"it answered {error.code}", may_pass=may_pass) from None
        except urllib.error.URLError as error:
            raise SendError(_reason(error.reason)) from None
        except (OSError, http.client.HTTPException) as error:
            raise SendError(_reason(error)) from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST becomes a GET, which would look like success."""

    def redirect_request(self, *args: Any) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def _http(parts: SplitResult, host: str) -> str:
    netloc = f"{host}:{parts.port}" if parts.port else host
    return urlunsplit((SCHEMES[parts.scheme.lower()], netloc, quote(parts.path, safe=PATH) or "/", "", ""))


def _given(parts: SplitResult) -> dict[str, str]:
    headers = {}
    for part in parts.query.split("&"):
        name, _, value = part.removeprefix("+").partition("=")
        if name:
            headers[unquote(name)] = unquote(value)
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    return headers


def _reason(error: object) -> str:
    """Without the address, which some exceptions tell."""
    if isinstance(error, TimeoutError):
        return f"no answer within {SEND_SECONDS:.0f} s"
    return getattr(error, "strerror", None) or type(error).__name__
