"""How many steps a GradScaler decided against, as the facts tell."""

import json
from pathlib import Path

from surefoot.runlog.read.connection import snapshot

_SKIPPED = "SELECT json FROM records WHERE kind = 'StepFacts' AND json LIKE '%\"skipped\"%'"
_ALIKE = "SELECT json FROM records WHERE json LIKE '%\"alike\"%'"


def count_skipped(file: Path) -> int:
    """Those recorded, and those that were only counted because they looked like one of them."""
    with snapshot(file) as connection:
        steps = [json.loads(text) for (text,) in connection.execute(_SKIPPED)]
        skipped = {step["index"] for step in steps if step.get("skipped")}
        later = [json.loads(text).get("alike", ()) for (text,) in connection.execute(_ALIKE)] if skipped else []
    return len(skipped) + sum(int(num) for alike in later for index, num in alike if index in skipped)
