"""The page of `make bench-fix` counts what it is given."""

from benchmarks.fix.outcome import Outcome
from benchmarks.fix.page import page

OUTCOMES = [
    Outcome("stale/same_bad", "stale-gradients", ("stale-gradients",), (), 0.5, 0.25, 0.25, None),
    Outcome("stale/seeds_bad", "stale-gradients", ("stale-gradients",), (), 0.5, 0.3, 0.25, (0.2, 0.31)),
    Outcome("stale/other_bad", "stale-gradients", ("stale-gradients",), ("flat: why",), 0.5, 0.4, 0.25, (0.2, 0.31)),
    Outcome("dead/none_bad", "dead-units", (), ("dead-units: no patch is known for this rule",), 0.5, None, 0.25, None),
]  # fmt: skip


def test_shares() -> None:
    text = page(OUTCOMES)
    assert "| bug corpus | 4 | 3 (75 %) | 2 (50 %) | 2 (67 %) |" in text
    assert "| stale-gradients | 3 | 3 | 2 |" in text
    assert "- `stale/other_bad`: final loss 0.4, that of the clean twin 0.25 (its seeds: 0.2 to 0.31)" in text
    assert "- `dead/none_bad`: dead-units: no patch is known for this rule" in text
