"""For coding assistants: one line of JSON of bounded size, with what it takes to act on each finding."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from surefoot.report.place import relative
from surefoot.report.processes import not_covered, nothing_trained
from surefoot.report.report import Report
from surefoot.report.text import code_frame

MOST_BYTES = 8_000  # of all of it
# Of its parts, as JSON: however long they are, the first finding must fit in.
MOST_TEXT = 600
MOST_REMARK = 300
MOST_REMARKS = 3
MOST_COMMAND = 800
MOST_LINE = 160
MOST_EVIDENCE = 500


def as_agent(
    report: Report,
    *,
    commands: Mapping[str, str] | None = None,
    patchable: Collection[str] = (),
    exit_status: str = "",
    num_hidden: int = 0,
) -> str:
    """`commands`: what to run next, RULE standing for the rule of a finding; those too long to repeat are left out.

    `patchable`: rules for whose findings `surefoot fix` knows a patch. `num_hidden`: notes that are not in the report.
    """
    findings = [_finding(plain, patchable) for plain in report.as_dict()["findings"]]
    message: dict[str, Any] = {
        "surefoot": report.as_dict()["surefoot"],
        "script": _cut(report.script, MOST_TEXT),
        "steps": report.steps,
        "exit_status": exit_status,
        "commands": {name: text for name, text in (commands or {}).items() if _size(text) <= MOST_COMMAND},
        "remarks": _remarks(report, num_hidden),
        "findings_left_out": len(findings),
        "findings": [],
    }
    left = MOST_BYTES - _size(message)
    for finding in findings:
        left -= _size(finding) + 1  # and a comma
        if left < 1:  # the end of the line
            break
        message["findings"].append(finding)
        message["findings_left_out"] -= 1
    return _json(message) + "\n"


def _finding(plain: dict[str, Any], patchable: Collection[str]) -> dict[str, Any]:
    evidence = _fitting(plain["evidence"])
    message = {
        "rule": plain["rule"],
        "severity": plain["severity"],
        "file": _path(plain["file"]),
        "line": plain["line"],
        "source": [_cut(line, MOST_LINE) for line in code_frame(plain["file"], plain["line"])] if plain["file"] else [],
        **{name: _cut(plain[name], MOST_TEXT) for name in ("message", "why", "fix")},
        "evidence": evidence,
        "count": plain["count"],
        "first_step": plain["step"],
        "patch_known": plain["rule"] in patchable,
    }
    if len(evidence) < len(plain["evidence"]):
        message["evidence_left_out"] = len(plain["evidence"]) - len(evidence)
    if "follows" in plain:
        message["follows"] = plain["follows"] | {"file": _path(plain["follows"]["file"])}
    return message


def _remarks(report: Report, num_hidden: int) -> list[str]:
    remarks = [] if report.steps else [nothing_trained(report)]
    if num_hidden:
        remarks.append(f"{num_hidden} note{'' if num_hidden == 1 else 's'} hidden: --notes shows them")
    if report.not_checked:
        rule, why = next(iter(report.not_checked.items()))
        remarks.append(f"not checked: {len(report.not_checked)} of {report.num_rules} rules, such as {rule} ({why})")
    return [_cut(text, MOST_REMARK) for text in [*remarks, *not_covered(report)][:MOST_REMARKS]]


def _path(file: str | None) -> str | None:
    return file and (relative(file) or file)


def _fitting(evidence: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, value in evidence.items():
        if _size({**kept, name: value}) <= MOST_EVIDENCE:
            kept[name] = value
    return kept


def _cut(text: str, most: int) -> str:
    if _size(text) <= most:
        return text
    short = text[:most]
    while _size(f"{short}…") > most:
        short = short[:-1]
    return f"{short}…"


def _size(value: Any) -> int:
    return len(_json(value))


def _json(value: Any) -> str:
    """In ASCII, so that a character is a byte in whatever encoding stderr has."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
