"""duplicate-worker-randomness on hand-written facts."""

from surefoot.facts import SharedGeneratorFacts
from surefoot.rules.data.duplicate_worker_randomness import check
from tests.rules.data.build import MADE, ask, passed

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
