"""A few of the statements that `make prove-door` runs all of."""

from benchmarks.door.sql import attack
from benchmarks.door.statements import BOMBS, escapes


def test_statements_reach_nothing_and_take_little() -> None:
    outcome = attack(seconds=1.0, bombs=BOMBS[:1], num_escapes=40)
    assert outcome.wrong == []
    assert outcome.num_statements == 41
    assert len({*escapes("a", "b"), *BOMBS}) > 200
