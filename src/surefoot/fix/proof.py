"""Whether a trial run proves a patch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from surefoot.fix.trial import Trial
from surefoot.judge import Finding


def objection(before: Trial, after: Trial, finding: Finding) -> str:
    """Why the patched program proves nothing; empty: the finding is gone, none came, and it trains."""
    if after.status != 0 and before.status == 0:
        return f"the patched program fails: {after.last_words}"
    if not after.steps:
        return "the patched program takes no step"
    if _count(after.findings)[finding.rule] >= _count(before.findings)[finding.rule]:
        return "the finding stays"
    if came := new_rules(before, after):
        return f"the patched program has a new finding: {', '.join(came)}"
    if before.losses and not after.losses:
        return "the patched program has no loss"
    if _is_finite(before.final_loss) and not _is_finite(after.final_loss):
        return "the loss of the patched program is not finite"
    return ""


def new_rules(before: Trial, after: Trial) -> list[str]:
    """Rules above a note that are found more often than before."""
    had = _count(before.findings)
    now = _count(finding for finding in after.findings if finding.severity != "note")
    return sorted(rule for rule, num in now.items() if num > had[rule])


def _count(findings: Iterable[Finding]) -> Counter[str]:
    return Counter(finding.rule for finding in findings)


def _is_finite(loss: float | None) -> bool:
    return loss is not None and math.isfinite(loss)
