"""Edits of what people call a run, and their undoing. Only where the server allows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from surefoot.dashboard.data.run_cache import RunCache, as_text
from surefoot.dashboard.server.body import is_json, read_json
from surefoot.dashboard.server.reply import refuse, told
from surefoot.runlog.edits import EditError, change_labels, undo
from surefoot.runlog.labels import Labels, read_labels
from surefoot.runlog.trash import discard, restore

MOST_BYTES = 100_000
MOST_RUNS = 1000  # of one request
FIELDS = {"name": str, "group": str, "tags": list, "notes": str, "archived": bool}


async def edit_runs(request: Request) -> Response:
    """{"runs": [names], "set": {field: value}}, or "undo": {run: number}, "delete": [names], "restore": [names].

    "edits" of the answer holds the numbers of the edits that were made, with which they can be undone.
    """
    if not request.app.state.late.allows_edits:
        return refuse(403, "this server was started without edits.")
    if not is_json(request):
        return refuse(415, "edits are sent as JSON.")
    given = await read_json(request, MOST_BYTES)
    action = _action(given)
    if action is None:
        return refuse(400, "this is no edit.")
    run_cache = await to_thread.run_sync(request.app.state.late.run_cache)
    try:
        return await to_thread.run_sync(told, lambda: {"edits": action(run_cache)})
    except EditError as error:
        return refuse(409, str(error))


def _action(given: Any) -> Callable[[RunCache], dict[str, int]] | None:
    if not isinstance(given, dict):
        return None
    if _are_names(given.get("runs")) and _are_fields(given.get("set")):
        return lambda cache: _set(cache, given["runs"], given["set"])
    back = given.get("undo")
    if isinstance(back, dict) and _are_names(list(back)) and all(type(number) is int for number in back.values()):
        return lambda cache: _undo(cache, back)
    for key, move in (("delete", _delete), ("restore", _restore)):
        if _are_names(given.get(key)):
            return lambda cache, move=move, names=given[key]: move(cache, names)  # type: ignore[misc]
    return None


def _are_names(given: Any) -> bool:
    return isinstance(given, list) and 0 < len(given) <= MOST_RUNS and all(isinstance(name, str) for name in given)


def _are_fields(given: Any) -> bool:
    return (
        isinstance(given, dict)
        and bool(given)
        and all(type(value) is FIELDS.get(name) for name, value in given.items())
        and all(isinstance(tag, str) for tag in given.get("tags", ()))
    )


def _set(cache: RunCache, names: list[str], fields: dict[str, Any]) -> dict[str, int]:
    def change(now: Labels) -> Labels:
        kept = {name: getattr(now, name) for name in FIELDS}
        return Labels(**{**kept, **fields, "tags": tuple(fields.get("tags", now.tags))})

    runs = {name: cache.open(name) for name in names}
    try:
        made = {name: change_labels(run.folder, read_labels(run.meta), change) for name, run in runs.items()}
        return {name: one.number for name, one in made.items() if one is not None}
    finally:
        cache.forget(names)


def _undo(cache: RunCache, numbers: dict[str, int]) -> dict[str, int]:
    folders = {name: cache.open(name).folder for name in numbers}
    try:
        for name, folder in folders.items():
            undo(folder, numbers[name])
        return {}
    finally:
        cache.forget(numbers)


def _delete(cache: RunCache, names: list[str]) -> dict[str, int]:
    known = {as_text(name): name for name in cache.names()}
    if missing := [name for name in names if name not in known]:
        raise EditError(f"there is no run {missing[0]!r} in {cache.folder}.")
    for name in names:
        discard(cache.folder / known[name])
    return {}


def _restore(cache: RunCache, names: list[str]) -> dict[str, int]:
    for name in names:
        restore(cache.folder, name)
    return {}
