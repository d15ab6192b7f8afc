"""What a run has logged beside numbers. Files are served as what they are, and as nothing that could do anything."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from surefoot.dashboard.data.media import find_medium, list_media
from surefoot.dashboard.data.run_cache import NoSuchRunError, RunCache
from surefoot.dashboard.server.reply import Params, refuse
from surefoot.runlog.media.kind import TYPES
from surefoot.runlog.read.error import DAMAGE

HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, max-age=86400"}


def read_media(run_cache: RunCache, params: Params) -> dict[str, Any]:
    return {"media": list_media(run_cache.open(params.path["run"]))}


async def send_file(request: Request) -> Response:
    """A file is named by what is in it, so that a browser may keep it."""

    def find() -> Response:
        params = Params(request)
        run_cache = request.app.state.late.run_cache()
        try:
            medium = find_medium(run_cache.open(params.path["run"]), params.path["process"], params.path["file"])
            return Response(medium.read(), headers=HEADERS, media_type=TYPES[medium.kind])
        except (NoSuchRunError, KeyError) as error:
            return refuse(404, str(error.args[0]))
        except DAMAGE as error:
            return refuse(422, str(error))

    return await to_thread.run_sync(find)
