"""duplicate-worker-randomness on hand-written facts."""

from typing import Any

import pytest

from surefoot.facts import EpochFacts, SharedGeneratorFacts, WorkerFacts
from surefoot.rules.data.duplicate_worker_randomness import check
from tests.rules.data.build import IN_ORDER, MADE, OTHERWISE, ask, passed

OWN = SharedGeneratorFacts("dataset.rng", "Generator", 2)
GLOBAL = SharedGeneratorFacts("numpy.random", "module", 2, is_global=True)


def test_names_the_generator() -> None:
    (found,) = ask(check, passed(num_workers=4, shared_generators=(OWN,)))
    assert found.site == MADE and "2 of 4" in found.message and "dataset.rng" in found.message
    (other,) = ask(check, passed(num_workers=2, shared_generators=(GLOBAL,)))
    assert "worker_init_fn" in other.fix and other.fix != found.fix


def test_silent_without_one_and_in_evaluation() -> None:
    assert ask(check, passed(num_workers=4)) == []
    assert ask(check, passed(shared_generators=(OWN,), trained=False)) == []
    assert ask(check, passed(shared_generators=(OWN,), num_steps=0)) == []


def epoch(number: int, *, seed: str = "", stream: str = "a b c", worker: int = 0, **more: Any) -> EpochFacts:
    drawn = WorkerFacts(worker, seed or str(number), (("numpy.random", stream),))
    marks = OTHERWISE if number % 2 else IN_ORDER
    return passed(number, **{"workers": (drawn,), "sampler": "random", "marks": marks, **more})


def test_a_worker_that_draws_the_same_in_each_epoch() -> None:
    (found,) = ask(check, epoch(1), passed(2, loader=2), epoch(2))
    assert found.site == MADE and "as in the epoch before" in found.message and "numpy.random" in found.message


@pytest.mark.parametrize(
    "second",
    [
        epoch(2, stream="d e f"),
        epoch(2, seed="1"),  # the program went back to where it was
        epoch(2, worker=1),
        epoch(2, sampler="sequential"),
        epoch(3),  # in the same order
        epoch(2, optimizers=(2,)),
        epoch(2, loader=2),
        epoch(2, trained=False),
    ],
)
def test_epochs_that_tell_nothing(second: EpochFacts) -> None:
    assert ask(check, epoch(1), second) == []
