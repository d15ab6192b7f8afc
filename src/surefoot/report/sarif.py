"""SARIF 2.1.0, which code-scanning tools read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surefoot.judge import Finding
from surefoot.report.place import cause_of, relative
from surefoot.report.report import Report
from surefoot.rules.catalogue import catalogue
from surefoot.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(report: Report, fixes: Mapping[int, list[dict[str, Any]]] | None = None) -> str:
    """`fixes`: SARIF's own, by the identity of a finding."""
    findings = report.worst_first
    names = sorted({finding.rule for finding in findings})
    driver = {
        "name": "surefoot",
        "version": __version__,
        "rules": [_rule(name) for name in names],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            {**_result(finding, names.index(finding.rule), report), **_fixes(fixes or {}, finding)}
            for finding in findings
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, allow_nan=False) + "\n"


def _rule(name: str) -> dict[str, Any]:
    described: dict[str, Any] = {"id": name}
    rule = catalogue().get(name)
    if rule is not None:
        described["shortDescription"] = {"text": rule.summary}
        described["fullDescription"] = {"text": rule.doc}
        described["defaultConfiguration"] = {"level": rule.level}
        described["properties"] = {"family": rule.family}
    return described


def _result(finding: Finding, index: int, report: Report) -> dict[str, Any]:
    plain = report.as_dict()["findings"][report.worst_first.index(finding)]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": finding.severity,
        "message": {"text": f"{finding.message}. {_cause(finding)}{finding.why} Fix: {finding.fix}"},
        "occurrenceCount": finding.count,
        "properties": {"step": finding.step, "evidence": plain["evidence"]},
    }
    if finding.file is not None:
        place = {"artifactLocation": {"uri": uri(finding.file)}, "region": {"startLine": finding.line}}
        result["locations"] = [{"physicalLocation": place}]
    return result


def _cause(finding: Finding) -> str:
    return f"Follows from {cause}. " if (cause := cause_of(finding)) else ""


def _fixes(fixes: Mapping[int, list[dict[str, Any]]], finding: Finding) -> dict[str, Any]:
    return {"fixes": fixes[id(finding)]} if id(finding) in fixes else {}


def uri(file: str) -> str:
    inside = relative(file)
    if inside is None:
        return Path(file).absolute().as_uri()
    return Path("/", inside).as_uri().removeprefix("file:///")
