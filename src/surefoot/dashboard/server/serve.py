"""Start and end the server."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from surefoot.dashboard.server.app import make_app
from surefoot.dashboard.server.auth import Auth
from surefoot.dashboard.server.connection import Connection
from surefoot.dashboard.server.console import quiet
from surefoot.dashboard.server.late import warm_up
from surefoot.dashboard.server.live import Live

PORT = 6180
MOST_TRIES = 50
CLOSE_SECONDS = 1  # for answers that are under way when it ends


class NoPortError(OSError):
    """Said to the user as it is."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where it listens, and who may ask for it by which name."""

    folder: Path | str  # an address is a text
    host: str = "127.0.0.1"
    port: int = PORT
    allows_edits: bool = True
    view: str = ""  # what is shown at first, as the page's address has it after "#"; "" for the list of runs

    @property
    def is_loopback(self) -> bool:
        with contextlib.suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host == "localhost"


class Server(uvicorn.Server):
    """Ends at once: whoever listens to a stream is told that it is over."""

    def __init__(self, config: uvicorn.Config, live: Live, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._live = live
        self._tell_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell_started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._live.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._live.close()
        await super().shutdown(sockets)


def serve(place: Listening, say: Callable[[str], None], open_browser: Callable[[str], object] | None) -> None:
    """Until Ctrl-C."""
    listener = listen(place)
    port = listener.getsockname()[1]
    if place.port and port != place.port:
        say(f"port {place.port} is taken; the dashboard is at the next free one, {port}.")
    auth = Auth([] if place.is_loopback else [place.host, socket.gethostname(), socket.getfqdn()],
                port=port, is_open=not place.is_loopback)  # fmt: skip
    app, live = make_app(place.folder, auth, allows_edits=place.allows_edits)
    address = f"http://{_named(place.host)}:{port}/"

    def started() -> None:
        say(f"dashboard: {address}?token={auth.token}{place.view}  (Ctrl-C ends it)")
        threading.Thread(target=warm_up, daemon=True).start()
        if open_browser is not None:
            once = f"{address}?token={auth.pass_once()}{place.view}"
            threading.Thread(target=open_browser, args=(once,), daemon=True).start()

    config = uvicorn.Config(
        app, loop="asyncio", http=Connection, ws="none", lifespan="off", log_config=None, access_log=False,
        server_header=False, timeout_graceful_shutdown=CLOSE_SECONDS,
    )  # fmt: skip
    quiet(say)
    with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises again once it is done
        Server(config, live, started).run([listener])


def listen(place: Listening) -> socket.socket:
    """At its port, or the next free one."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    for port in range(place.port, place.port + (MOST_TRIES if place.port else 1)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it lets two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((place.host, port))
            listener.listen(128)
            return listener
        except OverflowError:
            listener.close()
            break
        except OSError as error:
            listener.close()
            if not _is_taken(error):
                raise NoPortError(f"{place.host}:{port} can't be listened at: {error.strerror or error}.") from None
    raise NoPortError(f"no free port from {place.port} on. --port names another.")


def can_show_browser() -> bool:
    """Without a display, a browser in the terminal would take it over."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _is_taken(error: OSError) -> bool:
    import errno

    return error.errno in (errno.EADDRINUSE, errno.EACCES)  # Windows keeps some ports to itself


def _named(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
