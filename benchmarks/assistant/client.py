"""The client: three questions about a program, and whether the answers were right."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp import Client

from benchmarks.bugs.program import Program

SCRIPT = "train.py"


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    told: str  # the rule, line and message of the finding that was acted on
    is_file_right: bool
    is_line_right: bool
    is_cause_right: bool
    patch: str  # "proven" and applied, or why there is none
    is_gone: bool  # after the patches, asked again
    largest_answer: int  # in bytes


async def mend(client: Client, program: Program, apply: Callable[[str], bool]) -> Outcome:
    """Acts on the first finding; it may be any that is marked as a right name for the bug."""
    asked = [await _ask(client, "run"), await _ask(client, "fix")]
    found = next((one for one in asked[0]["findings"] if one["rule"] in program.names), None)
    first = found or next(iter(asked[0]["findings"]), None)
    patches = asked[1]["patches"]
    applied = [apply(patch["diff"]) for patch in patches]
    if patches:
        asked.append(await _ask(client, "run"))
    left = [one["rule"] for one in asked[-1]["findings"] if one["severity"] != "note"] if patches else []
    return Outcome(
        name=program.name,
        told=f"{first['rule']}, line {first['line']}" if first else "no finding",
        is_file_right=bool(found and found["file"] == SCRIPT),
        is_line_right=bool(found and found["line"] in program.lines),
        is_cause_right=found is not None,
        patch=_patch(asked[1], all(applied)),
        is_gone=bool(patches) and all(applied) and not left,
        largest_answer=max(len(json.dumps(answer, separators=(",", ":"))) for answer in asked),
    )


def _patch(answer: dict[str, Any], is_applied: bool) -> str:
    if answer["patches"]:
        return "proven" if is_applied else "does not apply"
    return "; ".join(f"{one['rule']}: {one['why']}" for one in answer["unpatched"]) or "none"


async def _ask(client: Client, tool: str) -> dict[str, Any]:
    answer = await client.call_tool(tool, {"program": [SCRIPT]})
    (content,) = answer.content
    if answer.is_error:
        raise RuntimeError(f"{tool} was refused: {content}")
    told: dict[str, Any] = json.loads(content.text)
    return told
