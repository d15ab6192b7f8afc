"""Reports that processes of one run hand to the one that tells them, as files in a folder."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surefoot.facts import RanksFacts, decode, encode
from surefoot.judge import Finding
from surefoot.report import Process, Report


@dataclass(frozen=True, slots=True)
class Origin:
    """Which process a report is of. `is_final`: it came to its end, so that the report is complete."""

    pid: int = 0
    parent: int = 0
    started: float = 0.0
    rank: int | None = None
    is_final: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    origin: Origin
    report: Report


def hand_over(report: Report, folder: Path, name: str, origin: Origin | None = None) -> None:
    """Write it so that nobody reads half of it."""
    unfinished = folder / f"{name}.{os.getpid()}.part"
    notes = encode(RanksFacts(at=0, notes=tuple(report.notes)))
    plain = {**report.as_dict(), "num_rules": report.num_rules, "notes": notes, "origin": asdict(origin or Origin())}
    unfinished.write_text(json.dumps(plain), encoding="utf-8")
    unfinished.replace(folder / f"{name}.json")


def received(folder: Path) -> dict[str, Report]:
    """What was handed over so far, by name."""
    return {file.stem: _read(file).report for file in sorted(folder.glob("*.json"))}


def parts(folder: Path) -> list[Part]:
    """The same with where it came from, in the order in which the processes began to be watched."""
    return sorted((_read(file) for file in folder.glob("*.json")), key=lambda part: part.origin.started)


def _finding(plain: dict[str, Any]) -> Finding:
    cause = plain.pop("follows", None)
    return Finding(**plain, follows=None if cause is None else (cause["rule"], cause["file"], cause["line"]))


def _read(file: Path) -> Part:
    plain = json.loads(file.read_text(encoding="utf-8"))
    ranks = decode(plain["notes"])
    assert isinstance(ranks, RanksFacts), "written by hand_over"
    report = Report(
        script=plain["script"],
        steps=plain["steps"],
        findings=[_finding(finding) for finding in plain["findings"]],
        not_checked={item["rule"]: item["why"] for item in plain["not_checked"]},
        num_rules=plain["num_rules"],
        notes=list(ranks.notes),
        processes=[Process(**process) for process in plain.get("processes", [])],
        not_followed={item["command"]: item["why"] for item in plain.get("not_followed", [])},
        not_watched={item["what"]: item["steps"] for item in plain.get("not_watched", [])},
    )
    return Part(Origin(**plain["origin"]), report)
