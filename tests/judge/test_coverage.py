"""Which rules could not be asked."""

from surefoot.facts import EndFacts, StepFacts
from surefoot.judge import unwatched
from surefoot.rules import Rule


def make(name: str, on: type, *probes: str) -> Rule:
    return Rule(name, "family", "error", (on,), lambda now, past: iter(()), probes, "doc")


RULES = [
    make("plain", StepFacts),
    make("clipped", StepFacts, "clip"),
    make("last", EndFacts),
    make("odd", EndFacts, "x"),
]
ALL = ("backward", "clear", "step", "clip")


def test_only_what_nothing_watches() -> None:
    assert unwatched(RULES, {}, ALL) == {"odd": "nothing watches 'x'"}


def test_a_probe_that_failed() -> None:
    assert unwatched(RULES[:3], {"clip": "boom"}, ALL) == {"clipped": "probe clip is off: boom"}


def test_what_every_step_stands_on() -> None:
    assert set(unwatched(RULES[:3], {"clear": "boom"}, ALL)) == {"plain", "clipped"}
