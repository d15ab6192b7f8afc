"""Which rules could not be asked, and why."""

from collections.abc import Collection, Iterable, Mapping

from surefoot.facts import StepFacts
from surefoot.rules import Rule

STEP_PROBES = ("backward", "clear", "step")  # what every record of a step stands on


def needed(rule: Rule) -> tuple[str, ...]:
    """The probes without which a rule would judge by half the facts."""
    return (*STEP_PROBES, *rule.probes) if StepFacts in rule.on else rule.probes


def unwatched(rules: Iterable[Rule], off: Mapping[str, str], probes: Collection[str]) -> dict[str, str]:
    """Rules by name that need a probe which is switched off or does not exist, and the reason."""
    found: dict[str, str] = {}
    for rule in rules:
        for probe in needed(rule):
            if probe in off:
                found.setdefault(rule.name, f"probe {probe} is off: {off[probe]}")
            elif probe not in probes:
                found.setdefault(rule.name, f"nothing watches {probe!r}")
    return found
