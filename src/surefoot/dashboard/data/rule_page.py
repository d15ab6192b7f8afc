"""A rule's own documentation, in parts."""

from __future__ import annotations

import re
from typing import Any

from surefoot.rules.catalogue import catalogue


def rule_page(name: str) -> dict[str, Any]:
    rules = catalogue()
    if name not in rules:
        raise KeyError(f"there is no rule {name!r}.")
    rule = rules[name]
    summary, *parts = re.split(r"^## (.+)\n", rule.doc, flags=re.MULTILINE)
    sections = {key.strip(): text.strip() for key, text in zip(parts[::2], parts[1::2], strict=True)}
    return {
        "rule": rule.name,
        "family": rule.family,
        "severity": rule.level,
        "summary": summary.strip(),
        "sections": {_key(title): text for title, text in sections.items() if title not in ("Bad", "Good")},
        "titles": {_key(title): title for title in sections if title not in ("Bad", "Good")},
        "bad": _code(sections.get("Bad", "")),
        "good": _code(sections.get("Good", "")),
    }


def _key(title: str) -> str:
    """`What it does` is "what", `When it stays silent` is "when"."""
    return title.split()[0].lower()


def _code(text: str) -> str:
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    return found[1] if found else text
