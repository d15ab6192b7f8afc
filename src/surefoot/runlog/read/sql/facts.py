"""Stored facts as rows of the view `steps`."""

from __future__ import annotations

import json
from typing import Any

from surefoot.runlog.read.vitals import last_loss


def step_row(text: str) -> tuple[Any, ...]:
    """From `step` to `facts`. Facts at their default are not stored."""
    facts = json.loads(text)
    events = facts.get("events", ())
    clips = [event for event in events if event["_"] == "ClipFacts" and event.get("kind", "norm") == "norm"]
    clip = clips[-1] if clips else {}
    site = facts.get("site") or {}
    skipped = facts.get("skipped", False)
    lrs = facts.get("lrs") or [None]
    return (
        facts["index"], facts["optimizer"], facts["update"], not skipped, skipped, facts.get("repeats", 0),
        last_loss(facts), lrs[0], clip.get("norm"), clip.get("max_norm", 0.0) if clip else None,
        facts.get("scale", 1.0), sum(event["_"] == "BackwardFacts" for event in events),
        site.get("file"), site.get("line"), strict_json(text),
    )  # fmt: skip


def strict_json(text: str) -> str:
    """JSON that everybody reads: what is not finite becomes "NaN", "Infinity" or "-Infinity", as strings."""
    if "NaN" not in text and "Infinity" not in text:
        return text
    return json.dumps(json.loads(text, parse_constant=str), separators=(",", ":"))
