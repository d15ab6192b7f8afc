"""GitHub annotations, SARIF and JSON."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from surefoot.launch.handover import hand_over, received
from surefoot.report import Report, merge, render
from surefoot.rules.catalogue import catalogue
from tests.cli.command import make_finding

# What SARIF 2.1.0 demands of the parts we write.
_MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_REGION = {
    "type": "object",
    "required": ["startLine"],
    "properties": {"startLine": {"type": "integer", "minimum": 1}},
    "additionalProperties": False,
}
_LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {"uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~:/%-]+$"}},
                    "additionalProperties": False,
                },
                "region": _REGION,
            },
            "additionalProperties": False,
        }
    },
    "additionalProperties": False,
}
_RULE = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _MESSAGE,
        "fullDescription": _MESSAGE,
        "defaultConfiguration": {"type": "object", "properties": {"level": _LEVEL}, "additionalProperties": False},
        "properties": {"type": "object"},
    },
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": _LEVEL,
        "message": _MESSAGE,
        "occurrenceCount": {"type": "integer", "minimum": 1},
        "locations": {"type": "array", "items": _LOCATION},
        "properties": {"type": "object"},
    },
    "additionalProperties": False,
}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {"type": "array", "items": _RULE, "uniqueItems": True},
                                },
                                "additionalProperties": False,
                            }
                        },
                        "additionalProperties": False,
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": _RESULT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def report_of_all_kinds(folder: Path) -> Report:
    inside, outside = str(folder / "my train.py"), "/somewhere/else.py"
    findings = [
        make_finding(severity="note", rule="from-a-plug-in", file=outside, line=1),
        make_finding(file=inside, line=3, evidence={"norm": float("nan"), "shape": (2, 3), "odd": {1: object}}),
        make_finding(severity="warning", count=1),
    ]
    return Report("train.py", 9, findings, {"a": "why not"}, 5)


def test_sarif_keeps_to_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = json.loads(render(report_of_all_kinds(tmp_path), "sarif"))
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    results = run["results"]
    assert [r["level"] for r in results] == ["error", "warning", "note"]
    places = [r["locations"][0]["physicalLocation"] for r in results if "locations" in r]
    assert [p["artifactLocation"]["uri"] for p in places] == ["my%20train.py", "file:///somewhere/else.py"]
    for result in results:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_every_rule_can_be_told_in_sarif() -> None:
    findings = [make_finding(rule=name, severity=rule.level) for name, rule in catalogue().items()]
    jsonschema.validate(json.loads(render(Report("x", 1, findings), "sarif")), SARIF)


def test_an_empty_report_in_every_format() -> None:
    report = Report("train.py")
    jsonschema.validate(json.loads(render(report, "sarif")), SARIF)
    assert json.loads(render(report, "json"))["findings"] == []
    assert render(report, "github") == ""


def test_github_annotations_are_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    finding = make_finding(message="100 % of\r\nthem: a, b", file=str(tmp_path / "a,b:c%.py"), line=7)
    plain = make_finding(severity="note")
    said = render(Report("train.py", 1, [finding, plain]), "github").splitlines()
    assert said == [
        "::error file=a%2Cb%3Ac%25.py,line=7,title=surefoot%3A stale-gradients::"
        "100 %25 of%0D%0Athem: a, b.%0AWhy: it adds up%0AFix: clear them",
        "::notice title=surefoot%3A stale-gradients::2 of 2 step twice.%0AWhy: it adds up%0AFix: clear them",
    ]


def test_json_has_no_values_that_readers_refuse(tmp_path: Path) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    report = json.loads(render(report_of_all_kinds(tmp_path), "json"), parse_constant=refuse)
    assert report["findings"][0]["evidence"] == {"norm": "NaN", "shape": [2, 3], "odd": {"1": "<class 'object'>"}}
    assert report["not_checked"] == [{"rule": "a", "why": "why not"}]


def test_reports_of_several_processes_become_one() -> None:
    first = Report("train.py", 8, [make_finding(file="a.py", line=1, count=3, step=4)], {"x": "off"}, 5)
    second = Report(
        "train.py",
        9,
        [make_finding(file="a.py", line=1, count=2, step=2), make_finding(file="a.py", line=2, count=1)],
        {"y": "off"},
        5,
    )
    merged = merge([first, second])
    assert (merged.steps, merged.num_rules, merged.not_checked) == (9, 5, {"x": "off", "y": "off"})
    assert [(f.line, f.count, f.step) for f in merged.findings] == [(1, 5, 2), (2, 1, 2)]
    assert first.findings[0].count == 3


@pytest.mark.parametrize(("level", "reached"), [("error", False), ("warning", True), ("note", True)])
def test_a_report_reaches_a_level(level: Any, reached: bool) -> None:
    assert Report("x", 1, [make_finding(severity="warning")]).reaches(level) is reached
    assert not Report("x").reaches(level)


def test_every_format_tells_from_what_a_finding_follows(tmp_path: Path) -> None:
    cause = make_finding(rule="cause", file="/train.py", line=3)
    report = Report("train.py", 9, [make_finding(follows=cause.place), cause])
    first, second = json.loads(render(report, "json"))["findings"]
    assert "follows" not in first
    assert second["follows"] == {"rule": "cause", "file": "/train.py", "line": 3}
    assert "Follows from: cause at /train.py:3; fix that first" in render(report, "github")
    assert "Follows from cause at /train.py:3; fix that first. " in render(report, "sarif")
    hand_over(report, tmp_path, "rank-1")
    assert received(tmp_path)["rank-1"].findings == [cause, make_finding(follows=cause.place)]
