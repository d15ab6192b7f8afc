"""Reports that processes of one run hand to the one that tells them, as files in a folder."""

import json
import os
from pathlib import Path

from surefoot.facts import RanksFacts, decode, encode
from surefoot.judge import Finding
from surefoot.report import Report


def hand_over(report: Report, folder: Path, name: str) -> None:
    """Write it so that nobody reads half of it."""
    unfinished = folder / f"{name}.{os.getpid()}.part"
    notes = encode(RanksFacts(at=0, notes=tuple(report.notes)))
    plain = {**report.as_dict(), "num_rules": report.num_rules, "notes": notes}
    unfinished.write_text(json.dumps(plain), encoding="utf-8")
    unfinished.replace(folder / f"{name}.json")


def received(folder: Path) -> dict[str, Report]:
    """What was handed over so far, by name."""
    return {file.stem: _read(file) for file in sorted(folder.glob("*.json"))}


def _read(file: Path) -> Report:
    plain = json.loads(file.read_text(encoding="utf-8"))
    ranks = decode(plain["notes"])
    assert isinstance(ranks, RanksFacts), "written by hand_over"
    return Report(
        script=plain["script"],
        steps=plain["steps"],
        findings=[Finding(**finding) for finding in plain["findings"]],
        not_checked={item["rule"]: item["why"] for item in plain["not_checked"]},
        num_rules=plain["num_rules"],
        notes=list(ranks.notes),
    )
