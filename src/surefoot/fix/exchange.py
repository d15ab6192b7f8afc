"""Patches in the formats of other tools: SARIF fixes, and GitHub's suggestions."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Any

from surefoot.facts.frozen import frozen
from surefoot.fix.patch import Fixed, Patch, original_line
from surefoot.report import Report
from surefoot.report.place import relative
from surefoot.report.sarif import as_sarif, uri


@frozen
class Replacement:
    """Lines of the user's file, counted from 1; `end` is the last of them, or before `start` for an insertion."""

    start: int
    end: int
    text: str


def replacements(patch: Patch) -> list[Replacement]:
    """What the patch changes, at the places of the user's own file."""
    old, new = (text.splitlines(keepends=True) for text in (patch.before, patch.after))
    found = []
    for kind, start, end, new_start, new_end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            first = original_line(patch.original, patch.before, start + 1) or 1
            found.append(Replacement(first, first + end - start - 1, "".join(new[new_start:new_end])))
    return found


def as_sarif_with_fixes(fixed: Fixed, script: str) -> str:
    findings = [*(patch.finding for patch in fixed.patches), *(each.finding for each in fixed.unpatched)]
    for patch in fixed.patches:
        patch.finding.line = patch.line
    fixes = {id(patch.finding): [_sarif_fix(patch)] for patch in fixed.patches}
    return as_sarif(Report(script, fixed.before.steps, findings), fixes)


def _sarif_fix(patch: Patch) -> dict[str, Any]:
    changes = [
        {
            "deletedRegion": {"startLine": each.start, "startColumn": 1, "endLine": each.end + 1, "endColumn": 1},
            "insertedContent": {"text": each.text},
        }
        for each in replacements(patch)
    ]
    place = {"artifactLocation": {"uri": uri(str(patch.file))}, "replacements": changes}
    return {"description": {"text": patch.meaning}, "artifactChanges": [place]}


def as_github_suggestions(fixed: Fixed) -> str:
    """Review comments, as GitHub's API takes them: one for each place that a patch changes."""
    comments = [comment for patch in fixed.patches for comment in _comments(patch)]
    return json.dumps(comments, indent=2) + "\n"


def _comments(patch: Patch) -> Iterator[dict[str, Any]]:
    lines = patch.original.splitlines(keepends=True)
    for each in replacements(patch):
        start, end, text = each.start, each.end, each.text
        if end < start:  # a suggestion replaces lines, so an insertion repeats the one it stands before
            kept = min(start, len(lines))
            text = text + lines[kept - 1] if start <= len(lines) else lines[kept - 1] + text
            start = end = kept
        body = f"surefoot: {patch.finding.rule}: {patch.meaning}. Proven.\n```suggestion\n{text.rstrip(chr(10))}\n```\n"
        comment = {"path": relative(str(patch.file)) or str(patch.file), "line": end, "side": "RIGHT", "body": body}
        yield comment if start == end else {**comment, "start_line": start, "start_side": "RIGHT"}
