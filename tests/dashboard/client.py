"""A browser, as far as requests go."""

import asyncio
from typing import Any

import httpx
from starlette.types import ASGIApp

ADDRESS = "http://127.0.0.1:6180"


class Client:
    """Keeps cookies, follows no redirect. Each request is a coroutine that runs to its end."""

    def __init__(self, app: ASGIApp) -> None:
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESS)

    @property
    def cookies(self) -> httpx.Cookies:
        return self._client.cookies

    def request(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self._runner.run(self._client.request(method, path, **given))

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.request("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self.request("POST", path, **given)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()
