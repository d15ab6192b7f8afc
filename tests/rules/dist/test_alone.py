"""no-sync-mismatch, ddp-bypassed and model-not-wrapped on hand-written facts."""

import pytest

from surefoot.facts import EpochFacts, FeedFacts
from surefoot.rules import Rule
from surefoot.rules.dist.alone import LONG
from surefoot.rules.dist.ddp_bypassed import check as ddp_bypassed
from surefoot.rules.dist.model_not_wrapped import check as model_not_wrapped
from surefoot.rules.dist.no_sync_mismatch import check as no_sync_mismatch
from surefoot.rules.dist.parameters_replaced_after_wrapping import check as replaced
from tests.rules.dist.build import BACKWARD, STEP, ask, at_end, at_step, unsynced

BOTH = [(no_sync_mismatch, "no-sync"), (ddp_bypassed, "bypassed"), (replaced, "replaced"), (replaced, "converted")]


@pytest.mark.parametrize(("rule", "kind"), BOTH)
def test_steps_alone_are_no_mistake_until_it_is_certain(rule: Rule, kind: str) -> None:
    assert ask(rule, at_step(unsynced(kind, num_steps=LONG - 1))) == []
    assert ask(rule, at_end(unsynced(kind), reason="interrupted")) == []
    assert ask(rule, at_end(unsynced("other"))) == ask(rule, at_step()) == []


@pytest.mark.parametrize(("rule", "kind"), BOTH)
def test_fires_when_nothing_can_have_mended_them(rule: Rule, kind: str) -> None:
    for now in (at_step(unsynced(kind, num_steps=LONG)), at_step(unsynced(kind, is_followed=True, site=STEP))):
        (found,) = ask(rule, now)
        assert found.level is None and "Net" in found.message
    (found,) = ask(rule, at_end(unsynced(kind, num_steps=7, site=STEP)))
    assert found.numbers == {"steps": 7, "ranks": 4}


def test_what_was_told_at_a_step_is_not_told_again_at_the_end() -> None:
    assert ask(no_sync_mismatch, at_end(unsynced("no-sync", backward_syncs=True))) == []
    assert ask(ddp_bypassed, at_end(unsynced("bypassed", num_steps=LONG))) == []


def test_forward_under_no_sync_and_its_backward_not_is_certain_at_once() -> None:
    (found,) = ask(no_sync_mismatch, at_step(unsynced("no-sync", backward_syncs=True)))
    assert found.site == STEP and "its backward did not" in found.message


def test_backward_alone_under_no_sync_is_a_warning_where_it_is_called() -> None:
    (found,) = ask(no_sync_mismatch, at_step(unsynced("needless")))
    assert (found.level, found.site) == ("warning", BACKWARD)
    assert "the other 3 rank(s)" in found.message


def epoch(**fields: object) -> EpochFacts:
    feed = FeedFacts(**{"trained": True, "optimizers": (1,), "num_parts": 4, **fields})  # type: ignore[arg-type]
    return EpochFacts(at=5, loader=1, epoch=1, feed=feed)


def test_a_model_that_is_never_shared_on_shared_data() -> None:
    (found,) = ask(model_not_wrapped, at_end(unsynced("unwrapped", num_steps=8, site=STEP)), epoch())
    assert found.site == STEP
    assert "one of 4 parts" in found.message


def test_a_model_on_data_of_its_own_is_left_alone() -> None:
    end = at_end(unsynced("unwrapped", num_steps=8, site=STEP))
    for other in (epoch(num_parts=1), epoch(trained=False), epoch(optimizers=(2,))):
        assert ask(model_not_wrapped, end, other) == []
    assert ask(model_not_wrapped, at_end(unsynced("unwrapped", num_steps=8), reason="max-steps"), epoch()) == []
    assert ask(model_not_wrapped, at_end(unsynced("unwrapped")), epoch()) == []
    assert ask(model_not_wrapped, at_end(unsynced("bypassed", num_steps=8)), epoch()) == []


def test_a_window_whose_first_micro_batch_is_synchronised_is_told_at_once() -> None:
    (found,) = ask(no_sync_mismatch, at_step(unsynced("no-sync", is_partly_sent=True)))
    assert "synchronised instead" in found.message
    assert ask(no_sync_mismatch, at_end(unsynced("no-sync", is_partly_sent=True))) == []
