"""Write what the page of the optimizer lab knows of surfaces, optimizers and schedules, from its catalogue."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from surefoot.lab.descent import catalogue
from surefoot.lab.descent.catalogue import Kind
from surefoot.lab.descent.field import Field
from surefoot.lab.descent.surface import SURFACES

FILE = Path(__file__).parent.parent / "src/surefoot/dashboard/page/script/lab/catalogue.js"
HEAD = "/** What can be chosen. Written by tools/lab_page.py from surefoot.lab.descent: change it there. */\n"
KEPT = ("name", "title", "kind", "default", "choices")


def text() -> str:
    parts = {
        "MOST_PATHS": catalogue.MOST_PATHS,
        "NUM_SAMPLES": catalogue.NUM_SAMPLES,
        "OPTIMIZERS": _kinds(catalogue.OPTIMIZERS),
        "SCHEDULES": _kinds(catalogue.SCHEDULES),
        "SHARED": [_field(field) for field in (*catalogue.SHARED, catalogue.SPREAD)],
        "START": [_field(field) for field in catalogue.START],
        "PATH": [_field(field) for field in catalogue.PATH],
        "SURFACES": {name: {**asdict(one), "text": one.text} for name, one in SURFACES.items()},
    }
    made = [f"export const {name} = {_javascript(value)};\n" for name, value in parts.items()]
    formulas = [f"  {name}: (w0, w1) => {one.formula},\n" for name, one in SURFACES.items()]
    return "\n".join([HEAD, *made, f"export const LOSSES = {{\n{''.join(formulas)}}};\n"])


def _kinds(kinds: Mapping[str, Kind]) -> dict[str, Any]:
    return {name: {**asdict(kind), "fields": [_field(field) for field in kind.fields]} for name, kind in kinds.items()}


def _field(field: Field) -> dict[str, Any]:
    """Without its limits: these are for whoever computes to check."""
    return {name: value for name, value in asdict(field).items() if name in KEPT}


def _javascript(value: Any) -> str:
    """JSON, the innermost objects and lists on one line."""
    lines = json.dumps(value, indent=2, ensure_ascii=False)
    return re.sub(r"[{\[][^{}\[\]]*[}\]]", lambda found: " ".join(found[0].split()), lines)


def main() -> int:
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
