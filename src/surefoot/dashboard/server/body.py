"""What is sent to the server: JSON, and not too much of it."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request


def is_json(request: Request) -> bool:
    """A form of another site can't say so."""
    return request.headers.get("content-type", "").partition(";")[0].strip() == "application/json"


async def read_json(request: Request, most_bytes: int) -> Any:
    """None if it is too long, or no JSON, or did not come."""
    content = b""
    try:
        async for part in request.stream():
            content += part
            if len(content) > most_bytes:
                return None
    except ClientDisconnect:  # nobody waits for an answer
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
