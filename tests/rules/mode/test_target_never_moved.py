from dataclasses import replace

from surefoot.facts import IdleCopyFacts
from surefoot.rules.mode.target_never_moved import check
from tests.rules.mode.build import STEP, ask, end

IDLE = IdleCopyFacts("agent.target", "agent.net", 200, 200, STEP)


def test_a_copy_that_has_not_moved() -> None:
    (evidence,) = ask(check, replace(end(), idle_copies=(IDLE,)))
    assert evidence.site == STEP and evidence.numbers == {"updates": 200}
    assert evidence.message.startswith("agent.target began as a copy of agent.net and has not moved since")


def test_short_and_broken_runs_and_what_was_last_seen_early_are_silent() -> None:
    early = replace(IDLE, num_idle=32)
    assert ask(check, replace(end(), idle_copies=(early,))) == []
    assert ask(check, replace(end(reason="interrupted"), idle_copies=(IDLE,))) == []
