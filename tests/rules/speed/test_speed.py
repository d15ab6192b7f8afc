"""Rules about time, on hand-written times."""

from dataclasses import replace

import pytest

from surefoot.facts import EndFacts, EpochFacts, RecompileFacts, Site
from surefoot.rules import Evidence, History
from surefoot.rules.speed.recompiles_every_step import check as recompiles
from surefoot.rules.speed.starved_by_data import check as starved

LOADER = Site("train.py", 7)
STARVED = EpochFacts(
    at=9, loader=1, epoch=1, site=LOADER, num_batches=201, num_backwards=201, num_steps=201, length=201,
    seconds=10.0, wait_seconds=6.0, step=402,
)  # fmt: skip


def ask(now: EpochFacts, *past: EpochFacts) -> list[Evidence]:
    return list(starved.check(now, History(past)))


def test_a_loop_that_waits_for_most_of_its_time_is_told_how_long() -> None:
    (evidence,) = ask(STARVED)
    assert evidence.message == (
        "the loop waited for this DataLoader for 6.0 of 10.0 s (60%), 30.0 ms a batch; the rest took 20.0 ms"
    )
    assert (evidence.site, evidence.step) == (LOADER, 402)
    assert "num_workers=4" in evidence.fix
    assert "more than 8 workers" in ask(replace(STARVED, num_workers=8))[0].fix


def test_short_passes_from_one_line_are_added_up_whichever_loader_gave_them() -> None:
    passes = [replace(STARVED, loader=i, num_steps=50, num_batches=50) for i in range(1, 5)]
    assert ask(passes[3], *passes[:3])
    assert not ask(passes[2], *passes[:2])
    assert not ask(passes[3], *[replace(p, site=Site("train.py", 20)) for p in passes[:3]])


@pytest.mark.parametrize(
    "quiet",
    [
        replace(STARVED, wait_seconds=3.9),  # below 40 %
        replace(STARVED, seconds=1.5, wait_seconds=0.9),  # 4.5 ms a batch
        replace(STARVED, num_steps=199),
        replace(STARVED, num_steps=0, num_backwards=0),  # an evaluation
        replace(STARVED, length=None),  # a stream
    ],
)
def test_silent(quiet: EpochFacts) -> None:
    assert ask(quiet) == []


def test_every_function_that_reached_the_limit_is_told() -> None:
    found = RecompileFacts("forward", 8, "self.n", 12.34, Site("net.py", 3))
    (evidence,) = recompiles.check(EndFacts(1, recompiles=(found,)), History())
    assert evidence.message.startswith("`forward` was compiled 8 times, in 12.3 s, because of `self.n`")
    assert evidence.site == Site("net.py", 3)
    assert not list(recompiles.check(EndFacts(1), History()))
