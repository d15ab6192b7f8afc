"""Why an experiment tells nothing, and what the rules of the sanitizer say about it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from surefoot.check.experiment import Result


def nothing_seen(result: Result, timeout: float) -> str | None:
    """Why nothing can be said; None if it trained."""
    if result.trained:
        return None
    if result.ended == "timeout":
        return f"it took no optimizer step within {timeout:.0f} s. Give it more with --timeout."
    if result.error:
        return f"it failed before its first optimizer step: {result.error.rstrip('.')}."
    return "it took no optimizer step in its own process."


def sentence(why: str) -> str:
    return f"{why[:1].upper()}{why[1:].rstrip('.')}."


def findings(result: Result, rules: Collection[str]) -> list[dict[str, Any]]:
    found = [one for one in result.findings if one["rule"] in rules and one["severity"] in ("error", "warning")]
    return [{**one, "where": f"{one['file']}:{one['line']}"} for one in found]


def told(found: list[dict[str, Any]]) -> str:
    """The first, as a sentence."""
    first = found[0]
    message = first["message"]
    return f"{message[:1].upper()}{message[1:]} ({first['where']}, rule {first['rule']})."


def number(value: float) -> str:
    return f"{value:.3g}"
