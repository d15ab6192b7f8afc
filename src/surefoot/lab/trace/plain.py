"""A trace as JSON."""

import json
import math
from dataclasses import fields, is_dataclass
from typing import Any

from surefoot.facts import Site
from surefoot.lab.trace.stage import Trace
from surefoot.version import __version__

FORMAT = 1


def as_json(trace: Trace, *, indent: int | None = 1) -> str:
    return json.dumps(as_dict(trace), indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def as_dict(trace: Trace) -> dict[str, Any]:
    return {
        "surefoot": __version__,
        "format": FORMAT,
        "script": trace.script,
        "command": list(trace.command),
        "folder": trace.folder,
        "started": trace.started,
        "first": trace.first,
        "num_steps": trace.num_steps,
        "num_taken": trace.num_taken,
        "ended": trace.ended,
        "optimizers": [{"id": number, "name": name} for number, name in trace.optimizers.items()],
        "source": [_plain(line) for line in trace.source],
        "stages": [_plain(stage) for stage in trace.stages],
        "num_left_out": trace.num_left_out,
        "epochs": [_plain(epoch) for epoch in trace.epochs],
        "off": dict(trace.off),
    }


def _plain(value: Any) -> Any:
    """JSON knows no NaN: what is not finite becomes a text."""
    if isinstance(value, Site):
        return {"file": value.file, "line": value.line, "function": value.function}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
