"""One thing to do next. What a finding asks for comes first, so that no advice speaks against one."""

from __future__ import annotations

from surefoot.judge import Finding
from surefoot.report.convergence.calibration import FURTHER, RIGHT
from surefoot.report.convergence.curve import Curve
from surefoot.report.convergence.verdict import Kind, Verdict
from surefoot.report.place import relative
from surefoot.rules import LEVELS
from surefoot.rules.catalogue import catalogue

ON_THE_LOSS = "converge"  # the family whose rules judge the course of the loss themselves


def advice(
    verdict: Verdict, overfitted: Curve | None, findings: list[Finding], *, is_distance: bool = True,
    goes_on: bool = False,
) -> str | None:  # fmt: skip
    """`overfitted` is a held-out loss that has risen since its lowest value.

    A loss below 0 is no distance from anything: nobody knows where it should go. A run that goes on trains longer.
    """
    speaking = [finding for finding in findings if _speaks(finding)]
    if speaking:
        return _of_finding(max(speaking, key=_weight))
    if overfitted is not None:
        return (
            f"take the weights of step {overfitted.lowest[1]}, where {overfitted.name} was lowest; "
            f'sf.stop.patience("{overfitted.name}", …) stops near there'
        )
    if goes_on and verdict.kind == "falling":
        return None
    return _MOVES.get(verdict.kind) if is_distance or verdict.kind == "not finite" else None


def _speaks(finding: Finding) -> bool:
    """Whether it asks for something now; notes do so only if they are about the loss."""
    if finding.severity != "note":
        return True
    rule = catalogue().get(finding.rule)
    return rule is not None and rule.family == ON_THE_LOSS


def _weight(finding: Finding) -> tuple[int, bool, int]:
    """The gravest; of those a cause before what follows from it, and the earliest."""
    return LEVELS.index(finding.severity), finding.follows is None, -finding.step


def _of_finding(finding: Finding) -> str:
    where = f" at {relative(finding.file) or finding.file}:{finding.line}" if finding.file else ""
    return f"{finding.severity}[{finding.rule}]{where} first: {finding.fix}"


_RIGHT, _GIVEN = RIGHT["falling"]
_MOVES: dict[Kind, str] = {
    "falling": f"train longer: at {_RIGHT} of {_GIVEN} such ends of calibrated trainings the loss fell by at least "
    f"{FURTHER:.0%} more in as many steps again".replace("%", " %"),
    "resting": "more of the same steps would hardly lower it: change the learning rate, the model or the data",
    "rising": "look at the learning rate first: lower it, or clip the gradients, from where the rise begins",
    "diverged": "look at the learning rate first: lower it, or warm it up; clip the gradients",
    "stuck": "if it should fall, try one batch first: a loss that does not fall there points at the loss, the rate or "
    "the wiring",
    "not finite": "find the first value that is not finite: `surefoot run` tells where it is first seen",
}
