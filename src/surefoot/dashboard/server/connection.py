"""Connections to the server: how many there may be, and how long one may be silent."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 256  # a browser has six to one host, and each listener of a live page is one
REQUEST_SECONDS = 15.0  # for a whole request, from its first byte or from the connection on
STALL_SECONDS = 60.0  # for taking some of an answer that waits to be sent
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 34\r\n\r\n"
    b"too many connections are open here"
)


class Connection(H11Protocol):
    """uvicorn's, which waits for ever for the rest of a request, and for a reader that reads no more."""

    _limit: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._find_out_if_the_other_side_is_gone()
        self._await_request()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_stalling()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Called whenever something has come in, and after an answer."""
        super().handle_events()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._await_request()
        else:
            self._stop_waiting()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall = self._stall or self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_stalling()
        super().resume_writing()

    def _await_request(self) -> None:
        """What comes byte by byte gets no more time than what does not come at all."""
        if self._limit is None:
            self._limit = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _stop_stalling(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    @property
    def _waits_since(self) -> float | None:
        """None once its request has come: it is being answered."""
        return None if self._limit is None else self._limit.when()

    def _make_room(self) -> None:
        """Whoever has been silent the longest has to go; if nobody is, the newest."""
        if len(self.connections) <= MOST:
            return
        # Those that have to go stay in the set for a moment, in which many others may come.
        open_ = [one for one in cast("set[Connection]", self.connections) if not one.transport.is_closing()]
        silent = [one for one in open_ if one is not self and one._waits_since is not None]
        if len(open_) <= MOST:
            return
        if silent:
            min(silent, key=lambda one: one._waits_since or 0.0).transport.abort()
        else:
            self.transport.write(_FULL)
            self.transport.close()

    def _find_out_if_the_other_side_is_gone(self) -> None:
        """A machine that was switched off says nothing; a stream would wait for it for ever."""
        connection: socket.socket | None = self.transport.get_extra_info("socket")
        if connection is None:
            return
        with contextlib.suppress(OSError, AttributeError):  # of systems that call it otherwise
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15)
